import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.regression.clusters import ClusterCorrection, interval
from arena.stats.regression.twoway import both, two_way_interval
from tests.present import present


def _crossed(seed: int = 0, shared: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    events, days = np.repeat(np.arange(30), 4), np.tile(np.arange(12), 10)
    x = shared * (rng.standard_normal(30)[events] + rng.standard_normal(12)[days])
    return x + rng.standard_normal(120), events, days


def test_days_that_move_all_make_it_less_sure_than_events_alone() -> None:
    x, events, days = _crossed()
    assert present(two_way_interval(x, events, days).se) > present(interval(x, events).se)


def test_events_that_are_days_are_one_way() -> None:
    x, events, _ = _crossed()
    one, other = (
        two_way_interval(x, events, events),
        interval(x, events, kind=ClusterCorrection.CR1),
    )
    assert np.isclose(present(one.se), present(other.se))


def test_little_says_little() -> None:
    assert two_way_interval([], [], []).state is State.EMPTY
    assert two_way_interval([1.0, 2.0], [0, 1], [3, 3]).state is State.SINGLE
    assert two_way_interval([1.0] * 4, [0, 0, 1, 1], [0, 1, 0, 1]).state is State.DEGENERATE


def test_only_cr0_and_cr1_have_two_ways() -> None:
    with pytest.raises(ValueError, match="CR2"):
        two_way_interval([1.0, 2.0], [0, 1], [0, 1], kind=ClusterCorrection.CR2)


def test_no_rows_have_no_pairs() -> None:
    assert both(np.zeros(0, np.intp), np.zeros(0, np.intp)).size == 0
