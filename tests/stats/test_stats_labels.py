import pytest

from arena.records.estimate import Estimate, Interval, State
from arena.stats import Edge, edge, three_states
from tests.present import present


def _estimate(low: float, level: float, n: int = 40, events: int = 25) -> Estimate:
    return Estimate(1.0, n, events, 0.1, 24.0, Interval(low, 2.0, level, "t"))


@pytest.mark.parametrize(
    ("low_90", "low_95", "label"),
    [
        (0.2, 0.1, Edge.GENUINE_EDGE),
        (0.2, 0.0, Edge.WEAK_EDGE),
        (0.2, -0.1, Edge.WEAK_EDGE),
        (0.0, -0.1, Edge.NO_EDGE),
        (-0.1, -0.2, Edge.NO_EDGE),
    ],
)
def test_the_lower_ends_decide_and_zero_is_not_above_zero(
    low_90: float, low_95: float, label: Edge
) -> None:
    at_90, at_95 = _estimate(low_90, 0.90), _estimate(low_95, 0.95)
    assert edge(at_90, at_95) is label
    assert three_states(present(at_90.interval), present(at_95.interval)) is label


@pytest.mark.parametrize(("n", "events"), [(29, 25), (40, 19), (0, 0)])
def test_below_30_bets_or_20_events_nothing_is_said(n: int, events: int) -> None:
    found = edge(_estimate(0.2, 0.90, n, events), _estimate(0.1, 0.95, n, events))
    assert found is Edge.INSUFFICIENT_DATA


def test_thirty_bets_on_twenty_events_are_enough() -> None:
    assert edge(_estimate(0.2, 0.90, 30, 20), _estimate(0.1, 0.95, 30, 20)) is Edge.GENUINE_EDGE


def test_without_spread_nothing_is_said() -> None:
    flat = Estimate(0.01, 100, 100, state=State.DEGENERATE)
    assert edge(flat, flat) is Edge.INSUFFICIENT_DATA


def test_the_levels_are_90_and_95() -> None:
    with pytest.raises(ValueError, match="90 % and 95 %"):
        edge(_estimate(0.1, 0.95), _estimate(0.2, 0.90))


def test_both_estimates_are_of_one_sample() -> None:
    with pytest.raises(ValueError, match="one sample"):
        edge(_estimate(0.1, 0.90, 40), _estimate(0.2, 0.95, 41))
