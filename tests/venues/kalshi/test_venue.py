"""The adapter against a server of its own: what it asks for, and what it makes of it.

Prices of the past: the middle of a spread where there is one, else a trade.
Prices of the past, wherever Kalshi keeps them.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from arena.errors import ArenaError
from arena.ports import Live
from arena.records.market import YES_WINS, FeeKind, MarketId, PricePoint, Source, State
from arena.records.money import price
from arena.records.settings import VenueSettings
from arena.venues.kalshi import from_settings
from arena.venues.kalshi.venue import KalshiOptions, candlesticks
from arena.venues.reading import unreadable
from tests.http.asking import Drawer, failure
from tests.venues.kalshi.rows import (
    DAY,
    EVENT,
    HERE,
    HOUR,
    NOW,
    ORIGIN,
    RAIN,
    SNOW,
    Row,
    book,
    candle,
    candles,
    decided,
    event,
    market,
    markets,
    seconds,
    series,
    trading,
)
from tests.venues.kalshi.server import Desk, Kalshi, of, paged, refuses
from tests.venues.scripted import Asked, run

RAINY, SNOWY = MarketId(f"kalshi:{RAIN}"), MarketId(f"kalshi:{SNOW}")


@pytest.fixture
def server() -> Iterator[Kalshi]:
    with Kalshi() as running:
        yield running


def test_it_knows_only_the_present(server: Kalshi) -> None:
    assert isinstance(Desk(server).venue, Live)
    assert Desk(server).venue.only_now


# the exchange's pauses


@pytest.mark.parametrize("what", ["catalogue", "quotes"])
def test_in_a_pause_there_are_no_prices(server: Kalshi, what: str) -> None:
    server.said["/exchange/status"] = trading(on=False, until="2026-11-05T10:00:00Z")
    venue = Desk(server).venue
    told = failure(venue.catalogue()) if what == "catalogue" else failure(venue.quotes([RAINY]))
    assert told.code == "venue.paused"
    assert told.message == "kalshi: trading is paused, until about 2026-11-05 10:00 UTC"
    assert "the next tick asks again" in told.hint


def test_in_a_pause_there_are_still_states(server: Kalshi) -> None:
    server.said["/exchange/status"] = trading(on=False)
    server.said["/markets"] = markets(decided("yes", "1.0000"))
    found = run(Desk(server).venue.statuses([RAINY]))
    assert found[RAINY].outcome == YES_WINS


def test_the_exchange_is_asked_once_a_poll(server: Kalshi) -> None:
    server.said |= {"/events": paged((event(market()),)), "/markets": markets(market())}
    desk = Desk(server)
    run(desk.venue.catalogue())
    desk.clock.at += timedelta(seconds=59)
    run(desk.venue.quotes([RAINY]))
    assert server.times("/exchange/status") == 1
    desk.clock.at += timedelta(seconds=1)
    run(desk.venue.quotes([RAINY]))
    assert server.times("/exchange/status") == 2


def test_an_exchange_that_says_nothing_of_the_kind_stops_the_poll(server: Kalshi) -> None:
    server.said["/exchange/status"] = {"exchange_active": True}
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


def test_a_cursor_that_is_no_text_stops_the_poll_and_ends_no_list(server: Kalshi) -> None:
    server.said["/events"] = {"events": [event(market())], "cursor": 7}
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


# quotes


def test_a_quote_is_the_whole_book(server: Kalshi) -> None:
    server.said["/markets"] = markets(market())
    ladder = [["0.3900", "7.00"], ["0.4000", "5.00"]]
    server.said["/markets/orderbooks"] = {
        "orderbooks": [{"ticker": RAIN, **book(ladder, [["0.5500", "2.00"]])}]
    }
    quote = run(Desk(server).venue.quotes([RAINY]))[RAINY]
    assert (quote.bid, quote.ask) == (price("0.40"), price("0.45"))
    assert [level.shares for level in quote.bids] == [5, 7]
    assert (quote.volume, quote.source, quote.at) == (Decimal("5000.25"), Source.BOOK, NOW)


def test_as_many_levels_are_kept_as_were_asked_for(server: Kalshi) -> None:
    server.said["/markets"] = markets(market())
    ladder = [[f"0.{cents}00", "1.00"] for cents in range(10, 41)]
    server.said["/markets/orderbooks"] = {"orderbooks": [{"ticker": RAIN, **book(ladder, [])}]}
    assert len(run(Desk(server).venue.quotes([RAINY]))[RAINY].bids) == 20
    venue = Desk(server, KalshiOptions(depth=3)).venue
    bids = run(venue.quotes([RAINY]))[RAINY].bids
    assert [level.price for level in bids] == [price("0.40"), price("0.39"), price("0.38")]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_where_books_are_refused_the_best_prices_are_left(server: Kalshi, status: int) -> None:
    server.said["/markets"] = markets(market())
    server.said["/markets/orderbooks"] = refuses(status)
    quote = run(Desk(server).venue.quotes([RAINY]))[RAINY]
    assert (quote.bid, quote.ask) == (price("0.41"), price("0.43"))
    assert [level.shares for level in quote.bids + quote.asks] == [120, Decimal("80.5")]


def test_without_depth_no_book_is_asked_for(server: Kalshi) -> None:
    server.said["/markets"] = markets(market())
    assert run(Desk(server, KalshiOptions(depth=0)).venue.quotes([RAINY]))[RAINY].ask
    assert server.times("/markets/orderbooks") == 0


def test_a_book_that_is_not_sent_leaves_the_best_prices(server: Kalshi) -> None:
    server.said["/markets"] = markets(market(RAIN), market(SNOW))
    server.said["/markets/orderbooks"] = {
        "orderbooks": [{"ticker": RAIN, **book([["0.2000", "1.00"]], None)}]
    }
    found = run(Desk(server).venue.quotes([RAINY, SNOWY]))
    assert (found[RAINY].bid, found[RAINY].ask) == (price("0.2"), None)
    assert found[SNOWY].bid == price("0.41")


def test_a_book_that_has_emptied_is_no_quote(server: Kalshi) -> None:
    server.said["/markets"] = markets(market())
    server.said["/markets/orderbooks"] = {"orderbooks": [{"ticker": RAIN, **book(None, None)}]}
    assert run(Desk(server).venue.quotes([RAINY])) == {}


def test_what_was_not_asked_for_is_not_given(server: Kalshi) -> None:
    server.said["/markets"] = markets(market(RAIN), market(SNOW))
    assert set(run(Desk(server).venue.quotes([RAINY]))) == {RAINY}


def test_ids_of_other_venues_are_left_out_without_a_word(server: Kalshi) -> None:
    foreign = [MarketId(one) for one in ("polymarket:1", "kalshi", "kalshi:", "kalshi:A/B", "")]
    venue = Desk(server).venue
    assert run(venue.quotes(foreign)) == {}
    assert run(venue.statuses(foreign)) == {}
    assert run(venue.history(foreign[0], NOW - DAY, NOW)) == ()
    assert server.asked == []


def test_many_markets_are_asked_for_fifty_at_a_time(server: Kalshi) -> None:
    def answer(asked: Asked) -> object:
        return markets(*(market(one) for one in (asked.one("tickers") or "").split(",")))

    server.said["/markets"] = answer
    server.said["/markets/orderbooks"] = {"orderbooks": None}
    asked = of(*(f"KXM-{n:0123d}" for n in range(101)))
    assert list(run(Desk(server).venue.quotes([*asked, asked[0]]))) == asked
    assert [dict(query)["limit"] for query in server.queries("/markets")] == ["50", "50", "1"]
    books = [len(query) for query in server.queries("/markets/orderbooks")]
    assert books == [50, 50, 1]


# states


def test_a_market_that_is_not_listed_any_more_is_in_the_archive(server: Kalshi) -> None:
    server.said["/markets"] = markets(market(SNOW))
    server.said[f"/historical/markets/{RAIN}"] = {"market": decided("scalar", "0.5000")}
    found = run(Desk(server).venue.statuses([RAINY, SNOWY]))
    assert found[SNOWY].state is State.OPEN
    outcome = found[RAINY].outcome
    assert outcome is not None
    assert outcome.yes_pays == price("0.5")


def test_a_market_that_kalshi_does_not_know_is_unknown(server: Kalshi) -> None:
    server.said["/markets"] = markets()
    found = run(Desk(server).venue.statuses([RAINY]))
    assert (found[RAINY].state, found[RAINY].at) == (State.UNKNOWN, NOW)
    assert found[RAINY].unconfirmed


def test_a_market_whose_row_has_lost_its_name_is_not_unknown(server: Kalshi) -> None:
    server.said["/markets"] = markets(market(ticker=None), market(SNOW))
    assert set(run(Desk(server).venue.statuses([RAINY, SNOWY]))) == {SNOWY}


@pytest.mark.parametrize(("many", "told"), [(10, 10), (11, 0)])
def test_an_empty_answer_about_many_markets_makes_none_of_them_unknown(
    server: Kalshi, many: int, told: int
) -> None:
    server.said["/markets"] = markets()
    asked = of(*(f"KXM-{n}" for n in range(many)))
    assert len(run(Desk(server).venue.statuses(asked))) == told


def test_a_market_whose_row_cannot_be_read_is_not_unknown(server: Kalshi) -> None:
    server.said["/markets"] = markets(market(RAIN, status=None), market(SNOW))
    assert set(run(Desk(server).venue.statuses([RAINY, SNOWY]))) == {SNOWY}
    assert server.times(f"/historical/markets/{RAIN}") == 0


@pytest.mark.parametrize("payload", [{"markets": "none"}, {"rows": []}, [], None])
def test_a_page_of_another_shape_makes_nothing_unknown(server: Kalshi, payload: object) -> None:
    server.said["/markets"] = payload
    venue = Desk(server).venue
    assert failure(venue.statuses([RAINY])).code == "venue.format"
    assert failure(venue.quotes([RAINY])).code == "venue.format"


def test_the_archive_speaks_about_the_market_it_was_asked_about(server: Kalshi) -> None:
    server.said["/markets"] = markets()
    server.said[f"/historical/markets/{RAIN}"] = {"market": decided("yes", "1.0000", SNOW)}
    assert run(Desk(server).venue.statuses([RAINY])) == {}


# details


def test_details_add_the_fee_of_the_series(server: Kalshi) -> None:
    server.said |= {
        "/events": paged((event(market(RAIN), market(SNOW)),)),
        f"/events/{EVENT}": {"event": event(market(RAIN), market(SNOW))},
        "/series/KXSKY": series(fee_multiplier=0.5),
    }
    venue = Desk(server).venue
    listed = run(venue.catalogue()).markets
    assert {row.fee.kind for row in listed} == {FeeKind.UNKNOWN}
    detailed = run(venue.details(listed))
    assert [row.id for row in detailed] == [row.id for row in listed]
    assert {row.fee.rate for row in detailed} == {Decimal("0.035")}
    assert server.times("/series/KXSKY") == server.times(f"/events/{EVENT}") == 1


def detailed(server: Kalshi, row: Row, /, **fields: object) -> Row:
    """Let details be asked about a market as its event says it is by then."""
    server.said |= {
        "/events": paged((event(market(RAIN)),)),
        f"/events/{EVENT}": {"event": event(row, **fields)},
    }
    venue = Desk(server).venue
    found = run(venue.details(run(venue.catalogue()).markets))
    return {"found": found, "fee": found[0].fee if found else None}


def test_an_event_may_charge_another_fee_than_its_series(server: Kalshi) -> None:
    server.said["/series/KXSKY"] = series()
    told = detailed(server, market(RAIN), fee_multiplier_override=3)["fee"]
    assert getattr(told, "rate", None) == Decimal("0.21")


def test_a_series_that_is_not_there_leaves_the_fee_unknown(server: Kalshi) -> None:
    told = detailed(server, market(RAIN))["fee"]
    assert getattr(told, "kind", None) is FeeKind.UNKNOWN


def test_a_market_that_was_halted_meanwhile_is_left_out(server: Kalshi) -> None:
    server.said["/series/KXSKY"] = series()
    assert detailed(server, market(RAIN, status="inactive"))["found"] == ()


def test_a_market_whose_event_is_gone_is_left_out(server: Kalshi) -> None:
    server.said["/events"] = paged((event(market(RAIN)),))
    venue = Desk(server).venue
    assert run(venue.details(run(venue.catalogue()).markets)) == ()


def test_the_series_names_the_topic_where_the_event_does_not(server: Kalshi) -> None:
    server.said["/series/KXSKY"] = series()
    found = detailed(server, market(RAIN), category="")["found"]
    assert isinstance(found, tuple)
    assert found[0].category == "Weather"


# what it is built from


def test_a_venue_is_built_from_its_settings(server: Kalshi) -> None:
    server.said["/markets"] = markets(market())
    options = (("base_url", f"{server.home}/trade-api/v2/"), ("fallback_url", ""))
    settings = VenueSettings(HERE, "kalshi", options)
    venue = from_settings(settings, Desk(server).clock, Drawer())
    assert run(venue.statuses([RAINY]))[RAINY].state is State.OPEN


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("url", "https://x"),
        ("base_url", ""),
        ("fallback_url", 1),
        ("pages", 0),
        ("pages", 1001),
        ("depth", 101),
        ("depth", -1),
        ("per_second", 0),
    ],
)
def test_an_option_that_cannot_be_used_is_told(
    server: Kalshi, name: str, value: object
) -> None:
    settings = VenueSettings(HERE, "kalshi", ((name, value),))
    with pytest.raises(ArenaError) as caught:
        from_settings(settings, Desk(server).clock, Drawer())
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)
    assert name in caught.value.message


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


LIVE = f"/series/KXSKY/markets/{RAIN}/candlesticks"
ARCHIVE = f"/historical/markets/{RAIN}/candlesticks"


@pytest.fixture
def archive() -> Iterator[Kalshi]:
    said = {f"/markets/{RAIN}": {"market": market()}, f"/events/{EVENT}": {"event": event()}}
    with Kalshi(said) as running:
        yield running


def history(archive: Kalshi, since: datetime, until: datetime) -> Sequence[PricePoint]:
    return run(Desk(archive).venue.history(RAINY, since, until))


def test_a_market_of_today_is_asked_about_by_way_of_its_series(archive: Kalshi) -> None:
    archive.said[LIVE] = candles(candle(NOW - HOUR, "0.4000", "0.4200"))
    assert history(archive, NOW - DAY, NOW) == (PricePoint(NOW - HOUR, price("0.41")),)
    assert archive.queries(LIVE) == [
        (
            ("start_ts", str(seconds(NOW - DAY))),
            ("end_ts", str(seconds(NOW))),
            ("period_interval", "60"),
        )
    ]


def test_what_is_not_of_the_span_is_not_given(archive: Kalshi) -> None:
    hours = (26, 25, 24, 3, 2, 1)
    rows = [candle(NOW - n * HOUR, "0.4000", "0.4200") for n in hours]
    archive.said[LIVE] = candles(*rows)
    found = history(archive, NOW - 25 * HOUR, NOW - 2 * HOUR)
    assert [point.at for point in found] == [NOW - n * HOUR for n in (25, 24, 3, 2)]


def test_the_candle_that_has_not_ended_is_not_given(archive: Kalshi) -> None:
    rows = [candle(NOW + n * HOUR, "0.4000", "0.4200") for n in (0, 1)]
    archive.said[LIVE] = candles(*rows)
    assert [point.at for point in history(archive, NOW - DAY, NOW + DAY)] == [NOW]


def test_an_old_market_is_asked_about_in_the_archive(archive: Kalshi) -> None:
    del archive.said[f"/markets/{RAIN}"]
    old = candle(NOW, ..., ...) | {
        "yes_bid": {"close": "0.2000"},
        "yes_ask": {"close": "0.3000"},
        "price": {"close": None},
    }
    archive.said[ARCHIVE] = candles(old)
    assert [point.price for point in history(archive, NOW - DAY, NOW)] == [Decimal("0.25")]


@pytest.mark.parametrize("live", [None, candles()])
def test_a_market_that_has_moved_into_the_archive_is_found_there(
    archive: Kalshi, live: object
) -> None:
    if live is not None:
        archive.said[LIVE] = live
    archive.said[ARCHIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    assert len(history(archive, NOW - DAY, NOW)) == 1


def test_a_market_that_nobody_knows_has_no_history(archive: Kalshi) -> None:
    archive.said.clear()
    assert history(archive, NOW - DAY, NOW) == ()


def test_a_long_span_is_asked_for_in_windows_that_kalshi_gives(archive: Kalshi) -> None:
    archive.said[LIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    assert len(history(archive, NOW - 10_000 * HOUR, NOW)) == 1
    spans = [dict(query) for query in archive.queries(LIVE)]
    hours = [(int(one["end_ts"]) - int(one["start_ts"])) / 3600 for one in spans]
    assert hours == [4900, 4900, 200]
    assert [one["end_ts"] for one in spans[:2]] == [one["start_ts"] for one in spans[1:]]


def test_a_span_that_ends_before_it_begins_is_empty(archive: Kalshi) -> None:
    assert history(archive, NOW, NOW - DAY) == ()
    assert archive.asked == []


def test_the_series_of_a_market_is_looked_up_once(archive: Kalshi) -> None:
    archive.said[LIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    venue = Desk(archive).venue
    for _ in range(2):
        run(venue.history(RAINY, NOW - DAY, NOW))
    assert (archive.times(f"/markets/{RAIN}"), archive.times(LIVE)) == (1, 2)


def test_one_bad_candle_of_many_is_left_out_and_more_stop_the_reading(
    archive: Kalshi,
) -> None:
    rows = [candle(NOW - n * HOUR, "0.4000", "0.4200") for n in range(30)]
    bad: list[Row] = [{"end_period_ts": seconds(NOW) + n} for n in range(2)]
    archive.said[LIVE] = candles(*rows[2:], bad[0])
    assert len(history(archive, NOW - 2 * DAY, NOW)) == 28
    archive.said[LIVE] = candles(*rows[2:], *bad)
    told = failure(Desk(archive).venue.history(RAINY, NOW - 2 * DAY, NOW))
    assert (told.code, "no yes_bid" in told.message) == ("venue.format", True)


def test_a_span_may_begin_before_there_was_anything(archive: Kalshi) -> None:
    archive.said[LIVE] = candles(candle(NOW, "0.4000", "0.4200"))
    early = NOW - timedelta(days=40)
    assert len(history(archive, early, NOW)) == 1
