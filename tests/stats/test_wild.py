from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.estimate import Sided, State
from arena.stats.resampling.bootstrap import sign_flip

SEEDS = st.integers(0, 1000)


def _sample(g: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    events = np.repeat(np.arange(g), rng.integers(1, 5, g))
    return rng.standard_normal(events.size) + rng.standard_normal(g)[events], events


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


@given(d=st.lists(st.integers(-5, 5), min_size=2, max_size=8))
@settings(max_examples=60)
def test_every_assignment_of_signs_is_counted(d: list[int]) -> None:
    sums = [abs(np.dot(s, d)) for s in product((-1, 1), repeat=len(d))]
    found = sign_flip(d, _rng())
    assert found.p == np.mean([s >= abs(sum(d)) for s in sums])
    assert found.name.endswith("exact")


def test_one_side_is_half_where_no_sums_tie() -> None:
    d = [1.0, 2.0, 4.0, 8.0]
    assert sign_flip(d, _rng(), sided=Sided.GREATER).p == 1 / 16
    assert sign_flip(d, _rng(), sided=Sided.LESS).p == 1.0
    assert sign_flip(d, _rng()).p == 2 / 16


def test_drawn_signs_come_close_to_all_of_them() -> None:
    d = np.random.default_rng(2).standard_normal(12) + 0.4
    exact, drawn = sign_flip(d, _rng()), sign_flip(d, _rng(), draws=4000)
    assert exact.name != drawn.name
    assert drawn.p == pytest.approx(exact.p, abs=0.03)


def test_drawn_signs_never_give_0() -> None:
    assert sign_flip([1.0] * 40, _rng(), draws=999).p == 0.001


def test_rows_of_one_event_turn_together() -> None:
    d = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert sign_flip(d, _rng(), events=[0, 0, 0, 1, 1, 1]).p == 0.5
    assert sign_flip(d, _rng()).p == 2 / 64


def test_no_difference_at_all_is_no_evidence() -> None:
    assert sign_flip([0.0] * 5, _rng()).p == 1.0
    assert sign_flip([], _rng()).state is State.EMPTY


def test_the_sign_of_one_event_says_nothing() -> None:
    for found in (sign_flip([3.0], _rng()), sign_flip([1.0, 2.0], _rng(), events=[4, 4])):
        assert (found.events, found.p, found.state) == (1, None, State.SINGLE)
        assert found.statistic == 3.0
