import numpy as np
import pytest

from arena.odds.staking import (
    MULTIPLIER,
    Cap,
    Crra,
    Drawdown,
    EdgeProportional,
    Flat,
    FractionalKelly,
    Mode,
    Sizing,
    StakeLimits,
    Wager,
    after,
    cap_wagers,
    cap_wagers_source_c,
    crra,
    kelly,
    net_of_contract,
    opened,
    within,
)
from tests.present import some
from tests.vectors import case, near


def test_binary_decimal_odds_gives_kelly_its_growth_and_half_of_it() -> None:
    known = case("09_kelly", "binary_decimal_odds")
    for given, expected in some(zip(known["inputs"], known["expected"], strict=True)):
        net = given["decimal_odds"] - 1
        f = float(np.maximum(kelly(given["p"], net), 0))
        assert near(f, expected["f"], known["tol"], relative=True)
        assert near(f / 2, expected["half"], known["tol"], relative=True)
        over, under = (int(part) for part in f"{expected['f_exact']}/1".split("/")[:2])
        assert f == pytest.approx(over / under, abs=1e-15)


def test_a_certain_winner_deserves_everything() -> None:
    assert kelly(1.0, 0.5) == 1
    assert crra(1.0, 0.5, 4.0) == 1


def test_aversion_one_is_kelly_and_more_is_less() -> None:
    p, net = np.array([0.3, 0.6, 0.9]), np.array([3.0, 1.0, 0.2])
    assert crra(p, net, 1.0) == pytest.approx(kelly(p, net), abs=1e-14)
    assert (crra(p, net, 4.0) < crra(p, net, 2.0)).all()


def test_crra_is_at_the_top_of_its_own_utility() -> None:
    def utility(f: float) -> float:
        return 0.6 * (1 + f * 1.1) ** -2 / -2 + 0.4 * (1 - f) ** -2 / -2

    best = float(crra(0.6, 1.1, 3.0))
    assert utility(best) > max(utility(best - 1e-4), utility(best + 1e-4))


@pytest.mark.parametrize(
    "rule",
    [Flat(), FractionalKelly(), Crra(), EdgeProportional()],
    ids=lambda r: type(r).__name__,
)
def test_no_rule_bets_without_an_edge(rule: Sizing) -> None:
    p, net = np.array([0.4, 0.4, 0.0]), np.array([1.5, 1.0, 5.0])
    assert rule.fraction(p, net, np.full(3, 0.4)) == pytest.approx(0, abs=1e-15)


def test_every_rule_sizes_a_good_bet_its_own_way() -> None:
    one = np.array([0.5])
    net, q = np.array([1.5]), np.array([0.4])
    assert Flat(0.02).fraction(one, net, q) == 0.02
    assert EdgeProportional(0.25).fraction(one, net, q) == pytest.approx(0.025)
    assert Crra(8.0, cap=1.0).fraction(one, net, q) == pytest.approx(crra(one, net, 8.0))
    assert FractionalKelly().fraction(one, net, q) == pytest.approx(0.25 / 6)


def test_a_long_shot_is_one_by_the_market_s_probability() -> None:
    p, net = np.array([0.30, 0.30]), np.array([11.0, 11.0])
    found = FractionalKelly().fraction(p, net, np.array([0.0999, 0.10]))
    assert found.tolist() == [0.025, 0.05]


def test_the_limits_are_the_source_s() -> None:
    limits = StakeLimits()
    assert Crra(1.0).cap == EdgeProportional().cap == 0.05
    assert (limits.fraction, limits.longshot_fraction, limits.cap) == (0.25, 0.125, 0.05)
    assert (limits.event_cap, limits.day_cap, limits.longshot_cap) == (0.08, 0.15, 0.025)


@pytest.mark.parametrize(("p", "net"), [(1.2, 1.0), (float("nan"), 1.0), (0.5, 0.0)])
def test_bad_bets_are_refused(p: float, net: float) -> None:
    with pytest.raises(ValueError, match=r"lies in|wins something"):
        kelly(p, net)


def test_bad_terms_are_refused() -> None:
    with pytest.raises(ValueError, match="aversion"):
        crra(0.5, 1.0, 0.0)
    with pytest.raises(ValueError, match="something to win"):
        net_of_contract(1.0)


def wager(id_: str, fraction: float, *, market: str = "", event: str = "final") -> Wager:
    return Wager(id_, market or id_, event, "2026-06-20", fraction)


def test_markets_of_one_event_are_cut_together() -> None:
    found = cap_wagers([wager("a", 0.05), wager("b", 0.05), wager("c", 0.01, event="other")])
    assert found.fractions == pytest.approx((0.04, 0.04, 0.01))
    assert [(row.parent, row.cap) for row in found.adjustments] == [
        ("a", Cap.EVENT),
        ("b", Cap.EVENT),
    ]


def test_the_day_is_cut_from_what_the_events_left() -> None:
    bets = [wager(f"{e}{i}", 0.05, event=e) for e in "xyz" for i in range(2)]
    found = cap_wagers(bets)
    assert list(found.fractions) == pytest.approx([0.025] * 6)
    day = [row for row in found.adjustments if row.cap is Cap.DAY]
    assert len(found.adjustments) == 12
    assert [day[0].before, day[0].after] == pytest.approx([0.04, 0.025])
    assert len({row.id for row in found.adjustments}) == 12


def test_source_c_caps_by_market_and_the_day_from_first_sizes() -> None:
    bets = [wager("a", 0.05, market="1x2"), wager("b", 0.05, market="totals")]
    assert cap_wagers_source_c(bets).adjustments == ()
    found = cap_wagers_source_c([wager(name, 0.05, market="1x2") for name in "abcd"])
    assert [row.before for row in found.adjustments] == [0.05] * 8
    after = [row.after for row in found.adjustments]
    assert after == pytest.approx([0.02] * 4 + [0.0375] * 4)
    assert found.fractions == pytest.approx((0.0375,) * 4)


def test_nothing_is_cut_from_nothing() -> None:
    assert cap_wagers([]).fractions == ()
    assert cap_wagers([wager("a", 0.0)]).adjustments == ()


def test_a_stake_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="not below 0"):
        within([-0.1], np.array([0]), 0.1)


@pytest.mark.parametrize(
    ("mode", "episodes", "bankroll", "expected"),
    [
        (Mode.NORMAL, 0, 800, Mode.NORMAL),
        (Mode.NORMAL, 0, 799.99, Mode.HALVED),
        (Mode.HALVED, 1, 799, Mode.HALVED),
        (Mode.HALVED, 1, 899, Mode.HALVED),
        (Mode.HALVED, 1, 900, Mode.NORMAL),
        (Mode.HALVED, 2, 799, Mode.STOPPED),
        (Mode.HALVED, 2, 800, Mode.HALVED),
        (Mode.STOPPED, 2, 899, Mode.STOPPED),
        (Mode.STOPPED, 2, 900, Mode.NORMAL),
    ],
)
def test_the_mode_follows_the_bankroll(
    mode: Mode, episodes: int, bankroll: float, expected: Mode
) -> None:
    assert after(Drawdown(1, 1000, mode, episodes), bankroll).mode is expected


def test_only_a_second_episode_stops() -> None:
    state, seen = opened(1000), []
    for bankroll in (790, 700, 900, 790, 780, 950):
        state = after(state, bankroll)
        seen.append(state.mode.value)
    assert seen == ["HALVED", "HALVED", "NORMAL", "HALVED", "STOPPED", "NORMAL"]
    assert state.episodes == 2


def test_the_peak_rises_and_never_falls() -> None:
    state = after(after(opened(1000), 1200), 950)
    assert (state.peak, state.mode) == (1200, Mode.HALVED)


def test_modes_take_all_half_or_none() -> None:
    assert [MULTIPLIER[mode] for mode in Mode] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(("bankroll", "peak"), [(2, 1), (0, 0), (float("nan"), 1)])
def test_an_impossible_state_is_refused(bankroll: float, peak: float) -> None:
    with pytest.raises(ValueError, match="peak"):
        Drawdown(bankroll, peak)
