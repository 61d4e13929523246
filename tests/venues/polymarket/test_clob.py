"""Known answers are named by their row: gN of prices."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from arena.records.market import FeeKind, Level, MarketId, PricePoint, Quote, Source
from arena.records.money import price, shares, usd
from arena.venues.polymarket.clob import (
    PolymarketBook,
    book_quote,
    books,
    is_ghost,
    price_history,
    read_midpoint,
    read_midpoints,
    traded,
)
from arena.venues.polymarket.clob import clob_market as read_market
from arena.venues.polymarket.clob import terms as read_terms
from arena.venues.polymarket.gamma import Turnover
from tests.present import present
from tests.venues.polymarket.rows import (
    NOW,
    ORIGIN,
    Row,
    book,
    clob_market,
    condition_of,
    no_of,
    ours,
    terms,
    yes_of,
)


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
    found = present(book_quote(read_book(), RAIN, traded, depth=1))
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
    found = present(book_quote(read_book(**changes), MarketId("m"), Turnover(), depth=9))
    assert (found.bid, found.ask) == prices


def test_an_empty_book_is_no_quote() -> None:
    assert book_quote(read_book(bids=[], asks=[]), RAIN, Turnover(), depth=9) is None


T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = int(T0.timestamp())


def points(history: Sequence[object]) -> tuple[PricePoint, ...]:
    return price_history({"history": history}).rows


def after(seconds: int, paid: str) -> PricePoint:
    return PricePoint(T0 + timedelta(seconds=seconds), price(paid))


def test_both_services_histories_are_read() -> None:
    of_clob = {"history": [{"t": SECOND, "p": 0.205}]}
    of_data = [{"timestamp": SECOND, "price": "0.205", "resolution_seconds": 60}]
    wrapped = {"data": of_data, "pagination": {"has_more": False}}
    for payload in (of_clob, of_data, wrapped):
        assert price_history(payload).rows == (after(0, "0.205"),)


def test_a_point_that_cannot_be_read_is_left_out_and_named() -> None:
    read = price_history([{"timestamp": None, "price": 1}, {"t": SECOND, "p": 2}, 7])
    assert not read.rows
    assert all(left.malformed for left in read.left_out)
    assert "no price" in read.left_out[1].why


def test_of_two_prices_of_one_moment_the_first_counts() -> None:
    assert points([{"t": SECOND, "p": 0.2}, {"t": SECOND, "p": 0.3}]) == (after(0, "0.2"),)


@pytest.mark.parametrize("payload", [None, {}, {"history": None}, {"error": "bad"}, "x"])
def test_what_is_no_history_is_one_malformed_thing(payload: object) -> None:
    assert [left.malformed for left in price_history(payload).left_out] == [True]


def test_the_flat_half_before_the_first_trade_is_no_price() -> None:
    told = [after(3, "0.5"), after(1, "0.5"), after(2, "0.5"), after(9, "0.5"), after(5, "0.4")]
    assert traded(told) == (after(5, "0.4"), after(9, "0.5"))


def test_where_nothing_was_ever_traded_there_is_no_price() -> None:
    assert traded([after(1, "0.5"), after(2, "0.5")]) == ()


def quoted(bid: str | None, ask: str | None) -> Quote:
    bids, asks = ([] if one is None else [price(one)] for one in (bid, ask))
    return Quote(ours("1"), next(iter(bids), None), next(iter(asks), None), NOW)


def test_g8_an_invalid_midpoint_is_absent() -> None:
    read = read_midpoints({"yes": "0.2", "no": 1, "bad": "1.2"})
    assert {one.token: one.price for one in read.rows} == {"yes": Decimal("0.2"), "no": 1}


GHOST = quoted("0.01", "0.99")


@pytest.mark.parametrize(
    "listed",
    [quoted("0.40", "0.42"), quoted(None, "0.03"), quoted("0.90", None)],
    ids=["both sides", "an ask", "a bid"],
)
def test_a_wide_book_is_a_ghost_where_gamma_shows_somebody_well_inside(listed: Quote) -> None:
    assert is_ghost(GHOST, listed, "t", {})


def test_a_wide_book_is_a_ghost_where_the_midpoint_is_another() -> None:
    assert is_ghost(GHOST, None, "t", {"t": price("0.2")})


@pytest.mark.parametrize("listed", [None, quoted("0.02", "0.97"), quoted(None, None)])
def test_a_wide_book_with_a_midpoint_that_agrees_is_real(listed: Quote | None) -> None:
    assert not is_ghost(GHOST, listed, "t", {"t": price("0.5")})


def test_a_wide_book_without_a_midpoint_is_not_believed() -> None:
    assert is_ghost(GHOST, None, "t", {})


def test_a_narrow_or_one_sided_book_is_no_ghost() -> None:
    narrow = quoted("0.40", "0.42")
    assert not is_ghost(narrow, quoted("0.1", "0.2"), "t", {"t": price("0.9")})
    assert not is_ghost(quoted("0.01", None), narrow, "t", {"t": price("0.9")})


@pytest.mark.parametrize("payload", [None, [], 7, {"error": "bad token"}])
def test_what_is_no_map_of_midpoints_is_one_malformed_thing(payload: object) -> None:
    assert [left.malformed for left in read_midpoints(payload).left_out] == [True]
    assert [left.malformed for left in read_midpoint(payload).left_out] == [True]


def test_a_midpoint_that_is_no_price_is_malformed() -> None:
    assert [left.malformed for left in read_midpoint({"mid": "1.2"}).left_out] == [True]
    assert [left.what for left in read_midpoints({"t": None}).left_out] == ["t"]
