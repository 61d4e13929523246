"""Prices of the past, wherever Kalshi keeps them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from arena.records.market import MarketId, PricePoint
from arena.records.money import price
from tests.http.asking import failure
from tests.venues.kalshi.rows import (
    DAY,
    EVENT,
    HOUR,
    NOW,
    RAIN,
    Row,
    candle,
    candles,
    event,
    market,
    seconds,
)
from tests.venues.kalshi.server import Desk, Kalshi, run

RAINY = MarketId(f"kalshi:{RAIN}")
LIVE = f"/series/KXSKY/markets/{RAIN}/candlesticks"
ARCHIVE = f"/historical/markets/{RAIN}/candlesticks"


@pytest.fixture
def server() -> Iterator[Kalshi]:
    said = {f"/markets/{RAIN}": {"market": market()}, f"/events/{EVENT}": {"event": event()}}
    with Kalshi(said) as running:
        yield running


def history(server: Kalshi, since: datetime, until: datetime) -> Sequence[PricePoint]:
    return run(Desk(server).venue.history(RAINY, since, until))


def test_a_market_of_today_is_asked_about_by_way_of_its_series(server: Kalshi) -> None:
    server.said[LIVE] = candles(candle(NOW - HOUR, "0.4000", "0.4200"))
    assert history(server, NOW - DAY, NOW) == (PricePoint(NOW - HOUR, price("0.41")),)
    assert server.queries(LIVE) == [
        (
            ("start_ts", str(seconds(NOW - DAY))),
            ("end_ts", str(seconds(NOW))),
            ("period_interval", "60"),
        )
    ]


def test_what_is_not_of_the_span_is_not_given(server: Kalshi) -> None:
    hours = (26, 25, 24, 3, 2, 1)
    rows = [candle(NOW - n * HOUR, "0.4000", "0.4200") for n in hours]
    server.said[LIVE] = candles(*rows)
    found = history(server, NOW - 25 * HOUR, NOW - 2 * HOUR)
    assert [point.at for point in found] == [NOW - n * HOUR for n in (25, 24, 3, 2)]


def test_the_candle_that_has_not_ended_is_not_given(server: Kalshi) -> None:
    rows = [candle(NOW + n * HOUR, "0.4000", "0.4200") for n in (0, 1)]
    server.said[LIVE] = candles(*rows)
    assert [point.at for point in history(server, NOW - DAY, NOW + DAY)] == [NOW]


def test_an_old_market_is_asked_about_in_the_archive(server: Kalshi) -> None:
    del server.said[f"/markets/{RAIN}"]
    old = candle(NOW, ..., ...) | {
        "yes_bid": {"close": "0.2000"},
        "yes_ask": {"close": "0.3000"},
        "price": {"close": None},
    }
    server.said[ARCHIVE] = candles(old)
    assert [point.price for point in history(server, NOW - DAY, NOW)] == [Decimal("0.25")]


@pytest.mark.parametrize("live", [None, candles()])
def test_a_market_that_has_moved_into_the_archive_is_found_there(
    server: Kalshi, live: object
) -> None:
    if live is not None:
        server.said[LIVE] = live
    server.said[ARCHIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    assert len(history(server, NOW - DAY, NOW)) == 1


def test_a_market_that_nobody_knows_has_no_history(server: Kalshi) -> None:
    server.said.clear()
    assert history(server, NOW - DAY, NOW) == ()


def test_a_long_span_is_asked_for_in_windows_that_kalshi_gives(server: Kalshi) -> None:
    server.said[LIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    assert len(history(server, NOW - 10_000 * HOUR, NOW)) == 1
    spans = [dict(query) for query in server.queries(LIVE)]
    hours = [(int(one["end_ts"]) - int(one["start_ts"])) / 3600 for one in spans]
    assert hours == [4900, 4900, 200]
    assert [one["end_ts"] for one in spans[:2]] == [one["start_ts"] for one in spans[1:]]


def test_a_span_that_ends_before_it_begins_is_empty(server: Kalshi) -> None:
    assert history(server, NOW, NOW - DAY) == ()
    assert server.asked == []


def test_the_series_of_a_market_is_looked_up_once(server: Kalshi) -> None:
    server.said[LIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    venue = Desk(server).venue
    for _ in range(2):
        run(venue.history(RAINY, NOW - DAY, NOW))
    assert (server.times(f"/markets/{RAIN}"), server.times(LIVE)) == (1, 2)


def test_one_bad_candle_of_many_is_left_out_and_more_stop_the_reading(server: Kalshi) -> None:
    rows = [candle(NOW - n * HOUR, "0.4000", "0.4200") for n in range(30)]
    bad: list[Row] = [{"end_period_ts": seconds(NOW) + n} for n in range(2)]
    server.said[LIVE] = candles(*rows[2:], bad[0])
    assert len(history(server, NOW - 2 * DAY, NOW)) == 28
    server.said[LIVE] = candles(*rows[2:], *bad)
    told = failure(Desk(server).venue.history(RAINY, NOW - 2 * DAY, NOW))
    assert (told.code, "no yes_bid" in told.message) == ("venue.format", True)


def test_a_span_may_begin_before_there_was_anything(server: Kalshi) -> None:
    server.said[LIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    early = NOW - timedelta(days=40)
    assert len(history(server, early, NOW)) == 1
