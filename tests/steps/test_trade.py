from dataclasses import replace
from decimal import Decimal

import pytest

from arena.records.answer import Answer, Completion, Trouble, Usage
from arena.records.cohort import FillRule, Rules
from arena.records.market import FeeKind, FeeModel, Side
from arena.records.money import price, shares, usd
from arena.records.trade import Fill, Turn
from arena.store.audit import audit
from arena.store.pages.showcase import Showcase
from arena.store.pages.turns import SqliteConduct
from tests.build import (
    ADA,
    BEN,
    COHORT,
    PEERS,
    PENNIES,
    RAIN,
    SNOW,
    at_price,
    market,
    quote,
    spec,
)
from tests.present import present
from tests.stage import Game, Says, Script, buys, playing, sells, started

YES, NO = Side.YES, Side.NO
OURS = Rules()


def turn(game: Game, number: int = 1) -> Turn:
    entry = present(game.store.journal.entry(f"turn:c:{number}:ada"))
    assert isinstance(entry.event, Turn)
    return entry.event


def fills(game: Game) -> list[Fill]:
    return [e.event for e in game.entries if isinstance(e.event, Fill)]


def said(words: str) -> Script:
    return {1: words}


def one_bet(side: str = '"YES"', amount: str = "100", name: str = '"M2"') -> str:
    return (
        '{"action":"BET","bets":[{"market_id":' + name + ',"side":' + side + ","
        '"amount":' + amount + "}]}"
    )


def failure_of(words: str) -> str | None:
    with started({ADA: said(words)}) as game:
        assert game.seat(ADA).cash_micro == 10_000_000_000
        return turn(game).failure


def test_d11_a_side_in_small_letters_is_stored_as_the_side() -> None:
    with started({ADA: said(one_bet('"yes"'))}) as game:
        assert [f.side for f in fills(game)] == [YES]


def test_d12_a_side_that_a_claim_does_not_have_is_refused() -> None:
    failure = failure_of(one_bet('"MAYBE"'))
    assert failure == "unreadable reply: bet 1: side is YES or NO, not 'MAYBE'"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        pytest.param(one_bet("null"), "side is YES or NO", id="D13-no-side"),
        pytest.param('{"action": "BET", ', "breaks off", id="D13-bad-JSON"),
        pytest.param(one_bet(name='"M9"'), "'M9' is not on offer", id="D17-no-such-market"),
    ],
)
def test_d13_d17_a_reply_that_cannot_be_read_is_a_failure(words: str, why: str) -> None:
    assert why in (failure_of(words) or "")


def test_d1_a_buy_through_a_whole_tick() -> None:
    script = {1: buys((RAIN, YES, 100))}
    with started({ADA: script}, quotes=[at_price("0.4")]) as game:
        (held,) = game.held(ADA)
        line = game.standing(ADA)
        assert [held.shares, line.cash, line.total] == [250, 9900, 10000]


def test_d6_a_batch_above_the_cap_leaves_no_row_and_all_the_cash() -> None:
    script = {1: buys((RAIN, YES, 1500), (SNOW, YES, 1500))}
    with playing({ADA: script}) as game:
        report = game.tick(0)
        assert (report.fills, report.refused) == (0, 2)
        assert game.standing(ADA).cash == usd(10000)
        assert "3000.000000 is more than 2500.000000" in turn(game).refused[0].detail


def test_d20_through_whole_ticks() -> None:
    script = {1: buys((RAIN, YES, 500)), 2: sells((RAIN, YES, 40))}
    with started({ADA: script}, spec(COHORT, days=2)) as game:
        game.quote(at_price("0.75"))
        game.tick(24)
        assert (turn(game, 1).accepted, turn(game, 2).accepted) == (1, 1)
        line = game.standing(ADA)
        assert (line.cash, line.realised) == (usd(9800), usd(100))


def test_h9_where_everybody_fails_the_report_says_so_of_everybody() -> None:
    with playing({ADA: {1: ValueError("no credit")}, BEN: said("")}) as game:
        report = game.tick(0)
        assert (report.turns, report.failed_turns) == (
            2,
            ((ADA, "agent crashed: ValueError"), (BEN, "unreadable reply: the reply is empty")),
        )


def test_h9_one_who_fails_does_not_stop_the_others() -> None:
    with playing({ADA: {1: ValueError("no")}, BEN: {1: buys((RAIN, YES, 100))}}) as game:
        report = game.tick(0)
        assert (report.fills, [who for who, _ in report.failed_turns]) == (1, [ADA])


def test_a_crash_in_words_that_cannot_be_written_is_a_failure_like_any() -> None:
    with playing({ADA: {1: ValueError("\ud800")}, BEN: {}}) as game:
        assert game.tick(0).failed_turns == ((ADA, "agent crashed: ValueError"),)


def test_a_failed_turn_is_never_a_hold() -> None:
    with started({ADA: said("{}")}) as game:
        seat = game.seat(ADA)
        assert (turn(game).action, seat.turns_ok, seat.turns_failed) == (None, 0, 1)


def test_a_call_that_went_wrong_is_a_failure_with_its_reason() -> None:
    answer = Answer(Completion(None, trouble=Trouble.QUOTA, detail="top up"))
    with playing({ADA: {1: answer}}) as game:
        assert game.tick(0).failed_turns == ((ADA, "quota exhausted: top up"),)


def billed(tokens_in: int, tokens_out: int, cost: str | None) -> Answer:
    usage = Usage(tokens_in, tokens_out, None if cost is None else usd(cost))
    return Answer(Completion('{"action":"HOLD"}', usage=usage))


def test_h11_the_cost_of_a_turn_is_in_the_tally() -> None:
    with started({ADA: {1: billed(60_000, 2_000, "0.36")}}) as game:
        line = game.standing(ADA)
        assert (line.tokens, line.cost) == (62_000, usd("0.36"))


def test_h12_ours_sums_the_tokens_of_every_answer() -> None:
    script = {1: billed(1_000, 500, "0.02"), 2: billed(1_100, 50, "0.007")}
    with started({ADA: script}, spec(COHORT, days=2)) as game:
        game.tick(24)
        seat = game.seat(ADA)
        assert (seat.tokens_in, seat.tokens_out) == (2_100, 550)
        assert game.standing(ADA).cost == usd("0.027")


def test_a_cost_that_nobody_stated_is_unknown_and_not_0() -> None:
    with started({ADA: {1: billed(1_000, 500, None)}}) as game:
        assert game.standing(ADA).cost is None


def test_a_market_of_a_round_is_traded_at_the_quote_of_the_round() -> None:
    agreed = spec(COHORT, rules=replace(PEERS, fill=FillRule.ASK))
    script = {1: buys((RAIN, NO, 62))}
    with started({ADA: script}, agreed, quotes=[quote("0.38", "0.40")]) as game:
        (fill,) = fills(game)
        assert (fill.shares, fill.spoken) == (shares(100), price("0.39"))


def test_a_fee_of_the_venue_is_charged_on_top() -> None:
    agreed = spec(COHORT, rules=replace(OURS, min_bet=usd(1)))
    with playing({ADA: {1: buys((RAIN, YES, 100))}}, agreed) as game:
        game.venue.listed = [market(fee=FeeModel(FeeKind.NOTIONAL, Decimal("0.02")))]
        game.tick(0)
        line = game.standing(ADA)
        assert (line.cash, line.fees, line.pnl) == (usd(9898), usd(2), usd(-2))


def test_a_stale_quote_is_not_traded_on() -> None:
    with playing({ADA: {1: buys((RAIN, YES, 100))}}) as game:
        game.venue.lag = 2 * game.specs[0].rules.max_quote_age
        game.tick(0)
        assert [r.reason for r in turn(game).refused] == ["the quote is too old"]


def test_forecasts_are_kept_whether_anything_is_bet_or_not() -> None:
    with started({ADA: {1: Says(forecasts={RAIN: 0.7, SNOW: 0.1})}}) as game:
        assert {f.market: f.probability for f in turn(game).forecasts} == {RAIN: 0.7, SNOW: 0.1}


def test_a_bet_and_its_forecast_are_kept_together() -> None:
    with started({ADA: {1: buys((RAIN, YES, 100), rain=0.7)}}) as game:
        (fill,) = fills(game)
        assert fill.stated == pytest.approx(0.7)


def test_what_is_held_can_be_sold_when_it_is_offered_no_more() -> None:
    script = {1: buys((RAIN, YES, 100)), 2: sells((RAIN, YES, 100))}
    with started({ADA: script}, spec(COHORT, days=2)) as game:
        game.venue.listed = [market(SNOW)]
        assert game.tick(24).sales == 1


def test_what_is_held_cannot_be_added_to_when_it_is_offered_no_more() -> None:
    script = {1: buys((RAIN, YES, 100)), 2: buys((RAIN, YES, 100))}
    with started({ADA: script}, spec(COHORT, days=2)) as game:
        game.venue.listed = [market(SNOW)]
        game.tick(24)
        assert [r.reason for r in turn(game, 2).refused] == ["the market is not on offer"]


def test_nobody_can_sell_what_another_holds() -> None:
    ada: Script = {1: buys((RAIN, YES, 100))}
    ben: Script = {2: sells((RAIN, YES, 100))}
    with started({ADA: ada, BEN: ben}, spec(COHORT, (ADA, BEN), days=2)) as game:
        assert (game.tick(24).sales, game.standing(ADA).open) == (0, 1)


def test_a_smallest_bet_is_judged_by_the_rules_of_the_cohort() -> None:
    script = {1: buys((RAIN, YES, 1))}
    with playing({ADA: script, BEN: script}, spec("a", rules=PENNIES), spec("b", (BEN,))) as g:
        report = g.tick(0)
        assert (report.fills, report.refused) == (1, 1)


def test_an_oversized_sale_hidden_behind_a_negative_one_is_refused() -> None:
    script = {1: buys((RAIN, YES, 100)), 2: sells((RAIN, YES, 120), (RAIN, YES, -50))}
    with started({ADA: script}, spec(COHORT, days=2)) as game:
        report = game.tick(24)
        assert (report.sales, report.refused) == (0, 1)


def test_a_contestant_that_is_not_configured_any_more_is_withdrawn_and_did_not_fail() -> None:
    with started({ADA: {}, BEN: {}}, spec(COHORT, (ADA, BEN), days=3)) as game:
        everybody, game.agents = game.agents, {BEN: game.agents[BEN]}
        report = game.tick(24)
        assert (report.failed_turns, report.turns) == ((), 1)
        (note,) = report.notes
        assert note.startswith("contestant ada is withdrawn: it is not in the configuration")
        game.agents = everybody
        assert game.tick(48).turns == 2
        seat = game.seat(ADA)
        assert (seat.turns_ok, seat.turns_failed, seat.cost_unknown) == (2, 0, 0)
        failed = [one.failed for one in SqliteConduct(game.store.db).totals()]
        assert failed == [0, 0]
        assert [one.turns for one in SqliteConduct(game.store.db).totals()] == [2, 3]
        assert Showcase(game.store.db).failures_of(ADA, 9) == []
        assert audit(game.store.db).findings == ()
        journal = [e.event for e in game.entries if e.contestant == ADA]
        said = [e.failure for e in journal if isinstance(e, Turn)]
        assert said == [None, "withdrawn: it is not configured any more", None]
