"""Under `fill: book`, stakes on one claim walk down the book together."""

from dataclasses import replace

from arena.ledger.order_limits import judge
from arena.records.cohort import FillRule
from arena.records.decision import Bet
from arena.records.market import Level, Quote, Side
from arena.records.money import price, shares, usd
from tests.build import PEERS, RAIN, T0, bet, deciding, desk, position, sale

BOOK = replace(PEERS, fill=FillRule.BOOK)
DEPTH = Quote(
    RAIN,
    price("0.38"),
    price("0.4"),
    T0,
    bids=(Level(price("0.38"), shares(100)), Level(price("0.2"), shares(1000))),
    asks=(Level(price("0.4"), shares(1000)), Level(price("0.6"), shares(1000))),
)


def bought(*bets: Bet) -> list[str]:
    found = judge(deciding(*bets), desk(DEPTH, rules=BOOK))
    assert not found.rejections
    return [str(fill.shares) for fill in found.fills]


def test_a_stake_in_two_parts_buys_what_it_buys_in_one() -> None:
    (whole,) = bought(bet(800))
    parts = bought(bet(400, n=1), bet(400, n=2))
    assert whole == "1666.666666"
    assert parts == ["833.333333", "833.333333"]


def test_the_other_side_walks_a_book_of_its_own() -> None:
    alone = bought(bet(50, Side.NO))
    beside = bought(bet(50, Side.NO, n=1), bet(800, n=2))
    assert beside[0] == alone[0]


def test_a_sale_in_two_parts_brings_what_it_brings_in_one() -> None:
    held = position(200, 80)

    def proceeds(*percents: int) -> list[str]:
        orders = [sale(percent, n=n) for n, percent in enumerate(percents, 1)]
        found = judge(deciding(*orders), desk(DEPTH, held=(held,), rules=BOOK))
        return [str(sold.proceeds) for sold in found.sales]

    assert proceeds(100) == [str(usd("58.000000"))]
    assert proceeds(50, 50) == ["29.000000", "29.000000"]


def test_a_bet_records_how_deep_it_went_and_what_that_cost() -> None:
    (fill,) = judge(deciding(bet(800)), desk(DEPTH, rules=BOOK)).fills
    assert (fill.levels, fill.best) == (2, price("0.4"))
    assert fill.slippage == usd("133.333334")  # 800 for what the best price sells at 666.67


def test_a_sale_records_how_deep_it_went_and_what_that_cost() -> None:
    orders = deciding(sale(100))
    (sold,) = judge(orders, desk(DEPTH, held=(position(200, 80),), rules=BOOK)).sales
    assert (sold.levels, sold.best, sold.slippage) == (2, price("0.38"), usd(18))


def test_a_bet_at_the_quoted_price_has_walked_nothing() -> None:
    (fill,) = judge(deciding(bet(400)), desk(DEPTH, rules=PEERS)).fills
    assert (fill.levels, fill.best, fill.slippage) == (0, None, None)
