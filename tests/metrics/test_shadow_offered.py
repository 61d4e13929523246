import numpy as np
import pytest

from arena.metrics.shadow import Paths, remarked, returns
from arena.odds import Floats

DAYS = np.array(["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"], "datetime64[s]")


def paths(mids: list[list[float]], ended: list[int] | None = None) -> Paths:
    table = np.array(mids, np.float64)
    last = [table.shape[1]] * len(table) if ended is None else ended
    return Paths(DAYS[: table.shape[1]], table, np.array(last, np.intp))


def gains(
    moved: Paths, market: list[int], on: list[int], yes: list[bool], event: list[int]
) -> Floats:
    columns = np.array(market, np.intp), np.array(event, np.intp)
    return returns(moved, *columns, DAYS[on], np.array(yes, np.bool_))


def test_a_bet_earns_what_its_side_moves_from_its_moment_on() -> None:
    moved = paths([[0.2, 0.4, 0.5, 0.6]])
    assert gains(moved, [0], [1], [True], [0]).tolist() == pytest.approx([0.25, 0.2])
    assert gains(moved, [0], [1], [False], [0]).tolist() == pytest.approx([-1 / 6, -0.2])


def test_nothing_is_earned_after_the_close() -> None:
    moved = paths([[0.4, 0.5, 0.5, 0.5]], ended=[1])
    assert gains(moved, [0], [0], [True], [0]).tolist() == pytest.approx([0.25])
    assert gains(moved, [0], [1], [True], [0]).tolist() == []


def test_events_weigh_alike_and_bets_share_their_event_s_weight() -> None:
    moved = paths([[0.4, 0.6], [0.5, 0.5], [0.5, 0.4]])
    found = gains(moved, [0, 1, 2], [0, 0, 0], [True, True, True], [7, 7, 9])
    assert found.tolist() == pytest.approx([(0.25 - 0.2) / 2])


def test_a_step_without_an_open_bet_is_no_step() -> None:
    moved = paths([[0.4, 0.5, 0.5, 0.5], [0.3, 0.3, 0.3, 0.6]], ended=[1, 4])
    found = gains(moved, [0, 1], [0, 2], [True, True], [0, 1])
    assert found.tolist() == pytest.approx([0.25, 1.0])


def test_without_bets_wealth_is_one() -> None:
    none = np.zeros(0, np.intp)
    found = remarked(paths([[0.4, 0.5]]), none, none, DAYS[:0], np.zeros(0, np.bool_))
    assert (found.steps, found.e, found.p) == (0, 1.0, 1.0)


def played(rng: np.random.Generator, drift: float) -> float:
    """The largest wealth of bets on YES of markets that move by a tenth, up or down."""
    steps = 90
    moves = np.where(rng.random((6, steps)) < 0.5 + drift, 1.1, 0.9)
    mids = np.hstack([np.full((6, 1), 1e-5), 1e-5 * np.cumprod(moves, axis=1)])
    moments = DAYS[0] + np.arange(steps + 1) * np.timedelta64(1, "D")
    found = remarked(
        Paths(moments, mids, np.full(6, steps + 1)),
        np.arange(6),
        np.arange(6),
        np.full(6, moments[0]),
        np.ones(6, np.bool_),
    )
    return found.p


def test_prices_without_a_pattern_seldom_look_like_an_edge() -> None:
    rng = np.random.default_rng(5)
    p = np.array([played(rng, 0.0) for _ in range(300)])
    assert (p <= 0.05).mean() < 0.05


def test_prices_that_follow_the_bets_show_it() -> None:
    rng = np.random.default_rng(5)
    assert np.median([played(rng, 0.35) for _ in range(40)]) < 0.05
