from dataclasses import replace
from decimal import Decimal

import pytest

from arena.ledger.journal import book_fill, fund
from arena.ledger.order_limits import Judgement, judge
from arena.ledger.positions import LedgerError, balances, bought, moved, sold
from arena.records.cohort import FillRule
from arena.records.decision import BetId
from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, Side
from arena.records.money import price, shares, usd
from arena.records.trade import Book, Fill, Position, PositionState, SoldFill
from tests.build import (
    ADA,
    COHORT,
    PENNIES,
    RAIN,
    T0,
    Books,
    at_price,
    bet,
    deciding,
    desk,
    position,
    quote,
    sale,
)

SEAT = (COHORT, ADA)
HALF = Outcome(price("0.5"))


def fill(count: str | int, cost: str | int, n: int = 1) -> Fill:
    return Fill(
        bet=BetId(f"c/1/ada/{n}"),
        round=1,
        market=RAIN,
        side=Side.YES,
        shares=shares(count),
        price=price(Decimal(str(cost)) / Decimal(str(count))),
        cost=usd(cost),
        fee=usd(0),
        cap=usd(2500),
        base=usd(10000),
        confidence=0.5,
        linear=0.5,
        kelly=0.5,
        stated=None,
        spoken=None,
    )


def exit_of(count: str | int, basis: str | int, proceeds: str | int) -> SoldFill:
    at_which = price(Decimal(str(proceeds)) / Decimal(str(count)))
    amounts = (shares(count), at_which, usd(proceeds), usd(basis), usd(0))
    return SoldFill(BetId("c/2/ada/1"), 2, RAIN, Side.YES, *amounts)


def bought_at(stake: str | int, of_yes: str, side: Side = Side.YES) -> Books:
    books = Books(PENNIES)
    books.decide(deciding(bet(stake, side)), at_price(of_yes))
    return books


def judge_sale(held: Position, percent: str, of_yes: str) -> Judgement:
    return judge(deciding(sale(percent)), desk(at_price(of_yes), held=[held]))


def test_c6_a_sale_realises_proceeds_less_their_cost() -> None:
    assert sold(position(200, 100), exit_of(200, 100, 120)).realised == usd(20)


def test_c16_a_partial_sale_takes_its_share_of_the_cost() -> None:
    books = bought_at(600, "0.6")
    books.decide(deciding(sale(40)), at_price("0.75"))
    assert books.held == (replace(position(600, 360), proceeds=usd(300), realised=usd(60)),)


WON, LOST = PositionState.WON, PositionState.LOST


@pytest.mark.parametrize(
    ("stake", "of_yes", "outcome", "expected"),
    [
        pytest.param(25, "0.5", YES_WINS, (WON, "50", "25"), id="C4-C5-yes"),
        pytest.param(25, "0.5", NO_WINS, (LOST, "0", "-25"), id="C4-C5-no"),
        pytest.param(500, "0.4", YES_WINS, (WON, "1250", "750"), id="C15-D1"),
        pytest.param(600, "0.6", YES_WINS, (WON, "1000", "400"), id="C17-wins"),
        pytest.param(600, "0.6", NO_WINS, (LOST, "0", "-600"), id="C17-loses"),
        pytest.param("0.9", "0.45", VOIDED, (PositionState.CANCELLED, "0.9", "0"), id="E10"),
        pytest.param(1, "0.25", YES_WINS, (WON, "4", "3"), id="E11-won"),
        pytest.param(5, "0.5", YES_WINS, (WON, "10", "5"), id="F1"),
        pytest.param(1, "0.25", HALF, (PositionState.PAID, "2", "1"), id="fraction"),
    ],
)
def test_a_settled_position_is_paid_into_cash_and_says_what_became_of_it(
    stake: str | int, of_yes: str, outcome: Outcome, expected: tuple[PositionState, str, str]
) -> None:
    books = Books(replace(PENNIES, min_bet=usd("0.1")))
    books.decide(deciding(bet(stake)), at_price(of_yes))
    books.settle(outcome)
    (done,) = books.positions
    state, proceeds, realised = expected
    assert (done.state, done.proceeds, done.realised) == (state, usd(proceeds), usd(realised))
    assert (books.realised, books.open_cost) == (usd(realised), usd(0))
    assert books.cash == 10_000 + usd(realised)


def test_c18_a_void_returns_the_cost_of_what_is_still_held() -> None:
    books = bought_at(600, "0.6")
    books.decide(deciding(sale(40)), at_price("0.75"))
    before = books.cash
    books.settle(VOIDED)
    assert books.cash - before == usd(360)


def test_d1_d2_a_buy_turns_cash_into_shares_at_cost() -> None:
    books = bought_at(100, "0.4")
    assert [books.held[0].shares, books.cash, books.open_cost] == [250, 9900, 100]
    assert books.total(at_price("0.4")) == usd(10000)


def test_d3_a_partial_sale_at_the_price_paid() -> None:
    books = bought_at(100, "0.6")
    (traded,) = books.decide(deciding(sale(40)), at_price("0.6")).sales
    assert abs(traded.proceeds - 40) < Decimal("0.00001")
    assert abs(books.held[0].shares - 100) < Decimal("0.00001")
    assert abs(books.total(at_price("0.6")) - 10000) < Decimal("0.00001")


def test_d4_a_full_sale_leaves_nothing_open() -> None:
    books = bought_at(100, "0.5")
    books.decide(deciding(sale(100)), at_price("0.5"))
    (closed,) = books.positions
    assert (closed.shares, closed.cost, closed.average) == (shares(0), usd(0), None)
    assert closed.state is PositionState.EXITED


def test_d5_a_sale_of_half_brings_half_the_shares_at_the_price() -> None:
    books = bought_at(50, "0.5")  # 100 shares
    (traded,) = books.decide(deciding(sale(50)), at_price("0.4")).sales
    assert traded.proceeds == usd(20)


def test_d16_three_buys_are_one_position_at_average_cost() -> None:
    books = bought_at(100, "0.4")
    books.decide(deciding(bet(100)), at_price("0.8"))
    books.decide(deciding(bet(1)), at_price("0.4"))
    (held,) = books.held
    assert (held.shares, held.cost) == (shares("377.5"), usd(201))
    assert held.average == pytest.approx(Decimal("0.53245"), abs=Decimal("0.00001"))
    assert books.total(at_price("0.8")) - books.cash == usd(302)  # ours values it at the market


def test_d20_buy_sell_some_and_win() -> None:
    books = bought_at(500, "0.5")
    books.decide(deciding(sale(40)), at_price("0.75"))
    assert [books.cash, books.held[0].shares, books.held[0].cost] == [9800, 600, 300]
    books.settle(YES_WINS)
    assert (books.cash, books.positions[0].realised) == (usd(10400), usd(400))


def test_e1_buys_add_up() -> None:
    held = bought(bought(None, fill(10, 4), SEAT), fill(5, 4, n=2), SEAT)
    assert held.shares == 15
    assert held.average == pytest.approx(Decimal("0.533333"), abs=Decimal("0.000001"))


def test_e2_a_reduction_takes_its_share_of_the_cost() -> None:
    held = position(15, 8)
    (part,) = judge_sale(held, "33.333333333333333333333333", "0.5").sales
    left = sold(held, part)
    assert abs(left.shares - 10) <= Decimal("0.000001")
    assert abs(left.cost - Decimal("5.333333")) <= Decimal("0.000001")


def test_e3_what_is_left_is_worth_its_price() -> None:
    held = position(10, 5)
    (part,) = judge_sale(held, "40", "0.9").sales
    left = sold(held, part)
    assert [left.shares, left.cost, left.realised] == [6, 3, usd("1.6")]


def test_e6_what_was_sold_out_and_bought_again_is_a_new_position() -> None:
    books = bought_at(100, "0.5")
    books.decide(deciding(sale(100)), at_price("0.5"))
    books.decide(deciding(bet(100)), at_price("0.5"))
    states = [(1, PositionState.EXITED), (2, PositionState.OPEN)]
    assert [(p.number, p.state) for p in books.positions] == states


def test_e8_nothing_can_be_taken_from_nothing() -> None:
    with pytest.raises(LedgerError, match=r"sells 5\.000000 of 0\.000000 shares"):
        sold(position(0, 0), exit_of(5, 2, 3))


def test_a_sale_of_a_position_that_is_not_there_is_a_defect() -> None:
    entry = book_fill(fill(10, 4), COHORT, ADA, T0)
    with pytest.raises(LedgerError, match="not there"):
        moved(None, replace(entry, event=exit_of(5, 2, 3)))


def test_an_entry_that_moves_no_position_is_a_defect() -> None:
    with pytest.raises(LedgerError, match="moves no position"):
        moved(position(1, 1), fund(COHORT, ADA, usd(1), T0))


def test_e9_what_was_sold_out_has_exited() -> None:
    out = sold(position(5, 2), exit_of(5, 2, "3.5"))
    assert (out.proceeds, out.realised) == (usd("3.5"), usd("1.5"))
    assert out.state is PositionState.EXITED


def test_e12_ours_keeps_a_position_open_until_its_market_is_settled() -> None:
    (held,) = bought_at(100, "0.5").positions
    assert (held.state, held.proceeds) == (PositionState.OPEN, usd(0))


def test_a_no_share_is_bought_at_the_complement_of_the_bid() -> None:
    books = Books(replace(PENNIES, fill=FillRule.ASK))
    books.decide(deciding(bet(62, Side.NO)), quote("0.38", "0.40"))
    assert books.held[0].shares == shares(100)


def test_the_accounts_of_a_seat_add_up_to_nothing() -> None:
    books = bought_at(100, "0.4")
    books.settle(YES_WINS)
    kept = balances(books.entries)
    assert sum(kept.values()) == 0
    assert kept[SEAT, Book.PROFIT] == usd(-150)
