from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ledger.fees import taker_fee
from arena.ledger.price import (
    NoTrade,
    PricedTrade,
    depth,
    price_buy,
    price_sale,
    trouble_with,
)
from arena.records.cohort import FeeRule, FillRule, Rules
from arena.records.decision import Refusal
from arena.records.market import FeeKind, FeeModel, Quote, Side
from arena.records.money import Price, price, shares, usd
from tests.build import DAY, at, market, quote, with_depth

ASK, MID, BOOK = (Rules(fill=rule) for rule in (FillRule.ASK, FillRule.MID, FillRule.BOOK))
SPREAD = quote("0.38", "0.40")
DEEP = with_depth([("0.38", "100"), ("0.30", "100")], [("0.40", "100"), ("0.50", "100")])
TWO_PERCENT = FeeModel(FeeKind.NOTIONAL, Decimal("0.02"))
CURVED = FeeModel(FeeKind.QUADRATIC, Decimal("0.07"))


def buy(
    stake: str | int,
    side: Side = Side.YES,
    *,
    rules: Rules = ASK,
    shown: Quote = SPREAD,
    fee: FeeModel = TWO_PERCENT,
) -> PricedTrade | NoTrade:
    return price_buy(usd(stake), side, shown, market(fee=fee), rules)


def sell(
    count: str | int,
    side: Side = Side.YES,
    *,
    rules: Rules = ASK,
    shown: Quote = SPREAD,
    fee: FeeModel = TWO_PERCENT,
) -> PricedTrade | NoTrade:
    return price_sale(shares(count), side, shown, market(fee=fee), rules)


def of(traded: PricedTrade | NoTrade) -> Price:
    assert isinstance(traded, PricedTrade)
    return traded.price


@pytest.mark.parametrize(
    ("rules", "side", "paid", "got"),
    [
        (ASK, Side.YES, "0.40", "0.38"),
        (ASK, Side.NO, "0.62", "0.60"),
        (MID, Side.YES, "0.39", "0.39"),
        (MID, Side.NO, "0.61", "0.61"),
    ],
)
def test_a_buyer_pays_and_a_seller_gets_what_the_rule_says(
    rules: Rules, side: Side, paid: str, got: str
) -> None:
    assert of(buy(62, side, rules=rules)) == price(paid)
    assert of(sell(10, side, rules=rules)) == price(got)


def test_a_quote_of_the_largest_age_and_width_can_be_traded_and_no_wider_one() -> None:
    assert trouble_with(SPREAD, replace(ASK, max_quote_age=DAY), at(24)) is None
    assert trouble_with(quote("0.30", "0.40"), ASK, at()) is None
    wide = NoTrade(Refusal.WIDE, "0.110000, at most 0.10")
    assert trouble_with(quote("0.30", "0.41"), ASK, at()) == wide


def test_shares_are_rounded_down() -> None:
    traded = buy(1, shown=quote("0.3", "0.3"), fee=FeeModel())
    assert traded == PricedTrade(price("0.3"), shares("3.333333"), usd(1), usd(0))


def test_a_small_stake_takes_the_best_level_of_the_book() -> None:
    assert of(buy(40, rules=BOOK, shown=DEEP)) == price("0.40")


def test_a_larger_stake_walks_down_the_book() -> None:
    traded = buy(65, rules=BOOK, shown=DEEP, fee=FeeModel())  # 100 at 0.40, then 50 at 0.50
    walked = (shares(150), usd(65), usd(0), 2, price("0.40"))
    assert traded == PricedTrade(price("0.433333"), *walked)


def test_no_is_bought_from_those_who_bid_for_yes() -> None:
    traded = buy(62, Side.NO, rules=BOOK, shown=DEEP, fee=FeeModel())
    assert traded == PricedTrade(price("0.62"), shares(100), usd(62), usd(0), 1, price("0.62"))


def test_a_sale_walks_down_the_bids() -> None:
    traded = sell(150, rules=BOOK, shown=DEEP, fee=FeeModel())  # 100 at 0.38, then 50 at 0.30
    walked = (shares(150), usd(53), usd(0), 2, price("0.38"))
    assert traded == PricedTrade(price("0.353333"), *walked)


def test_no_is_sold_to_those_who_offer_yes() -> None:
    assert of(sell(100, Side.NO, rules=BOOK, shown=DEEP)) == price("0.60")


@pytest.mark.parametrize("side", Side)
def test_a_book_that_is_too_thin_trades_nothing(side: Side) -> None:
    assert buy(1000, side, rules=BOOK, shown=DEEP) == NoTrade(Refusal.THIN)
    assert sell(1000, side, rules=BOOK, shown=DEEP) == NoTrade(Refusal.THIN)


def test_a_book_that_was_not_told_trades_nothing() -> None:
    assert buy(50, rules=BOOK, shown=SPREAD) == NoTrade(Refusal.THIN)


@pytest.mark.parametrize(
    ("fee", "expected"),
    [
        pytest.param(FeeModel(), "0", id="none"),
        pytest.param(TWO_PERCENT, "0.8", id="of-the-dollars"),
        pytest.param(CURVED, "1.68", id="of-the-variance"),
        pytest.param(replace(CURVED, exponent=2), "0.4032", id="of-its-square"),
        pytest.param(replace(CURVED, step=usd("0.01")), "1.68", id="whole-cents-already"),
        pytest.param(replace(CURVED, step=usd(0)), "1.68", id="a-step-of-nothing"),
        pytest.param(
            replace(CURVED, rate=Decimal("0.0701"), step=usd("0.01")),
            "1.69",
            id="up-to-the-cent",
        ),
    ],
)
def test_a_fee_follows_from_the_shares_and_their_price(fee: FeeModel, expected: str) -> None:
    assert taker_fee(fee, Decimal(100), Decimal("0.4")) == usd(expected)


def test_a_fee_that_is_not_known_is_not_nothing() -> None:
    with pytest.raises(ValueError, match="not known"):
        taker_fee(FeeModel(FeeKind.UNKNOWN), Decimal(100), Decimal("0.4"))


def test_down_a_book_each_level_is_charged_at_its_own_price() -> None:
    traded = buy(65, rules=BOOK, shown=DEEP, fee=CURVED)  # 100 at 0.40, then 50 at 0.50
    assert isinstance(traded, PricedTrade)
    assert traded.fee == usd("2.555")  # 0.07 x (100 x 0.24 + 50 x 0.25)


@pytest.mark.parametrize("rules", [ASK, BOOK], ids=["ask", "book"])
def test_an_order_smaller_than_the_venue_takes_is_refused(rules: Rules) -> None:
    small = replace(market(), min_order=shares(5))
    refused = price_buy(usd("1.99"), Side.YES, DEEP, small, rules)
    assert refused == NoTrade(Refusal.BELOW_LOT, "4.975000 shares, at least 5.000000")
    assert isinstance(price_buy(usd(2), Side.YES, DEEP, small, rules), PricedTrade)


def test_what_is_held_can_be_sold_however_little_it_is() -> None:
    small = replace(market(), min_order=shares(5))
    assert isinstance(price_sale(shares(1), Side.YES, DEEP, small, ASK), PricedTrade)


def test_a_fee_comes_on_top_of_the_stake() -> None:
    traded = buy(40)
    assert traded == PricedTrade(price("0.40"), shares(100), usd(40), usd("0.8"))


def test_a_cohort_may_charge_no_fees() -> None:
    traded = buy(40, rules=replace(ASK, fees=FeeRule.NONE))
    assert isinstance(traded, PricedTrade)
    assert traded.fee == usd(0)


def test_a_fee_that_takes_all_there_is_to_win_is_refused() -> None:
    traded = buy(50, shown=quote("0.98", "0.99"))  # 0.99 and 2 % are more than 1
    assert isinstance(traded, NoTrade)
    assert traded.reason is Refusal.NO_PRICE


def test_a_fee_on_a_sale_takes_at_most_what_it_brings() -> None:
    greedy = FeeModel(FeeKind.NOTIONAL, Decimal(2))
    traded = sell(100, fee=greedy)
    assert isinstance(traded, PricedTrade)
    assert traded.fee == traded.dollars == usd(38)


CENT = Decimal("0.01")
SIDES_OF_A_BOOK = st.lists(
    st.tuples(st.integers(1, 49), st.integers(1, 10_000)), max_size=4, unique_by=lambda x: x[0]
)


@given(SIDES_OF_A_BOOK, SIDES_OF_A_BOOK, st.sampled_from(Side))
def test_an_order_is_refused_where_it_is_larger_than_the_depth_and_only_there(
    bids: list[tuple[int, int]], asks: list[tuple[int, int]], side: Side
) -> None:
    shown = with_depth(
        [(str(cents * CENT), str(n)) for cents, n in sorted(bids, reverse=True)],
        [(str((cents + 50) * CENT), str(n)) for cents, n in sorted(asks)],
    )
    dollars, wanted = depth(shown, side)
    thin = NoTrade(Refusal.THIN)
    free = FeeModel()
    if dollars:
        assert buy(str(dollars), side, rules=BOOK, shown=shown, fee=free) != thin
    assert buy(str(dollars + CENT), side, rules=BOOK, shown=shown, fee=free) == thin
    if wanted:
        assert sell(str(wanted), side, rules=BOOK, shown=shown, fee=free) != thin
    assert sell(str(wanted + CENT), side, rules=BOOK, shown=shown, fee=free) == thin


def test_a_purchase_that_wins_back_what_it_costs_and_no_more_is_refused() -> None:
    quarter = FeeModel(FeeKind.NOTIONAL, Decimal("0.25"))
    traded = buy(8, shown=quote("0.79", "0.80"), fee=quarter)  # 10 shares for 8 and 2
    assert traded == NoTrade(Refusal.NO_PRICE, "price 0.800000, fee 2.000000")


def test_parts_of_a_stake_are_priced_as_the_whole() -> None:
    whole = price_buy(usd(65), Side.YES, DEEP, market(fee=CURVED), BOOK)
    half = price_buy(usd("32.5"), Side.YES, DEEP, market(fee=CURVED), BOOK, beside=usd("32.5"))
    assert isinstance(whole, PricedTrade)
    assert isinstance(half, PricedTrade)
    assert (half.price, 2 * half.shares, 2 * half.fee) == (whole.price, whole.shares, whole.fee)


def test_parts_of_a_holding_are_sold_as_the_whole() -> None:
    whole = price_sale(shares(150), Side.YES, DEEP, market(fee=CURVED), BOOK)
    third = price_sale(
        shares(50), Side.YES, DEEP, market(fee=CURVED), BOOK, beside=Decimal(100)
    )
    assert isinstance(whole, PricedTrade)
    assert isinstance(third, PricedTrade)
    assert (whole.dollars, whole.price) == (usd("53"), price("0.353333"))
    assert (third.dollars, third.price) == (usd("17.666666"), whole.price)
