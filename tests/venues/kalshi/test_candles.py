"""Prices of the past: the middle of a spread where there is one, else a trade."""

from decimal import Decimal

import pytest

from arena.records.market import PricePoint
from arena.records.money import price
from arena.venues.kalshi.venue import candlesticks
from arena.venues.reading import unreadable
from tests.venues.kalshi.rows import HOUR, NOW, ORIGIN, Row, candle, candles


def points(*rows: Row) -> tuple[PricePoint, ...]:
    return candlesticks(candles(*rows), ORIGIN).rows[0].points


def price_at(row: Row) -> Decimal | None:
    found = points(row)
    return found[0].price if found else None


def why(row: Row) -> str:
    (left,) = candlesticks(candles(row), ORIGIN).left_out
    assert left.malformed
    return left.why


def test_a_candle_gives_the_middle_of_its_last_spread_at_its_end() -> None:
    assert points(candle(NOW, "0.4000", "0.4500", "0.9000")) == (
        PricePoint(NOW, price("0.425")),
    )


@pytest.mark.parametrize(("bid", "ask"), [("0.0000", "0.0500"), ("0.9500", "1.0000")])
def test_with_one_side_it_gives_the_last_trade(bid: str, ask: str) -> None:
    assert price_at(candle(NOW, bid, ask, "0.0300")) == price("0.03")


@pytest.mark.parametrize(
    ("bid", "ask"), [("0.0000", "1.0000"), ("0.0100", "0.9900"), ("0.6000", "0.4000")]
)
def test_a_book_without_a_middle_has_no_price_unless_somebody_traded(
    bid: str, ask: str
) -> None:
    assert price_at(candle(NOW, bid, ask)) is None
    assert price_at(candle(NOW, bid, ask, "0.7000")) == price("0.7")


def test_the_price_before_the_candle_is_none_of_its_own() -> None:
    row = candle(NOW, "0.0000", "1.0000") | {"price": {"previous_dollars": "0.0500"}}
    assert price_at(row) is None
    assert not candlesticks(candles(row), ORIGIN).left_out[0].malformed


def test_the_archive_writes_dollars_without_saying_so() -> None:
    row = candle(NOW, ..., ...) | {
        "yes_bid": {"close": "0.4000"},
        "yes_ask": {"close": "0.5000"},
        "price": {"close": None},
    }
    assert price_at(row) == price("0.45")


def test_whole_cents_are_no_prices() -> None:
    row = candle(NOW, ..., ...) | {"yes_bid": {"close": 40}, "yes_ask": {"close": 50}}
    assert why(row) == "no close_dollars of yes_bid"


def test_points_come_oldest_first() -> None:
    rows = [candle(NOW - n * HOUR, "0.4000", "0.5000") for n in (1, 3, 2)]
    assert [point.at for point in points(*rows)] == [NOW - n * HOUR for n in (3, 2, 1)]


@pytest.mark.parametrize("end", [None, "soon", True, 10**30, "2026-01-01"])
def test_a_candle_without_an_end_is_malformed(end: object) -> None:
    assert why(candle(NOW, "0.4000", "0.5000") | {"end_period_ts": end}) == "no end_period_ts"


@pytest.mark.parametrize("side", ["yes_bid", "yes_ask"])
def test_a_candle_without_a_side_is_malformed(side: str) -> None:
    row = candle(NOW, "0.4000", "0.5000")
    del row[side]
    assert why(row) == f"no {side}"


def test_several_markets_are_told_apart() -> None:
    rows = [candles(candle(NOW, "0.4000", "0.5000")) | {"market_ticker": f"M{n}"} for n in "12"]
    read = candlesticks({"markets": [*rows, {"market_ticker": "M3"}]}, ORIGIN)
    assert [(own.market, len(own.points)) for own in read.rows] == [
        ("kalshi:M1", 1),
        ("kalshi:M2", 1),
    ]
    assert read.left_out == (unreadable("M3", "no candlesticks"),)
