from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.metrics.bets.offered import some
from arena.metrics.bets.shadow import (
    AS_CHAMPION,
    CHAMPION,
    OWN,
    Terms,
    board,
    detail,
    judged,
    play,
    rules_of,
    valued,
)
from arena.scoring.bets.book import PassReason
from arena.scoring.bets.clv import Exclusion
from arena.scoring.bets.shadow import POLICIES, replay
from arena.stats.labels import Edge
from tests.metrics.shadows import drawn, offered, placed
from tests.present import present
from tests.scoring.markets import HOUR, NEVER, START, lines

seeds = st.integers(0, 10_000)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_the_champion_replayed_is_the_champion_s_own_shadow_book(seed: int) -> None:
    market = drawn(seed)
    p = market.forecasts["ada"]
    whole = some(market.lines, np.arange(len(p)), gated=market.gate.held)
    own = replay(whole, p, CHAMPION)
    again = play(market, "ada", AS_CHAMPION, champion="ada")
    assert again is not None
    assert again.rows[again.book.rows].tolist() == own.rows.tolist()
    for column in ("yes", "price", "stake", "shares", "fee", "bankroll", "pnl"):
        assert np.array_equal(
            getattr(again.book, column), getattr(own, column), equal_nan=column == "pnl"
        )
    assert again.book.profit == own.profit


def test_everybody_bets_on_the_champion_s_lines_alone_and_under_its_gate() -> None:
    market = drawn(3)
    made = play(market, "ben", AS_CHAMPION, champion="ada")
    assert made is not None
    bet = made.rows[made.book.rows]
    assert not np.isnan(market.forecasts["ada"][bet]).any()
    assert not market.gate.held[bet].any()
    assert made.book.passed[PassReason.GATE_FIRED] > 0


def test_no_gate_applies_to_the_other_rules() -> None:
    market = drawn(3)
    made = play(market, "ben", "flat")
    assert made is not None
    assert PassReason.GATE_FIRED not in made.book.passed
    assert market.gate.held[made.book.rows].any()


@pytest.mark.parametrize("rule", POLICIES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_parts_of_the_p_l_add_up_to_it(seed: int, rule: str) -> None:
    market = drawn(seed)
    made = play(market, "ada", rule)
    assert made is not None
    one = judged(made, market)
    parts = one.split
    assert one.profit == pytest.approx(parts.pnl)
    assert parts.forecast + parts.sizing + parts.luck + parts.costs == pytest.approx(parts.pnl)


def test_own_bets_count_the_lines_that_were_left() -> None:
    market = lines(at=[START] * 4)
    said = np.array([0.5, 0.5, np.nan, np.nan])
    found = play(offered(market, {"ada": said}, {"ada": placed(market, [0, 2])}), "ada", OWN)
    assert found is not None
    assert found.book.passed == {PassReason.NO_FORECAST: 1, PassReason.NO_STAKE: 1}
    assert found.book.staked == 200


def test_what_was_sold_makes_the_p_l_and_what_was_placed_makes_luck_and_value() -> None:
    market = lines(close=0.50, payout=0.0)
    kept = placed(market, [0])
    sold = replace(kept, lots=replace(kept.lots, payout=np.array([0.60])))
    whole = offered(market, {}, {"ada": sold})
    made = play(whole, "ada", OWN)
    assert made is not None
    one = judged(made, whole)
    assert one.profit == pytest.approx(100 / 0.41 * (0.60 - 0.41))
    assert one.split.luck == pytest.approx(100 / 0.41 * (0.60 - 0.50))
    assert one.luck.pnl == pytest.approx(-100)
    assert one.ev_clv.value == pytest.approx(0.09 / 0.41)


def test_the_market_s_own_price_is_never_bet_on() -> None:
    market = drawn(5)
    whole = offered(market.lines, {"market": market.lines.fair})
    for rule in POLICIES:
        made = play(whole, "market", rule)
        assert made is not None
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
        whole = offered(market, {"ada": np.full(n, 0.55)})
        made = play(whole, "ada", "flat")
        assert made is not None
        assert judged(made, whole).label is expected


def test_a_bet_without_a_close_is_counted_by_its_reason() -> None:
    market = lines(
        event=[0, 1, 2], close=[0.45, np.nan, np.nan], settled=[NEVER, NEVER, START + HOUR]
    )
    whole = offered(market, {"ada": np.full(3, 0.6)})
    made = play(whole, "ada", "flat")
    assert made is not None
    assert judged(made, whole).excluded == {
        Exclusion.NO_CLOSE: 1,
        Exclusion.RESOLVED_BEFORE_CLOSE: 1,
    }


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
    market = lines(close=0.50)
    whole = offered(market, {"ada": np.array([0.7])})
    made = play(whole, "ada", "flat")
    assert made is not None
    found = {form.key: form.mean.value for form in valued(made, whole).forms}
    assert found["ev_clv"] == pytest.approx((0.50 - 0.41) / 0.41)
    assert found["clv"] == pytest.approx(0.25)
    assert found["clv_difference"] == pytest.approx(0.10)
    assert found["clv_log"] == pytest.approx(np.log(1.25))
    assert found["clv_log_source_c"] == pytest.approx(np.log(0.51 / 0.41))


def test_a_bet_on_no_is_valued_on_its_own_side() -> None:
    market = lines(close=0.30)
    whole = offered(market, {"ada": np.array([0.2])})
    made = play(whole, "ada", "flat")
    assert made is not None
    found = {form.key: form.mean.value for form in valued(made, whole).forms}
    assert found["clv"] == pytest.approx(0.70 / 0.60 - 1)
    assert found["clv_log_source_c"] == pytest.approx(np.log(0.71 / 0.61))
