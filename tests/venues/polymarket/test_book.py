from datetime import UTC, datetime
from decimal import Decimal

import pytest

from arena.records.market import Level, MarketId, Source
from arena.records.money import price, shares, usd
from arena.venues.polymarket.clob import PolymarketBook, book_quote, books
from arena.venues.polymarket.gamma import Turnover
from tests.venues.polymarket.rows import NOW, ORIGIN, book, condition_of, ours, yes_of

RAIN = ours("1001")


def read_book(**changes: object) -> PolymarketBook:
    read = books([book(**changes)], ORIGIN)
    assert not read.left_out
    return read.rows[0]


def level(at: str, size: str) -> dict[str, str]:
    return {"price": at, "size": size}


def test_the_best_levels_come_first_however_they_are_sent() -> None:
    found = read_book()
    assert [one.price for one in found.bids] == [Decimal("0.4"), Decimal("0.38")]
    assert [one.price for one in found.asks] == [Decimal("0.42"), Decimal("0.99")]
    assert (found.token, found.condition) == (yes_of("1001"), condition_of("1001"))


def test_a_book_stood_when_it_was_read_whenever_it_last_changed() -> None:
    found = read_book()
    assert found.at == NOW
    assert found.changed_at == datetime(2026, 9, 1, 11, 58, 20, tzinfo=UTC)


def test_levels_of_no_size_and_at_0_or_1_are_nobodys() -> None:
    found = read_book(bids=[level("0.4", "0"), level("0", "9"), level("0.3", "2")])
    assert found.bids == (Level(price("0.3"), shares(2)),)


def test_levels_of_one_price_are_one() -> None:
    found = read_book(bids=[level("0.4", "1"), level("0.40", "2")])
    assert found.bids == (Level(price("0.4"), shares(3)),)


def test_a_book_may_name_its_token_in_another_way() -> None:
    read = books([{**book(asset_id=None), "token_id": yes_of("7")}], ORIGIN)
    assert [row.token for row in read.rows] == [yes_of("7")]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"asset_id": 7}, "asset_id"),
        ({"bids": None}, "bids"),
        ({"asks": "none"}, "asks"),
        ({"asks": [level("42", "1")]}, "asks"),
        ({"bids": [level("0.4", "-1")]}, "bids"),
        ({"bids": ["0.4"]}, "bids"),
    ],
)
def test_a_book_with_a_level_that_cannot_be_read_is_not_used(
    changes: dict[str, object], field: str
) -> None:
    read = books([book(**changes)], ORIGIN)
    assert not read.rows
    assert read.left_out[0].malformed
    assert field in read.left_out[0].why


def test_of_two_books_of_one_token_the_first_counts() -> None:
    read = books([book(), book(bids=[])], ORIGIN)
    assert len(read.rows) == 1
    assert read.rows[0].bids
    assert read.left_out[0].malformed


@pytest.mark.parametrize("payload", [None, {"error": "no"}, 7])
def test_what_is_no_list_of_books_is_one_malformed_thing(payload: object) -> None:
    assert [left.malformed for left in books(payload, ORIGIN).left_out] == [True]


def test_a_quote_has_so_many_levels_and_the_markets_volumes() -> None:
    traded = Turnover(usd(5), usd(3), usd(2))
    found = book_quote(read_book(), RAIN, traded, depth=1)
    assert found is not None
    assert (found.bid, found.ask) == (Decimal("0.4"), Decimal("0.42"))
    assert found.bids == (Level(price("0.4"), shares("25.5")),)
    assert (found.volume, found.volume_24h, found.liquidity) == (usd(5), usd(3), usd(2))
    assert (found.at, found.source) == (NOW, Source.BOOK)


@pytest.mark.parametrize(
    ("changes", "prices"),
    [
        ({"bids": []}, (None, Decimal("0.42"))),
        ({"asks": []}, (Decimal("0.4"), None)),
        ({"bids": [level("0.6", "1")]}, (Decimal("0.6"), Decimal("0.42"))),
    ],
    ids=["no bid", "no ask", "crossed"],
)
def test_one_sided_and_crossed_books_are_told_as_they_are(
    changes: dict[str, object], prices: tuple[Decimal | None, Decimal | None]
) -> None:
    found = book_quote(read_book(**changes), MarketId("m"), Turnover(), depth=9)
    assert found is not None
    assert (found.bid, found.ask) == prices


def test_an_empty_book_is_no_quote() -> None:
    assert book_quote(read_book(bids=[], asks=[]), RAIN, Turnover(), depth=9) is None
