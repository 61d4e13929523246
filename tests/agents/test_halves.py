from dataclasses import replace
from decimal import Decimal

from arena.agents.prompted import halved, rejoined
from arena.records.answer import Briefing, Holding
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale
from arena.records.market import MarketId, Side
from arena.records.money import price, shares, usd
from tests.agents.briefings import briefing, offer, offering

RAIN, SNOW, FOG = MarketId("rain"), MarketId("snow"), MarketId("fog")


def held(alias: str | None, name: str = "") -> Holding:
    market = MarketId(name or f"id-of-{alias}")
    return Holding(alias, market, "?", Side.YES, shares(10), usd(5), worth=price("0.5"))


def both(shown: Briefing) -> tuple[Briefing, Briefing]:
    halves = halved(shown)
    assert halves is not None
    return halves


def aliases(shown: Briefing) -> list[str]:
    return [one.alias for one in shown.offers + shown.sell_only]


def bets(*markets: MarketId) -> Decision:
    placed = tuple(Bet(BetId(m), m, Side.YES, usd(50)) for m in markets)
    said = tuple(Forecast(m, 0.5) for m in markets)
    return Decision(Action.BET, said, placed, reasoning=f"bets {len(markets)}")


def sells(*markets: MarketId) -> Decision:
    sold = tuple(Sale(BetId(m), m, Side.YES, Decimal(50)) for m in markets)
    return Decision(Action.SELL, (), (), sold, reasoning="sells")


def test_every_market_is_in_one_half_under_its_own_alias() -> None:
    first, second = both(replace(offering("M1", "M2", "M3"), sell_only=(offer("M4"),)))
    assert aliases(first) == ["M1", "M2", "M4"]
    assert aliases(second) == ["M3"]


def test_each_half_has_half_of_the_cash_and_the_cap_and_the_same_floor() -> None:
    shown = replace(offering("M1", "M2"), cash=usd("0.000003"), cap=usd("100.000001"))
    first, second = both(shown)
    assert first.cash == second.cash == usd("0.000001")
    assert first.cap == second.cap == usd("50")
    assert first.floor == second.floor == shown.floor


def test_a_holding_goes_where_its_market_goes() -> None:
    shown = briefing([offer("M1"), offer("M2")], holdings=[held("M2"), held("M1")])
    first, second = both(shown)
    assert [h.alias for h in first.holdings] == ["M1"]
    assert [h.alias for h in second.holdings] == ["M2"]


def test_holdings_that_cannot_be_sold_are_shared_out() -> None:
    stuck = [held(None, "a"), held("H9", "b"), held(None, "c")]
    first, second = both(briefing([offer("M1"), offer("M2")], holdings=stuck))
    assert [h.market for h in first.holdings] == ["a", "b"]
    assert [h.market for h in second.holdings] == ["c"]


def test_one_market_cannot_be_halved() -> None:
    assert halved(offering("M1")) is None
    assert halved(briefing()) is None


def test_two_bets_are_one_decision() -> None:
    joined = rejoined([bets(RAIN), bets(SNOW)])
    assert joined.action is Action.BET
    assert [bet.market for bet in joined.bets] == [RAIN, SNOW]
    assert [f.market for f in joined.forecasts] == [RAIN, SNOW]
    assert joined.reasoning == "bets 1\nbets 1"


def test_a_half_that_holds_leaves_the_other_its_orders() -> None:
    hold = Decision(Action.HOLD, (Forecast(FOG, 0.1),))
    joined = rejoined([hold, bets(RAIN)])
    assert joined.action is Action.BET
    assert [f.market for f in joined.forecasts] == [FOG, RAIN]


def test_of_a_bet_and_a_sale_the_half_with_more_orders_counts() -> None:
    joined = rejoined([bets(RAIN), sells(SNOW, FOG)])
    assert (joined.action, joined.bets) == (Action.SELL, ())
    assert [sale.market for sale in joined.sales] == [SNOW, FOG]
    assert [f.market for f in joined.forecasts] == [RAIN]


def test_on_a_tie_of_a_bet_and_a_sale_the_first_half_counts() -> None:
    assert rejoined([sells(SNOW), bets(RAIN)]).action is Action.SELL


def test_of_one_half_it_is_that_half() -> None:
    assert rejoined([bets(RAIN)]) == bets(RAIN)
