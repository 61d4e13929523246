"""Order books: bids for both sides, read as one book for YES."""

import pytest

from arena.records.market import Level
from arena.records.money import price, shares
from arena.venues.kalshi.server import KalshiBook, orderbooks
from arena.venues.reading import Read, unreadable
from tests.venues.kalshi.rows import ORIGIN, RAIN, SNOW, Row, book


def of_rain(book: Row, depth: int = 20) -> Read[KalshiBook]:
    return orderbooks({"orderbooks": [{"ticker": RAIN, **book}]}, ORIGIN, depth)


def one(payload: Row, depth: int = 20) -> KalshiBook:
    read = of_rain(payload, depth)
    assert read.left_out == ()
    return read.rows[0]


def level(at: str, count: str) -> Level:
    return Level(price(at), shares(count))


def why(payload: Row) -> str:
    read = of_rain(payload)
    assert read.rows == ()
    assert read.left_out[0].malformed
    return read.left_out[0].why


def test_a_bid_for_no_is_an_offer_of_yes() -> None:
    found = one(book([["0.4100", "12.50"]], [["0.5600", "3.00"]]))
    assert found.bids == (level("0.41", "12.5"),)
    assert found.asks == (level("0.44", "3"),)


@pytest.mark.parametrize("step", [1, -1])
def test_the_best_comes_first_in_whatever_order_levels_are_sent(step: int) -> None:
    side = [["0.1000", "1.00"], ["0.2000", "2.00"], ["0.3000", "3.00"]][::step]
    found = one(book(side, side))
    assert [str(own.price) for own in found.bids] == ["0.300000", "0.200000", "0.100000"]
    assert [str(own.price) for own in found.asks] == ["0.700000", "0.800000", "0.900000"]


def test_an_empty_level_is_dropped() -> None:
    found = one(book([["0.4000", "0.00"], ["0.3000", "1.00"]], []))
    assert (found.bid, found.ask) == (price("0.3"), None)


@pytest.mark.parametrize("at", ["0.0000", "1.0000"])
def test_a_level_at_the_end_of_the_scale_offers_nothing(at: str) -> None:
    assert one(book([[at, "5.00"]], None)) == KalshiBook(RAIN, (), ())


def test_a_side_without_anybody_is_null() -> None:
    assert one(book(None, None)) == KalshiBook(RAIN, (), ())


def test_only_the_best_levels_are_kept() -> None:
    side = [[f"0.{cents:02d}00", "1.00"] for cents in range(1, 40)]
    found = one(book(side, side), depth=3)
    assert [str(own.price) for own in found.bids] == ["0.390000", "0.380000", "0.370000"]
    assert len(found.asks) == 3


def test_the_old_form_is_read_by_its_dollars() -> None:
    old = {"yes": [[41, 2]], "no": None, "yes_dollars": [["0.4100", 2]], "no_dollars": None}
    assert one({"orderbook": old}).bid == price("0.41")


def test_whole_cents_are_no_prices() -> None:
    assert why({"orderbook": {"yes": [[41, 2]], "no": None}}) == "no yes_dollars"


@pytest.mark.parametrize("payload", [{}, {"orderbook_fp": None}, {"orderbook": []}])
def test_what_holds_no_book_is_malformed(payload: Row) -> None:
    assert why(payload) == "no orderbook_fp"


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ([41, "1.00"], "a level of yes_dollars is not in dollars and contracts"),
        (["41", "1.00"], "a level of yes_dollars is not in dollars and contracts"),
        (["0.4100", "-1"], "a level of yes_dollars is not in dollars and contracts"),
        (["0.4100"], "a level of yes_dollars is no pair"),
        ("0.4100", "a level of yes_dollars is no pair"),
        (None, "a level of yes_dollars is no pair"),
    ],
)
def test_one_bad_level_spoils_the_book(bad: object, said: str) -> None:
    assert why(book([["0.3000", "1.00"], bad], [])) == said


def test_several_books_are_told_apart_by_ticker() -> None:
    rows = [{"ticker": RAIN, **book([["0.4100", "1.00"]], None)}, {"ticker": SNOW}]
    read = orderbooks({"orderbooks": rows}, ORIGIN)
    assert [(found.ticker, found.bid) for found in read.rows] == [(RAIN, price("0.41"))]
    assert read.left_out == (unreadable(SNOW, "no orderbook_fp"),)
