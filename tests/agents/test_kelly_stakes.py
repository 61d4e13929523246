from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.agents.derived import kelly_stakes
from arena.ledger.order_limits import DecisionDesk, Tradable, judge
from arena.records.answer import Briefing, Holding, Offer
from arena.records.cohort import FeeRule, FillRule, Rules
from arena.records.decision import Action, Bet, BetId, Decision
from arena.records.market import FeeKind, FeeModel, MarketId, Side
from arena.records.money import price, shares, usd
from tests.agents.briefings import briefing, market, offer

FEE = FeeModel(FeeKind.QUADRATIC, Decimal("0.07"))


def stakes(shown: Briefing, fraction: float = 1.0, **beliefs: float) -> list[tuple[str, str]]:
    legs = kelly_stakes(shown, beliefs, fraction)
    return [(f"{alias} {side}", f"{stake:.2f}") for alias, side, stake in legs]


def test_a_quarter_of_kelly_on_yes_at_the_ask() -> None:
    # ask 0.40, belief 0.46: (0.46 - 0.40) / 0.60 = 10 % of 10,000, and a quarter of that
    assert stakes(briefing([offer("M1")]), 0.25, M1=0.46) == [("M1 YES", "250.00")]


def test_no_is_bought_at_the_complement_of_the_bid() -> None:
    # bid 0.38: NO costs 0.62, belief in NO 0.70: 0.08 / 0.38 of 10,000
    assert stakes(briefing([offer("M1")]), M1=0.30) == [("M1 NO", "2105.26")]


def test_inside_the_spread_nothing_is_worth_it() -> None:
    assert stakes(briefing([offer("M1")]), M1=0.39) == []
    assert stakes(briefing([offer("M1")]), M1=0.40) == []


def test_where_the_rules_fill_in_the_middle_that_is_the_price() -> None:
    shown = briefing([offer("M1")], rules=Rules(fill=FillRule.MID))
    # mid 0.39: (0.45 - 0.39) / 0.61 and, for NO, (0.65 - 0.61) / 0.39 of 10,000
    assert stakes(shown, M1=0.45) == [("M1 YES", "983.60")]
    assert stakes(shown, M1=0.35) == [("M1 NO", "1025.64")]


def test_the_fee_is_part_of_the_price() -> None:
    dear = replace(market("m"), fee=FEE)
    shown = briefing([offer("M1", dear)])
    # 0.07 x 0.4 x 0.6 = 0.0168 a share: (0.46 - 0.4168) / 0.5832
    assert stakes(shown, M1=0.46) == [("M1 YES", "740.74")]
    free = replace(shown, rules=Rules(fees=FeeRule.NONE))
    assert stakes(free, M1=0.46) == [("M1 YES", "1000.00")]


def test_together_the_stakes_shrink_to_the_largest_bet() -> None:
    shown = briefing([offer("M1"), offer("M2")])
    assert stakes(shown, M1=1.0, M2=0.7) == [("M1 YES", "1666.66"), ("M2 YES", "833.33")]


def test_a_stake_below_the_smallest_is_not_made() -> None:
    shown = briefing([offer("M1"), offer("M2")])
    assert stakes(shown, 0.01, M1=0.6, M2=1.0) == [("M2 YES", "100.00")]


def test_a_market_without_a_belief_or_with_a_holding_is_passed_over() -> None:
    held = Holding("M1", MarketId("id-of-M1"), "?", Side.YES, shares(1), usd(1), price("0.4"))
    shown = briefing([offer("M1"), offer("M2")], holdings=[held])
    assert stakes(shown, M1=0.9) == []


@pytest.mark.parametrize(
    ("bid", "ask"),
    [(None, "0.4"), ("0.4", None), ("0.5", "0.4"), ("0.1", "0.9"), ("0", "0"), ("1", "1")],
    ids=["no bid", "no ask", "crossed", "wide", "worthless", "certain"],
)
def test_a_quote_that_does_not_trade_is_passed_over(bid: str | None, ask: str | None) -> None:
    shown = briefing([offer("M1", bid=bid, ask=ask)])
    assert stakes(shown, M1=1.0) == stakes(shown, M1=0.0) == []


def test_a_stale_quote_is_passed_over() -> None:
    shown = briefing([offer("M1")])
    later = replace(shown, at=shown.at + timedelta(hours=2))
    assert stakes(later, M1=0.9) == []


def desk(shown: Briefing) -> DecisionDesk:
    markets = {o.market.id: Tradable(o.market, o.quote) for o in shown.offers}
    return DecisionDesk(shown.round, shown.at, shown.cash, markets, {}, shown.rules)


books = st.tuples(st.integers(0, 1000), st.integers(0, 30), st.floats(0, 1))


@settings(deadline=None)
@given(
    st.lists(books, max_size=12),
    st.integers(0, 10**10),
    st.sampled_from(["0.05", "0.25", "1"]),
    st.sampled_from([FillRule.ASK, FillRule.MID]),
    st.sampled_from([FEE, FeeModel(FeeKind.NOTIONAL, Decimal("0.02")), FeeModel()]),
)
def test_the_rules_take_every_stake(
    quoted: list[tuple[int, int, float]], cash: int, most: str, fill: FillRule, fee: FeeModel
) -> None:
    rules = Rules(max_bet_fraction=Decimal(most), fill=fill)
    offers: list[Offer] = []
    for n, (bid, spread, _) in enumerate(quoted):
        ask = Decimal(min(bid + spread, 1000)) / 1000
        known = replace(market(f"m{n}"), fee=fee)
        offers.append(offer(f"M{n}", known, bid=str(Decimal(bid) / 1000), ask=str(ask)))
    dollars = Decimal(cash).scaleb(-6)
    shown = briefing(offers, cash=str(dollars), rules=rules)
    table = desk(shown)
    shown = replace(shown, cap=table.cap, floor=table.floor)
    beliefs = {f"M{n}": belief for n, (_, _, belief) in enumerate(quoted)}
    markets = {o.alias: o.market.id for o in offers}
    bets = tuple(
        Bet(BetId(alias), markets[alias], side, stake)
        for alias, side, stake in kelly_stakes(shown, beliefs, 1.0)
    )
    found = judge(Decision(Action.BET, bets=bets), table)
    assert found.rejections == ()
    assert len(found.fills) == len(bets)
