from dataclasses import replace
from decimal import Decimal

import pytest

from arena.ledger.journal import fund, reverse, settle
from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, Side
from arena.records.money import price, usd
from arena.records.trade import Account, Book, Entry, Posting, Settled, UnbalancedEntryError
from tests.build import (
    ADA,
    COHORT,
    PENNIES,
    RAIN,
    SNOW,
    T0,
    Books,
    at_price,
    bet,
    deciding,
    position,
    sale,
)

EVERYTHING = replace(PENNIES, max_bet_fraction=Decimal(1))


def broke_after_a_win() -> Books:
    """Win $20,000 on rain, put all of it on snow, and lose: the win is spent."""
    books = Books(EVERYTHING)
    books.decide(deciding(bet(10000)), at_price("0.5"))
    books.settle(YES_WINS)
    books.decide(deciding(bet(20000, name=SNOW)), at_price("0.5", SNOW))
    return books


def test_an_entry_that_does_not_add_up_cannot_exist() -> None:
    with pytest.raises(UnbalancedEntryError, match="off by 1"):
        Entry(
            "x",
            T0,
            fund(COHORT, ADA, usd(1), T0).event,
            postings=(Posting(Account(Book.CASH), usd(1)),),
        )


def test_a_settlement_is_named_by_what_it_settles_and_the_revision() -> None:
    entry = settle(position(10, 5), YES_WINS, 2, T0, owed=usd(0))
    assert entry.id == "settle:c:ada:rain:YES:2"


@pytest.mark.parametrize("outcome", [YES_WINS, NO_WINS, VOIDED, Outcome(price("0.3"))])
def test_a_reversal_puts_everything_back(outcome: Outcome) -> None:
    books = Books(PENNIES)
    books.decide(deciding(bet(100)), at_price("0.4"))
    before = (books.cash, books.realised, books.held)
    books.settle(outcome)
    books.take_back()
    assert (books.cash, books.realised, books.held) == before


def test_a_payout_that_was_spent_is_owed() -> None:
    books = broke_after_a_win()
    books.take_back()
    assert (books.cash, books.owed) == (usd(0), usd(20000))


def test_a_payout_that_was_spent_in_part_leaves_the_rest_owed() -> None:
    books = broke_after_a_win()
    books.decide(deciding(sale(25, name=SNOW)), at_price("0.5", SNOW))
    books.take_back()
    assert (books.cash, books.owed) == (usd(0), usd(15000))


def test_the_next_payout_repays_what_is_owed_first() -> None:
    books = broke_after_a_win()
    books.take_back()
    books.settle(YES_WINS, SNOW)
    assert (books.cash, books.owed) == (usd(20000), usd(0))


def test_the_next_sale_repays_what_is_owed_first() -> None:
    books = broke_after_a_win()
    books.take_back()
    books.decide(deciding(sale(25, name=SNOW)), at_price("0.5", SNOW))
    assert (books.cash, books.owed) == (usd(0), usd(15000))


def test_a_change_of_mind_after_spending_ends_where_the_last_word_leads() -> None:
    books = broke_after_a_win()
    books.take_back()
    books.settle(NO_WINS, revision=2)
    books.settle(YES_WINS, SNOW)
    assert (books.cash, books.owed, books.realised) == (usd(20000), usd(0), usd(10000))


def test_only_a_settlement_can_be_reversed() -> None:
    with pytest.raises(TypeError, match="is not a settlement"):
        reverse(fund(COHORT, ADA, usd(1), T0), 2, T0, cash=usd(1))


def test_a_settlement_names_the_outcome_that_it_was_paid_on() -> None:
    event = settle(position(10, 5, Side.NO), NO_WINS, 1, T0, owed=usd(0)).event
    assert isinstance(event, Settled)
    assert (event.market, event.outcome, event.payout) == (RAIN, NO_WINS, usd(10))
