"""Two addresses for the same interface.

Order books: bids for both sides, read as one book for YES.
What Kalshi says about itself.
The catalogue: every page of open events, read as one list.
"""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from arena.records.market import FeeKind, LeftOut, Level, MarketId, Source, State
from arena.records.money import price, shares
from arena.venues.kalshi.parse import series
from arena.venues.kalshi.venue import KalshiBook, KalshiOptions, exchange_status, orderbooks
from arena.venues.reading import Read, unreadable
from tests.http.asking import failure
from tests.standins.misbehaviour import DROPS, Misbehaviour
from tests.venues.kalshi import rows
from tests.venues.kalshi.rows import (
    HOUR,
    NOW,
    ORIGIN,
    RAIN,
    SNOW,
    Row,
    book,
    event,
    events,
    iso,
    market,
    markets,
    trading,
)
from tests.venues.kalshi.server import BASE, GUARD, Desk, Kalshi, of, paged, refuses
from tests.venues.scripted import Asked, run

RAINY = MarketId(f"kalshi:{RAIN}")


@pytest.mark.parametrize("mishap", [DROPS, GUARD, refuses(503)])
def test_where_the_first_does_not_answer_the_second_is_asked(mishap: Misbehaviour) -> None:
    with (
        Kalshi({"/markets": mishap}) as first,
        Kalshi({"/markets": markets(market())}) as second,
    ):
        desk = Desk(first, fallback=second.home + BASE)
        assert run(desk.venue.statuses([RAINY]))[RAINY].state is State.OPEN
        tried = first.times("/markets")
        assert tried > 0
        run(desk.venue.statuses([RAINY]))
        assert first.times("/markets") == tried  # the one that answered is asked first


def test_a_refusal_is_an_answer() -> None:
    with Kalshi({"/markets": refuses(400)}) as first, Kalshi() as second:
        desk = Desk(first, fallback=second.home + BASE)
        assert failure(desk.venue.statuses([RAINY])).code == "venue.refused"
        assert second.asked == []


def test_where_neither_answers_the_first_is_told() -> None:
    with Kalshi({"/markets": DROPS}) as first, Kalshi({"/markets": DROPS}) as second:
        told = failure(Desk(first, fallback=second.home + BASE).venue.statuses([RAINY]))
    assert told.code == "venue.silent"
    assert first.home.rpartition(":")[2] in told.message


def test_without_a_second_address_the_first_is_all_there_is() -> None:
    with Kalshi({"/markets": DROPS}) as only:
        assert failure(Desk(only).venue.statuses([RAINY])).code == "venue.silent"


def test_the_same_address_twice_is_asked_once() -> None:
    with Kalshi({"/markets": DROPS}) as only:
        failure(Desk(only, fallback=only.home + BASE + "/").venue.statuses([RAINY]))
        assert only.times("/markets") == 2  # tries of one address


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


def test_an_exchange_trades_when_it_says_so_twice() -> None:
    assert exchange_status(trading(), ORIGIN).rows[0].trading
    assert not exchange_status(trading(on=False), ORIGIN).rows[0].trading
    off = trading() | {"exchange_active": False}
    assert not exchange_status(off, ORIGIN).rows[0].trading


def test_a_pause_says_until_when_it_lasts_or_nothing() -> None:
    said = trading(on=False, until=iso(NOW + HOUR))
    assert exchange_status(said, ORIGIN).rows[0].resumes_at == NOW + HOUR
    assert exchange_status(trading(on=False), ORIGIN).rows[0].resumes_at is None


@pytest.mark.parametrize("bad", [None, "true", 1])
def test_an_exchange_that_does_not_say_whether_it_trades_is_malformed(bad: object) -> None:
    read = exchange_status(trading(on=bad), ORIGIN)
    assert read.left_out == (unreadable("exchange", "no trading_active"),)


def test_a_series_tells_its_fee() -> None:
    (found,) = series(rows.series(), ORIGIN).rows
    assert (found.ticker, found.category) == ("KXSKY", "Weather")
    assert found.terms.model.kind is FeeKind.QUADRATIC


def test_series_may_come_in_a_list() -> None:
    listed: list[object] = [rows.series()["series"], {"ticker": ""}]
    read = series({"series": listed}, ORIGIN)
    assert [found.ticker for found in read.rows] == ["KXSKY"]
    assert [left.why for left in read.left_out] == ["no ticker"]


@pytest.mark.parametrize("payload", [None, {}, {"series": None}, {"series": "KXSKY"}])
def test_what_holds_no_series_is_malformed(payload: Row) -> None:
    assert series(payload, ORIGIN).left_out == (unreadable("series", "no series"),)


SNOWY = MarketId(f"kalshi:{SNOW}")
EMPTY = {"yes_bid_dollars": "0.0000", "yes_ask_dollars": "1.0000"}


@pytest.fixture
def server() -> Iterator[Kalshi]:
    with Kalshi() as running:
        yield running


def of_many(count: int, **fields: object) -> Row:
    return event(*(market(f"KXM-{n}", **fields) for n in range(count)))


def test_the_catalogue_reads_every_page_with_the_same_filters(server: Kalshi) -> None:
    other = event(market(SNOW, event_ticker="KXB"), event_ticker="KXB")
    server.said["/events"] = paged((event(market(RAIN)),), (other,))
    found = run(Desk(server).venue.catalogue())
    assert {row.id for row in found.markets} == {RAINY, SNOWY}
    filters = (("status", "open"), ("with_nested_markets", "true"), ("limit", "200"))
    assert server.queries("/events") == [filters, (*filters, ("cursor", "1"))]


def test_the_busiest_market_of_the_day_comes_first(server: Kalshi) -> None:
    rows = (
        market("KXM-QUIET", volume_24h_fp="1.00", volume_fp="9000.00"),
        market("KXM-OLD", volume_24h_fp="5.00", volume_fp="900.00"),
        market("KXM-NEW", volume_24h_fp="5.00", volume_fp="90.00"),
        market("KXM-EMPTY", **EMPTY),
    )
    server.said["/events"] = paged((event(*rows),))
    found = run(Desk(server).venue.catalogue())
    assert [row.id for row in found.markets] == of(
        "KXM-OLD", "KXM-NEW", "KXM-QUIET", "KXM-EMPTY"
    )
    assert [row.market for row in found.quotes] == of("KXM-OLD", "KXM-NEW", "KXM-QUIET")
    assert {row.source for row in found.quotes} == {Source.LIST}


def test_halted_markets_and_combinations_are_not_offered(server: Kalshi) -> None:
    rows = (market(RAIN), market(SNOW, status="inactive"), market("KXMVE-1"))
    server.said["/events"] = paged((event(*rows),))
    found = run(Desk(server).venue.catalogue())
    assert [row.id for row in found.markets] == [RAINY]
    assert set(found.left_out) == {
        LeftOut(SNOWY, "it is HALTED"),
        LeftOut("KXMVE-1", "it is a combination of other markets"),
    }


def test_no_more_pages_are_read_than_were_allowed(server: Kalshi) -> None:
    pages = [
        (event(market(f"KXM-{n}", event_ticker=f"KX{n}"), event_ticker=f"KX{n}"),)
        for n in range(5)
    ]
    server.said["/events"] = paged(*pages)
    found = run(Desk(server, KalshiOptions(pages=2)).venue.catalogue())
    assert len(found.markets) == server.times("/events") == 2


def test_pages_may_overlap(server: Kalshi) -> None:
    first, second = (
        event(market(RAIN)),
        event(market(SNOW, event_ticker="KXB"), event_ticker="KXB"),
    )
    server.said["/events"] = paged((first,), (first, second))
    found = run(Desk(server).venue.catalogue())
    assert len(found.markets) == 2
    assert found.left_out == ()


@pytest.mark.parametrize("payload", [[], {"events": {}}, {"event": []}, "events", None])
def test_a_page_of_another_shape_stops_the_poll(server: Kalshi, payload: object) -> None:
    server.said["/events"] = payload
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


def test_a_later_page_of_another_shape_stops_the_poll_too(server: Kalshi) -> None:
    def answer(asked: Asked) -> object:
        return {"rows": []} if asked.one("cursor") else events(event(market()), cursor="1")

    server.said["/events"] = answer
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


def test_one_bad_row_of_many_is_left_out_and_two_stop_the_poll(server: Kalshi) -> None:
    whole = of_many(20)
    server.said["/events"] = paged((whole,))
    listed = whole["markets"]
    assert isinstance(listed, list)
    listed[3] = market("KXM-3", yes_bid_dollars=41)
    assert len(run(Desk(server).venue.catalogue()).markets) == 19
    listed[4] = market("KXM-4", yes_bid_dollars=41)
    told = failure(Desk(server).venue.catalogue())
    assert told.code == "venue.format"
    assert "no yes_bid_dollars" in told.message


def test_a_status_that_is_called_by_another_word_stops_the_poll(server: Kalshi) -> None:
    server.said["/events"] = paged((of_many(3, status="open"),))
    told = failure(Desk(server).venue.catalogue())
    assert told.code == "venue.format"
    assert "its status is a word that is not known" in told.message


def test_one_status_that_is_not_known_is_left_out_as_malformed(server: Kalshi) -> None:
    server.said["/events"] = paged((event(market(RAIN), market(SNOW, status="resting")),))
    found = run(Desk(server).venue.catalogue())
    assert [row.id for row in found.markets] == [RAINY]
    assert [(left.what, left.malformed) for left in found.left_out] == [(SNOWY, True)]


@pytest.mark.parametrize("listed", [(), (event(market(RAIN, status="inactive")),)])
def test_a_list_without_an_open_market_is_not_used(
    server: Kalshi, listed: tuple[Row, ...]
) -> None:
    server.said["/events"] = paged(listed)
    told = failure(Desk(server).venue.catalogue())
    assert (told.code, "no market is open" in told.message) == ("venue.format", True)


def test_many_markets_and_not_one_price_are_a_changed_format(server: Kalshi) -> None:
    server.said["/events"] = paged((of_many(11, **EMPTY),))
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"
    server.said["/events"] = paged((of_many(10, **EMPTY),))
    assert run(Desk(server).venue.catalogue()).quotes == ()


def test_an_answer_out_of_a_cache_is_as_old_as_the_cache_says(server: Kalshi) -> None:
    server.said["/events"] = paged((event(market()),))
    server.headers = (("Age", "240"),)
    (quote,) = run(Desk(server).venue.catalogue()).quotes
    assert quote.at == NOW - timedelta(seconds=240)
