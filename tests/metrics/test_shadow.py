from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from arena.errors import ArenaError
from arena.metrics.shadow import (
    AS_CHAMPION,
    CHAMPION,
    OWN,
    OfferedMarket,
    Paths,
    PlayedBook,
    Terms,
    board,
    detail,
    fortune,
    judged,
    play,
    remarked,
    returns,
    rules_of,
    some,
    valued,
)
from arena.odds import Flags, Floats
from arena.scoring.bets.book import BetBook, MarketLines, PassReason
from arena.scoring.bets.clv import Exclusion
from arena.scoring.bets.luck import Luck, attribute, bought
from arena.scoring.bets.shadow import POLICIES, OwnBets, replay, replay_own
from arena.stats import Edge
from tests.metrics.shadows import drawn, offered, placed
from tests.present import present
from tests.scoring.markets import HOUR, NEVER, START, lines

seeds = st.integers(0, 10_000)


def flat(market: MarketLines, p: ArrayLike) -> tuple[PlayedBook, OfferedMarket]:
    """Equal bets of one forecaster on these lines."""
    whole = offered(market, {"ada": np.asarray(p, np.float64)})
    return present(play(whole, "ada", "flat")), whole


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_the_champion_replayed_is_the_champion_s_own_shadow_book(seed: int) -> None:
    market = drawn(seed)
    p = market.forecasts["ada"]
    whole = some(market.lines, np.arange(len(p)), gated=market.gate.held)
    own = replay(whole, p, CHAMPION)
    again = present(play(market, "ada", AS_CHAMPION, champion="ada"))
    assert again.rows[again.book.rows].tolist() == own.rows.tolist()
    for column in ("yes", "price", "stake", "shares", "fee", "bankroll", "pnl"):
        np.testing.assert_array_equal(getattr(again.book, column), getattr(own, column))
    assert again.book.profit == own.profit


def test_everybody_bets_on_the_champion_s_lines_alone_and_under_its_gate() -> None:
    market = drawn(3)
    made = present(play(market, "ben", AS_CHAMPION, champion="ada"))
    bet = made.rows[made.book.rows]
    assert not np.isnan(market.forecasts["ada"][bet]).any()
    assert not market.gate.held[bet].any()
    assert made.book.passed[PassReason.GATE_FIRED] > 0


def test_no_gate_applies_to_the_other_rules() -> None:
    market = drawn(3)
    made = present(play(market, "ben", "flat"))
    assert PassReason.GATE_FIRED not in made.book.passed
    assert market.gate.held[made.book.rows].any()


def test_own_bets_count_the_lines_that_were_left() -> None:
    market = lines(at=[START] * 4)
    said = np.array([0.5, 0.5, np.nan, np.nan])
    found = present(
        play(offered(market, {"ada": said}, {"ada": placed(market, [0, 2])}), "ada", OWN)
    )
    assert found.book.passed == {PassReason.NO_FORECAST: 1, PassReason.NO_STAKE: 1}
    assert found.book.staked == 200


def test_what_was_sold_makes_the_p_l_and_what_was_placed_makes_luck_and_value() -> None:
    market = lines(close=0.50, payout=0.0)
    kept = placed(market, [0])
    sold = replace(kept, lots=replace(kept.lots, payout=np.array([0.60])))
    whole = offered(market, {}, {"ada": sold})
    made = present(play(whole, "ada", OWN))
    one = judged(made, whole)
    assert one.profit == pytest.approx(100 / 0.41 * (0.60 - 0.41))
    assert one.split.luck == pytest.approx(100 / 0.41 * (0.60 - 0.50))
    assert one.luck.pnl == pytest.approx(-100)
    assert one.ev_clv.value == pytest.approx(0.09 / 0.41)


def test_the_market_s_own_price_is_never_bet_on() -> None:
    market = drawn(5)
    whole = offered(market.lines, {"market": market.lines.fair})
    for rule in POLICIES:
        made = present(play(whole, "market", rule))
        one = judged(made, whole)
        assert (one.bets, one.profit, one.luck.upper) == (0, 0.0, None)
        assert one.label is Edge.INSUFFICIENT_DATA
        assert one.remarked.e == 1.0


def test_few_bets_have_no_label_and_many_good_ones_have_one() -> None:
    rng = np.random.default_rng(8)
    for n, expected in ((19, Edge.INSUFFICIENT_DATA), (60, Edge.GENUINE_EDGE)):
        market = lines(
            event=np.arange(n), at=START + np.arange(n) * HOUR, close=rng.uniform(0.5, 0.6, n)
        )
        assert judged(*flat(market, np.full(n, 0.55))).label is expected


def test_a_bet_without_a_close_is_counted_by_its_reason() -> None:
    market = lines(
        event=[0, 1, 2], close=[0.45, np.nan, np.nan], settled=[NEVER, NEVER, START + HOUR]
    )
    left_out = judged(*flat(market, np.full(3, 0.6))).excluded
    assert left_out == {Exclusion.NO_CLOSE: 1, Exclusion.RESOLVED_BEFORE_CLOSE: 1}


def test_a_board_has_its_best_first_and_sums_of_every_rule() -> None:
    market = drawn(4, names=("ada", "ben", "cleo"))
    found = board(market, ["flat", OWN])
    values = [one.ev_clv.value for one in found.judged]
    assert [one.policy for one in found.judged] == ["flat"] * 3
    assert values == sorted(values, key=lambda v: -present(v))
    assert {name: set(sums) for name, sums in found.sums.items()} == {
        name: set(POLICIES) for name in ("ada", "ben", "cleo")
    }


def test_details_are_of_every_rule_and_forms_of_those_that_were_asked_for() -> None:
    market = drawn(4)
    found = detail(market, "ada", ["flat", OWN], Terms(champion="ben"))
    assert [one.policy for one in found.judged] == [*POLICIES, AS_CHAMPION]
    assert list(found.valued) == ["flat"]
    assert found.forecasts == (~np.isnan(market.forecasts["ada"])).sum()


def test_a_contestant_without_forecasts_has_own_bets_alone() -> None:
    market = lines(at=[START] * 2)
    whole = offered(market, {}, {"ben": placed(market, [1])})
    assert [one.policy for one in detail(whole, "ben", [OWN]).judged] == [OWN]


def test_a_contestant_who_did_nothing_has_nothing() -> None:
    market = lines(at=[START] * 2)
    whole = replace(offered(market, {}), capital={"idle": 10_000.0})
    assert detail(whole, "idle", [OWN]).judged == ()
    assert board(whole, [OWN]).sums == {"idle": {}}


def test_strangers_are_refused() -> None:
    with pytest.raises(ArenaError, match="dan has taken no part"):
        detail(drawn(1), "dan", [OWN])
    with pytest.raises(ArenaError, match="dan has no forecast"):
        rules_of(drawn(1), "dan")


def test_a_book_is_valued_in_every_form() -> None:
    found = {f.key: f.mean.value for f in valued(*flat(lines(close=0.50), [0.7])).forms}
    assert found["ev_clv"] == pytest.approx((0.50 - 0.41) / 0.41)
    assert found["clv"] == pytest.approx(0.25)
    assert found["clv_difference"] == pytest.approx(0.10)
    assert found["clv_log"] == pytest.approx(np.log(1.25))
    assert found["clv_log_source_c"] == pytest.approx(np.log(0.51 / 0.41))


def test_a_bet_on_no_is_valued_on_its_own_side() -> None:
    found = {f.key: f.mean.value for f in valued(*flat(lines(close=0.30), [0.2])).forms}
    assert found["clv"] == pytest.approx(0.70 / 0.60 - 1)
    assert found["clv_log_source_c"] == pytest.approx(np.log(0.71 / 0.61))


def on_yes(market: MarketLines, stake: float = 100.0) -> BetBook:
    n = len(market)
    return replay_own(market, OwnBets(np.ones(n, np.bool_), np.full(n, stake)))


def fortune_of(book: BetBook, market: MarketLines, exclusive: Flags | None = None) -> Luck:
    none = np.zeros(int(market.event.max()) + 1, np.bool_)
    at_most_one = none if exclusive is None else exclusive
    return fortune(book, market, at_most_one, np.random.default_rng(1))


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_right_prices_make_a_one_sided_bettor_lose_its_costs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 12
    code = rng.integers(0, 5, n)
    fair = rng.uniform(0.2, 0.8, n)
    market = lines(
        market=code,
        event=code,
        at=START + np.arange(n) * HOUR,
        fair=fair,
        bid=fair - 0.02,
        ask=fair + 0.02,
        payout=(rng.random(5) < 0.5).astype(np.float64)[code],
        settled=START + 99 * HOUR,
        fee_yes=0.01,
    )
    side = (rng.random(5) < 0.5)[code]
    book = replay_own(market, OwnBets(side, rng.uniform(10, 200, n)))
    found = fortune_of(book, market)
    assert found.mean == pytest.approx(attribute(bought(book, market)).costs)
    assert found.pnl == pytest.approx(book.profit)


def at_two_prices(first: float, second: float, payout: float) -> MarketLines:
    """One market an hour apart, without a spread."""
    prices = np.array([first, second])
    return lines(
        market=[0, 0],
        event=[0, 0],
        at=[START, START + HOUR],
        fair=prices,
        bid=prices,
        ask=prices,
        payout=payout,
        settled=START + 9 * HOUR,
    )


def test_a_bettor_who_buys_more_after_a_fall_is_given_no_head_start() -> None:
    market = at_two_prices(0.5, 0.1, payout=1.0)
    book = replay_own(market, OwnBets(np.array([True, True]), np.array([50.0, 1.0])))
    found = fortune_of(book, market)
    assert found.mean == pytest.approx(0)
    assert found.upper == pytest.approx(51 / 110)


def test_a_p_l_that_was_locked_in_is_taken_as_it_is() -> None:
    market = at_two_prices(0.3, 0.6, payout=0.0)
    book = replay_own(market, OwnBets(np.array([True, False]), np.array([30.0, 40.0])))
    found = fortune_of(book, market)
    assert [found.pnl, found.mean] == pytest.approx([30, 30])
    assert found.upper == 1.0


def test_of_an_exclusive_event_one_market_alone_comes_true() -> None:
    market = lines(event=[0, 0], fair=0.4, bid=0.4, ask=0.4, payout=[1.0, 0.0])
    book = on_yes(market)
    apart, one = fortune_of(book, market), fortune_of(book, market, np.array([True]))
    assert one.upper == pytest.approx(0.8)
    assert one.sd < apart.sd


@pytest.mark.parametrize(
    "broken",
    [{"payout": [1.0, 1.0], "fair": 0.3}, {"payout": [1.0, 0.0], "fair": 0.6}],
    ids=["two came true", "chances above 1"],
)
def test_what_cannot_be_exclusive_is_not_taken_for_it(broken: dict[str, float]) -> None:
    market = lines(event=[0, 0], bid=broken["fair"], ask=broken["fair"], **broken)
    book = on_yes(market)
    assert fortune_of(book, market, np.array([True])) == fortune_of(book, market)


def test_markets_of_one_event_are_given_the_less_surprising_of_two_ways() -> None:
    market = lines(event=[0, 0, 0], fair=0.4, bid=0.4, ask=0.4, payout=1.0)
    book = on_yes(market)
    assert fortune_of(book, market).upper == pytest.approx(0.4)
    split = replace(market, event=np.array([0, 1, 2]))
    assert fortune_of(on_yes(split), split).upper == pytest.approx(0.4**3)


def test_without_bets_there_is_no_p() -> None:
    market = lines(event=[0, 1], payout=np.nan)
    found = fortune_of(replay_own(market, OwnBets(np.ones(2, np.bool_), np.zeros(2))), market)
    assert (found.upper, found.markets) == (None, 0)


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
