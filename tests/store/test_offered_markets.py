from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import numpy as np
import pytest

from arena.metrics.shadow import OfferedMarket
from arena.odds import Flags
from arena.odds.edge import GateReason
from arena.records.cohort import CohortId, FeeRule, FillRule, Rules
from arena.records.decision import Action
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    FeeKind,
    FeeModel,
    Outcome,
    Side,
    State,
)
from arena.records.money import price
from arena.scoring.bets.clv import Exclusion
from arena.scoring.bets.shadow import replay_own
from arena.store.scores.evidence import SqliteEvidence
from arena.store.scores.offered_markets import SqliteLines
from tests.build import ADA, BEN, HAIL, NO_FEE, RAIN, SNOW, at, market, quote, spec
from tests.stage import Game, Says, Script, buys, playing, sells, started

FEE = FeeModel(FeeKind.QUADRATIC, Decimal("0.07"))
AS_BOUGHT = Rules(fill=FillRule.ASK, fees=FeeRule.VENUE)
HALF = Outcome(price("0.5"))
MICRO = 2e-6


def offered(game: Game, cohort: str | None = None) -> OfferedMarket:
    return SqliteLines(game.store.db).offered(None if cohort is None else CohortId(cohort))


def with_rain(game: Game) -> tuple[OfferedMarket, Flags]:
    """What was offered, and which lines are of rain."""
    found = offered(game)
    return found, found.lines.market == found.markets.index(RAIN)


def ledger(game: Game, who: str) -> float:
    """Realised P/L less fees, of all cohorts of a contestant."""
    sql = "SELECT sum(realised_micro - fees_micro) FROM seats WHERE contestant = ?"
    return float(game.store.db.value(sql, who)) / 1e6


def own_profit(found: OfferedMarket, who: str) -> float:
    placed = found.placed[who]
    book = replay_own(placed.lots, placed.of_lot, capital=placed.capital)
    assert book.open == 0
    return book.profit


def says(rain: float) -> Says:
    """Hold, and say how likely rain is."""
    return Says(Action.HOLD, forecasts={RAIN: rain})


@contextmanager
def season(*, selling: bool = False, rules: Rules = AS_BOUGHT) -> Iterator[Game]:
    """Three rounds with spreads and fees; then YES, a half and void."""
    first = buys((RAIN, Side.YES, 500), (SNOW, Side.NO, 333), rain=0.7, snow=0.2, hail=0.4)
    second = sells((RAIN, Side.YES, 37)) if selling else buys((RAIN, Side.YES, 77), rain=0.8)
    third = buys((HAIL, Side.NO, 123), (RAIN, Side.YES, 61), hail=0.1, rain=0.9)
    scripts = {ADA: {1: first, 2: second, 3: third}, BEN: {1: Says(Action.HOLD)}}
    agreed = spec("c", (ADA, BEN), rules, days=3)
    with playing(scripts, agreed) as game:
        game.venue.listed = [market(RAIN, FEE), market(SNOW, FEE), market(HAIL, FEE)]
        for hours, mid in ((0, "0.40"), (24, "0.55"), (48, "0.63")):
            bid, ask = str(Decimal(mid) - Decimal("0.01")), str(Decimal(mid) + Decimal("0.01"))
            game.quote(*(quote(bid, ask, name=name) for name in (RAIN, SNOW, HAIL)))
            game.tick(hours)
        for name, word in ((RAIN, YES_WINS), (SNOW, HALF), (HAIL, VOIDED)):
            game.say(name, word)
        game.tick(72)
        yield game


@pytest.mark.parametrize("selling", [False, True])
@pytest.mark.parametrize("fill", [FillRule.ASK, FillRule.MID])
def test_own_bets_make_what_the_ledger_says(fill: FillRule, *, selling: bool) -> None:
    with season(selling=selling, rules=replace(AS_BOUGHT, fill=fill)) as game:
        profit = own_profit(offered(game), ADA)
        assert profit == pytest.approx(ledger(game, ADA), abs=MICRO)
        assert profit != 0


def test_a_ledger_with_sales_reversals_and_voids_is_met_too(game: Game) -> None:
    found = offered(game)
    for who in (ADA, BEN):
        assert own_profit(found, who) == pytest.approx(ledger(game, who), abs=MICRO)


def test_a_sale_ends_its_part_of_a_bet_at_its_own_price_and_moment() -> None:
    with season(selling=True) as game:
        placed = offered(game).placed[ADA]
        assert (len(placed.fills), len(placed.lots), placed.sold.sum()) == (4, 5, 1)
        assert placed.lots.payout[placed.sold] == pytest.approx(0.54)
        assert placed.lots.settled[placed.sold] == np.datetime64("2026-01-06T00:00")
        first = placed.fills.event == placed.fills.event[0]
        assert placed.of_lot.stake.sum() == pytest.approx(placed.of_fill.stake.sum())
        assert placed.of_lot.stake[placed.sold] == pytest.approx(500 * 0.37)
        assert first.sum() == 2


def test_what_is_held_may_be_sold_in_a_round_that_does_not_offer_it() -> None:
    script = {1: buys((RAIN, Side.YES, 100)), 2: sells((RAIN, Side.YES, 50))}
    with started({ADA: script}, spec(days=2)) as game:
        game.venue.listed = [market(SNOW)]
        game.tick(24)
        found, rain = with_rain(game)
        assert rain.sum() == 1
        assert found.placed[ADA].sold.sum() == 1


def test_a_line_has_the_book_of_its_round_and_the_fee_of_the_ledger() -> None:
    with season() as game:
        found, rain = with_rain(game)
        lines = found.lines
        assert len(lines) == 9
        assert lines.bid[rain].tolist() == pytest.approx([0.39, 0.54, 0.62])
        assert lines.ask[rain].tolist() == pytest.approx([0.41, 0.56, 0.64])
        assert lines.fair[rain].tolist() == pytest.approx([0.40, 0.55, 0.63])
        assert lines.fee_yes[rain][0] == pytest.approx(0.07 * 0.41 * 0.59)
        assert lines.fee_no[rain][0] == pytest.approx(0.07 * 0.61 * 0.39)
        (fill,) = game.store.db.rows("SELECT * FROM fills WHERE market = ? AND round = 1", RAIN)
        charged = fill["fee_micro"] / fill["shares_micro"]
        assert lines.fee_yes[rain][0] == pytest.approx(charged, abs=1e-6)


def test_outcomes_are_paid_when_the_books_say() -> None:
    with season() as game:
        found = offered(game)
        paid = dict(zip(found.lines.market.tolist(), found.lines.payout.tolist(), strict=True))
        by_name = {found.markets[code]: payout for code, payout in paid.items()}
        assert (by_name[RAIN], by_name[SNOW]) == (1.0, 0.5)
        assert np.isnan(by_name[HAIL])
        assert (found.lines.settled == np.datetime64(at(72).replace(tzinfo=None))).all()


@pytest.mark.parametrize(
    ("bid", "ask"), [("0.30", "0.50"), ("0.45", "0.41"), ("0.40", None), (None, None)]
)
def test_what_the_rules_would_not_trade_has_no_price(bid: str | None, ask: str | None) -> None:
    with playing({ADA: {1: says(0.9)}}) as game:
        game.quote(quote(bid, ask))
        game.tick(0)
        found, rain = with_rain(game)
        assert np.isnan([*found.lines.bid[rain], *found.lines.ask[rain]]).all()
        assert not np.isnan(found.lines.bid[~rain]).any()


def test_a_stale_quote_has_no_price_and_is_held_back_by_the_gate() -> None:
    with playing({ADA: {1: says(0.9)}}) as game:
        game.venue.lag = timedelta(hours=5)
        game.tick(0)
        found = offered(game)
        assert np.isnan(found.lines.ask).all()
        assert found.gate.held.all()
        assert found.gate.fired == {GateReason.LIQUIDITY_PINNACLE_STALE: 3}
        assert found.gate.abstained[GateReason.NAMED_EVENT_6H] == 3


def test_the_gate_sees_a_jump_of_the_last_half_hour() -> None:
    with started({ADA: {1: says(0.9), 2: says(0.9)}}, spec(days=2)) as game:
        game.tick(23.5)
        game.quote(quote("0.54", "0.56"))
        game.tick(24)
        assert offered(game).gate.fired == {GateReason.PRICE_DISCOVERY_INTRA_BOOK: 1}


def test_fills_at_the_middle_are_offered_there() -> None:
    with playing({ADA: {1: says(0.9)}}) as game:
        game.quote(quote("0.38", "0.42"))
        game.tick(0)
        found, rain = with_rain(game)
        assert [*found.lines.bid[rain], *found.lines.ask[rain]] == pytest.approx([0.4, 0.4])
        assert (found.lines.fee_yes == 0).all()


def test_cohorts_that_overlap_share_their_lines_and_keep_their_capital() -> None:
    script: Script = {1: lambda b: says(0.6 if b.cohort == "a" else 0.9).words(b)}
    both = (spec("a", (ADA,)), spec("b", (ADA, BEN)))
    with started({ADA: script, BEN: script}, *both) as game:
        whole, rain = with_rain(game)
        assert len(whole.lines) == 3
        assert whole.forecasts[ADA][rain].tolist() == [0.6]
        assert whole.forecasts[BEN][rain].tolist() == [0.9]
        assert whole.repeated == {ADA: 1}
        assert whole.capital == {ADA: 20_000, BEN: 10_000}
        alone = offered(game, "b")
        assert alone.forecasts[ADA][rain].tolist() == [0.9]
        assert alone.capital[ADA] == 10_000


def test_nothing_said_of_a_line_is_nan() -> None:
    with season() as game:
        found = offered(game)
        assert (~np.isnan(found.forecasts[ADA])).sum() == 6
        assert BEN not in found.forecasts


def test_a_close_is_the_one_that_scores_are_measured_by() -> None:
    with season() as game:
        found = offered(game)
        scored = SqliteEvidence(game.store.db).forecasts()
        ends = dict(zip(found.lines.market.tolist(), found.lines.close.tolist(), strict=True))
        for code, close in zip(scored.market.codes, scored.close_p, strict=True):
            name = scored.market.names[code]
            assert ends[found.markets.index(name)] == close
        assert found.close_bid == pytest.approx(found.lines.close - 0.01)
        assert found.close_ask == pytest.approx(found.lines.close + 0.01)


def test_a_market_that_stopped_trading_has_a_close_before_its_outcome() -> None:
    bets = buys((RAIN, Side.YES, 100), (SNOW, Side.YES, 100), rain=0.9)
    with started({ADA: {1: bets}}) as game:
        game.quote(quote("0.60", "0.60"))
        game.tick(12)
        game.hear(RAIN, State.CLOSED_PENDING, 24)
        found = offered(game)
        placed = found.placed[ADA]
        book = replay_own(placed.fills, placed.of_fill)
        closed = book.closing_lines(placed.fills)
        assert closed.clv.tolist() == pytest.approx([0.2])
        assert closed.reasons == {Exclusion.NO_CLOSE: 1}
        assert book.open == 2


def test_an_announced_hour_closes_a_market_once_it_has_come() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 100))}}) as game:
        game.venue.listed = [replace(market(RAIN), closes_at=at(18))]
        game.tick(0)
        game.tick(12)
        assert np.isnan(offered(game).lines.close).all()
        game.tick(24)
        found, rain = with_rain(game)
        assert found.lines.close[rain] == [0.5]


def test_a_price_stays_at_its_close_and_an_open_one_goes_on() -> None:
    with started({ADA: {1: says(0.9), 2: says(0.9)}}, spec(days=3)) as game:
        game.quote(quote("0.60", "0.60"))
        game.tick(24)
        game.hear(RAIN, NO_WINS, 48)
        found = offered(game)
        rain, snow = found.markets.index(RAIN), found.markets.index(SNOW)
        assert found.paths.mids[rain].tolist() == [0.5, 0.6, 0.6]
        assert found.paths.ended[[rain, snow]].tolist() == [2, 3]
        assert found.paths.mids[snow].tolist() == [0.5, 0.5, 0.5]


def test_events_keep_their_markets_together_and_say_whether_one_alone_wins() -> None:
    with playing({ADA: {1: says(0.9)}}) as game:
        game.venue.listed = [
            replace(market(RAIN, NO_FEE, "weather"), exclusive=True),
            replace(market(SNOW, NO_FEE, "weather"), exclusive=True),
            market(HAIL, NO_FEE, ""),  # its own event
        ]
        game.tick(0)
        found = offered(game)
        names = [found.events[code] for code in found.lines.event.tolist()]
        assert sorted(names) == ["hail", "weather", "weather"]
        assert {found.events[c] for c in np.flatnonzero(found.exclusive)} == {"weather"}


def test_lines_since_a_moment_are_those_of_later_rounds_without_own_bets() -> None:
    with season() as game:
        every, late = offered(game), SqliteLines(game.store.db).offered(since=at(24))
        assert (len(every.lines), len(late.lines)) == (9, 6)
        assert late.lines.at.min() == np.datetime64(at(24).replace(tzinfo=None))
        assert late.placed == {}
        np.testing.assert_array_equal(late.forecasts[ADA], every.forecasts[ADA][3:])


def test_an_arena_without_rounds_offers_nothing() -> None:
    with playing({ADA: {}}) as game:
        found = offered(game)
        assert (len(found.lines), found.placed, found.forecasts) == (0, {}, {})
        assert found.capital == {}
