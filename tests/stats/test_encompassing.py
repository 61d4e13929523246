from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.regression.efficiency import two_sided
from arena.stats.regression.encompassing import (
    Encompassing,
    encompassing,
    information,
    true_odds,
)
from tests.present import present
from tests.stats.intervals import ends
from tests.vectors import case, near

Floats = NDArray[np.float64]


def binary_encompassing(
    agent: Floats,
    market: Floats,
    came: NDArray[np.intp],
    **options: Any,  # noqa: ANN401  its options
) -> Encompassing:
    """The test of P(YES), as rows of two options."""
    return encompassing(two_sided(agent), two_sided(market), came, **options)


def drawn(weight: float, n: int = 4000) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Outcomes whose true log odds are so far on the way from market to agent."""
    rng = np.random.default_rng(9)
    market, agent = rng.normal(0, 1, n), rng.normal(0, 1, n)
    p = 1 / (1 + np.exp(-(market + weight * (agent - market))))
    came = (rng.random(n) < p).astype(np.intp)
    return 1 / (1 + np.exp(-agent)), 1 / (1 + np.exp(-market)), came


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_the_weight_is_found_again(weight: float) -> None:
    it = binary_encompassing(*drawn(weight))
    low, high = ends(it.weight.interval)
    assert low < weight < high
    assert (present(it.adds_nothing.p) > 0.05) is (weight == 0)
    assert (present(it.suffices.p) > 0.05) is (weight == 1)


def test_agent_and_market_change_places() -> None:
    agent, market, came = drawn(0.3, 300)
    one, other = (
        binary_encompassing(agent, market, came),
        binary_encompassing(market, agent, came),
    )
    assert one.weight.value == pytest.approx(1 - present(other.weight.value))
    assert one.adds_nothing.statistic == pytest.approx(other.suffices.statistic)


def test_three_outcomes_share_one_weight() -> None:
    rng = np.random.default_rng(2)
    agent, market = rng.dirichlet([2, 2, 2], 3000), rng.dirichlet([2, 2, 2], 3000)
    came = (agent.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    found = encompassing(agent, market, np.minimum(came, 2))
    assert found.weight.value == pytest.approx(1, abs=0.1)


def test_an_agent_who_is_the_market_has_no_weight() -> None:
    p = np.array([0.2, 0.6, 0.7])
    it = binary_encompassing(p, p, np.array([0, 1, 1]))
    assert (it.weight.value, it.weight.state) == (None, State.DEGENERATE)
    assert (it.adds_nothing.p, it.suffices.p) == (1, 1)


def test_an_agent_who_is_always_nearer_has_no_finite_weight() -> None:
    it = binary_encompassing(np.array([0.2, 0.8]), np.array([0.5, 0.5]), np.array([0, 1]))
    assert (it.weight.value, it.adds_nothing.p) == (None, None)
    assert it.weight.state is State.NOT_ESTIMABLE


def test_no_forecast_has_no_weight() -> None:
    none = np.empty(0)
    it = binary_encompassing(none, none, np.empty(0, np.intp))
    assert (it.weight.value, it.weight.state) == (None, State.EMPTY)


def test_copies_of_a_row_narrow_the_interval_unless_they_are_one_event() -> None:
    agent, market, came = drawn(0.4, 150)
    alone = binary_encompassing(agent, market, came, event=np.arange(150))
    four = [np.tile(a, 4) for a in (agent, market, came)]
    tiled = binary_encompassing(*four, event=np.tile(np.arange(150), 4))  # type: ignore[arg-type]
    naive = binary_encompassing(*four)  # type: ignore[arg-type]
    assert tiled.weight.se == pytest.approx(alone.weight.se)
    assert present(naive.weight.se) < 0.6 * present(tiled.weight.se)
    assert (tiled.weight.n, tiled.weight.events) == (600, 150)


def test_rows_of_one_event_alone_have_a_weight_and_no_test() -> None:
    agent, market, came = drawn(0.4, 150)
    alone = binary_encompassing(agent, market, came)
    one = binary_encompassing(agent, market, came, event=np.zeros(150, np.intp))
    assert one.weight.value == alone.weight.value
    assert (one.weight.state, one.weight.interval) == (State.SINGLE, None)
    for test in (one.adds_nothing, one.suffices):
        assert (test.state, test.p, test.statistic) == (State.SINGLE, None, None)
    same = binary_encompassing(market, market, came, event=np.zeros(150, np.intp))
    assert (same.adds_nothing.p, same.suffices.state) == (None, State.SINGLE)


P, Y = np.array([0.2, 0.6]), np.array([0, 1])


@pytest.mark.parametrize(
    "refused",
    [
        lambda: binary_encompassing(P, P[:1], Y),
        lambda: binary_encompassing(P, P, Y, level=1.0),
        lambda: binary_encompassing(P, P, Y, event=Y[:1]),
        lambda: binary_encompassing(P + 1, P, Y),
    ],
)
def test_what_is_no_pair_of_forecasts_is_refused(refused: Callable[[], Encompassing]) -> None:
    with pytest.raises(ValueError, match=r"differ|level|events|probability"):
        refused()


def test_a_forecast_far_beyond_all_others_that_is_wrong_has_a_finite_gain() -> None:
    """Fitted without it the weight is 50 and more: its probability is 1 to the last digit."""
    n = 40
    known = np.resize([-0.4, -0.4, 0.4, 0.4], n)
    apart = np.resize([-0.05, 0.05], n)
    outcome = (apart > 0).astype(np.intp)
    outcome[::5] = 1 - outcome[::5]
    known, apart = np.append(known, 0.0), np.append(apart, 6.9)
    rows = np.arange(n + 1)
    found = information(
        1 / (1 + np.exp(-known - apart)),
        1 / (1 + np.exp(-known)),
        np.append(outcome, 0),
        rows,
        fold=np.where(rows == n, 2, rows // 4 % 2),
    )
    assert found.gain.state is State.OK
    assert isfinite(present(found.gain.value))
    assert present(found.gain.value) < 0


def test_three_way_odds_that_are_too_cautious() -> None:
    known = case("06_nyberg_mnlogit", "three_way_underconfident")
    test = true_odds(np.array(known["inputs"]["P"]), np.array(known["inputs"]["y"]))
    found = {"lr": test.statistic, "df": test.df[0], "p": test.p}
    expected = {key: known["expected"][key] for key in found}
    assert near(found, expected, known["tol"], relative=True)


def test_the_reference_does_not_change_the_likelihood_ratio() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet([2, 3, 4], 200)
    y = rng.integers(0, 3, 200)
    found = [true_odds(p, y, reference=r).statistic for r in range(3)]
    assert found == pytest.approx([found[0]] * 3, abs=1e-7)
