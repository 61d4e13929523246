from decimal import Decimal

import pytest

from arena.records.market import FeeKind
from arena.venues.polymarket.clob import clob_market as read_market
from arena.venues.polymarket.clob import terms as read_terms
from tests.venues.polymarket.rows import Row, clob_market, condition_of, no_of, terms, yes_of


def test_a_market_of_the_clob_names_its_winner() -> None:
    (found,) = read_market(clob_market("1", "No")).rows
    assert (found.condition, found.word.winners) == (condition_of("1"), ("No",))
    assert found.word.closed is True


@pytest.mark.parametrize(
    "payload",
    [
        None,
        {"error": "market not found"},
        clob_market(condition_id=7),
        clob_market(closed="true"),
        clob_market(tokens=None),
        clob_market(tokens=[{"outcome": "Yes", "winner": True}]),
    ],
)
def test_a_market_of_the_clob_that_cannot_be_read_is_malformed(payload: object) -> None:
    read = read_market(payload)
    assert not read.rows
    assert [left.malformed for left in read.left_out] == [True]


def test_terms_have_tokens_fee_tick_and_least_order() -> None:
    (found,) = read_terms(terms("1", fd={"r": 0.05, "e": 1, "to": True})).rows
    assert found.tokens == ((yes_of("1"), "Yes"), (no_of("1"), "No"))
    assert (found.tick, found.min_order) == (Decimal("0.01"), Decimal(5))
    assert found.fee is not None
    assert found.fee.kind is FeeKind.QUADRATIC


def test_terms_that_state_no_fee_have_none_stated() -> None:
    (found,) = read_terms([terms("1")]).rows
    assert (found.fee, found.accepting) == (None, True)


@pytest.mark.parametrize("changes", [{"c": ""}, {"t": []}, {"t": [{"t": "1"}, {"t": "2"}]}])
def test_terms_that_cannot_be_read_are_malformed(changes: Row) -> None:
    read = read_terms(terms(**changes))
    assert not read.rows
    assert [left.malformed for left in read.left_out] == [True]


def test_of_two_terms_of_one_market_the_first_count() -> None:
    read = read_terms([terms("1"), terms("1", mos=9)])
    assert [row.min_order for row in read.rows] == [Decimal(5)]
    assert [left.malformed for left in read.left_out] == [True]
