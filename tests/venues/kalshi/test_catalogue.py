"""The catalogue: every page of open events, read as one list."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from arena.records.market import LeftOut, MarketId, Source
from arena.venues.kalshi.server import KalshiOptions
from tests.http.asking import failure
from tests.venues.kalshi.rows import NOW, RAIN, SNOW, Row, event, events, market
from tests.venues.kalshi.server import Desk, Kalshi, Query, of, paged, run

RAINY, SNOWY = MarketId(f"kalshi:{RAIN}"), MarketId(f"kalshi:{SNOW}")
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


def test_a_list_that_runs_in_a_circle_is_given_up(server: Kalshi) -> None:
    server.said["/events"] = events(event(market()), cursor="again")
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


@pytest.mark.parametrize("payload", [[], {"events": {}}, {"event": []}, "events", None])
def test_a_page_of_another_shape_stops_the_poll(server: Kalshi, payload: object) -> None:
    server.said["/events"] = payload
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


def test_a_later_page_of_another_shape_stops_the_poll_too(server: Kalshi) -> None:
    def answer(query: Query) -> object:
        return {"rows": []} if "cursor" in dict(query) else events(event(market()), cursor="1")

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
