from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.estimate import Sided, State
from arena.stats.clusters import Kind, mean_test
from arena.stats.wild import (
    Points,
    Wild,
    multipliers,
    sign_flip,
    wild_cluster,
    wild_interval,
)
from tests.present import present

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


@given(seed=SEEDS)
@settings(max_examples=20)
def test_with_events_of_one_size_signs_flipped_are_the_wild_bootstrap(seed: int) -> None:
    d = np.random.default_rng(seed).standard_normal(8)
    assert sign_flip(d, _rng()).p == wild_cluster(d, range(8), _rng()).p


@pytest.mark.parametrize("sided", list(Sided))
def test_each_bootstrap_statistic_is_the_t_of_multiplied_events(sided: Sided) -> None:
    x, events = _sample(6)
    sums, counts = np.bincount(events, weights=x), np.bincount(events)
    u, null = sums - 0.2 * counts, 0.2

    def t(event_sums: np.ndarray) -> float:
        values = np.repeat(event_sums / counts, counts)
        return present(mean_test(values, np.repeat(range(6), counts), kind=Kind.CR1).statistic)

    observed = t(u)
    all_t = np.array([t(np.array(w) * u) for w in product((-1.0, 1.0), repeat=6)])
    far = {
        Sided.TWO: np.abs(all_t) >= abs(observed) - 1e-9,
        Sided.GREATER: all_t >= observed - 1e-9,
        Sided.LESS: all_t <= observed + 1e-9,
    }[sided]
    found = wild_cluster(x, events, _rng(), null, Wild(sided=sided))
    assert found.p == pytest.approx(far.mean())
    assert found.statistic == pytest.approx(observed)


@pytest.mark.parametrize("points", list(Points))
def test_multipliers_have_mean_0_and_variance_1(points: Points) -> None:
    w, exact = multipliers(4, 5000, _rng(), points)
    assert exact
    assert np.allclose(w.mean(axis=0), 0)
    assert np.allclose(w.var(axis=0), 1)
    drawn, exact = multipliers(30, 5000, _rng(), points)
    assert not exact
    assert drawn.shape == (5000, 30)
    assert np.allclose(drawn.var(axis=0), 1, atol=0.1)


@pytest.mark.parametrize(
    ("g", "points"), [(8, Points.RADEMACHER), (5, Points.WEBB), (16, Points.RADEMACHER)]
)
def test_the_interval_holds_what_the_test_does_not_reject(g: int, points: Points) -> None:
    x, events = _sample(g)
    wild = Wild(points, draws=8000)
    found = wild_interval(x, events, _rng(), wild=wild).interval
    assert found is not None
    width = found.high - found.low
    for end, outwards in ((found.low, -1), (found.high, 1)):
        inside = wild_cluster(x, events, _rng(), end - outwards * 1e-6 * width, wild)
        outside = wild_cluster(x, events, _rng(), end + outwards * 1e-6 * width, wild)
        assert present(outside.p) <= 0.05 < present(inside.p)


def test_five_events_and_signs_reject_nothing_at_95() -> None:
    x, events = _sample(5)
    assert wild_interval(x, events, _rng()).state is State.TOO_FEW
    assert wild_interval(x, events, _rng(), 0.9).interval is not None


def test_little_says_little() -> None:
    for x, events, state in (
        ([], [], State.EMPTY),
        ([1.0, 2.0], [0, 0], State.SINGLE),
        ([1.0, 1.0], [0, 1], State.DEGENERATE),
    ):
        assert wild_cluster(x, events, _rng()).state is state
        assert wild_interval(x, events, _rng()).state is state


def test_no_difference_from_the_null_at_all_is_a_p_of_1() -> None:
    assert wild_cluster([1.0, 1.0], [0, 1], _rng()).p is None
    assert wild_cluster([1.0, 1.0], [0, 1], _rng(), 1.0).p == 1.0


def test_it_is_right_where_the_plain_t_errs_with_six_uneven_events() -> None:
    rng = np.random.default_rng(7)
    events = np.repeat(np.arange(6), [12, 4, 3, 2, 1, 1])
    wrong_t, wrong_wild = 0, 0
    for _ in range(300):
        x = rng.standard_normal(6)[events] + 0.2 * rng.standard_normal(events.size)
        wrong_t += present(mean_test(x, events, kind=Kind.CR1).p) <= 0.1
        wrong_wild += present(wild_cluster(x, events, rng).p) <= 0.1
    assert wrong_wild < wrong_t
    assert wrong_wild / 300 < 0.16
