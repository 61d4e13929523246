"""What is read in Manifold's probabilities and bets."""

from datetime import timedelta
from decimal import Decimal

import pytest

from arena.records.market import PricePoint
from arena.records.money import price
from arena.venues.manifold.venue import bet_ids, bets
from arena.venues.reading import unreadable
from tests.venues.manifold.rows import NOW, ORIGIN, Row, bet


def test_bets_are_the_prices_they_left_oldest_first() -> None:
    read = bets([bet("b", 1, Decimal("0.6")), bet("a", 9, Decimal("0.4"))], ORIGIN)
    assert read.rows == (
        PricePoint(NOW - timedelta(minutes=9), price("0.4")),
        PricePoint(NOW - timedelta(minutes=1), price("0.6")),
    )


def test_of_two_bets_in_one_millisecond_the_later_stays_later() -> None:
    read = bets([bet("b", 1, Decimal("0.6")), bet("a", 1, Decimal("0.4"))], ORIGIN)
    assert [point.price for point in read.rows] == [price("0.4"), price("0.6")]


@pytest.mark.parametrize(
    "why", [{"isRedemption": True}, {"isFilled": False}, {"answerId": "x"}]
)
def test_what_moved_no_price_is_left_out_as_sound(why: Row) -> None:
    read = bets([bet("a", 1, Decimal("0.4"), **why)], ORIGIN)
    assert read.rows == ()
    assert not read.left_out[0].malformed


def test_an_old_bet_that_does_not_say_it_was_filled_was() -> None:
    old = bet("a", 1, Decimal("0.4"))
    del old["isFilled"]
    assert len(bets([old], ORIGIN).rows) == 1


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"id": 3}, "id"),
        ({"createdTime": "now"}, "createdTime"),
        ({"probAfter": 2}, "probAfter"),
    ],
)
def test_a_bet_without_what_is_needed_is_malformed(changes: Row, name: str) -> None:
    found = bets([bet("a", 1, Decimal("0.4")) | changes], ORIGIN).left_out[0]
    assert found.malformed
    assert found.why.startswith(f"{name} ")


def test_of_a_bet_listed_twice_the_first_counts() -> None:
    read = bets([bet("a", 1, Decimal("0.4")), bet("a", 1, Decimal("0.5"))], ORIGIN)
    assert [point.price for point in read.rows] == [price("0.4")]
    assert read.left_out == (unreadable("a", "it is listed twice"),)


def test_bets_are_named_in_the_order_of_the_payload() -> None:
    assert bet_ids([bet("b", 1, 0), 3, {"id": 4}, bet("a", 2, 0)]) == ("b", "a")
