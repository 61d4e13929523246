"""Kalshi's dialect speaks as recorded answers of Kalshi do, and refuses what Kalshi refuses."""

from collections.abc import Iterator
from functools import cache

import pytest

from tests.present import some
from tests.standins.venues.dialect import seconds
from tests.standins.venues.kalshi import KalshiDialect
from tests.standins.venues.kalshi_names import series_ticker
from tests.testing.venues.asking import AT, HOUR, WORLD, Asking, Json, Query, is_open
from tests.venues.recordings import recorded

KALSHI = KalshiDialect()
ASKING = Asking(KALSHI)
asked, told = ASKING.answer, ASKING.told
NOW_AND_THEN = {"liquidity_dollars", "settlement_bounds_type"}  # one of them, never both


@cache
def markets() -> list[Json]:
    """Give everything that Kalshi still lists at `AT`, as it says it."""
    query = {"with_nested_markets": "true"}
    return [row for page in pages(query) for e in page["events"] for row in e["markets"] or ()]


def pages(query: Query) -> Iterator[Json]:
    cursor = ""
    while True:
        page = told("/events", {**query, "limit": "200", "cursor": cursor})
        yield page
        cursor = page["cursor"]
        if not cursor:
            return


def test_every_ticker_leads_back_to_its_market() -> None:
    numbers = [market.number for market in WORLD.view(AT).markets]
    assert [KALSHI.number(KALSHI.own_id(number)) for number in numbers] == numbers


def test_pages_of_events_hold_every_open_market_once() -> None:
    rows = [
        row["ticker"]
        for page in pages({"status": "open", "with_nested_markets": "true"})
        for event in page["events"]
        for row in event["markets"]
        if row["status"] == "active"
    ]
    assert rows == [KALSHI.own_id(market.number) for market in is_open()]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/markets", {"limit": "1001"}),
        ("/markets", {"limit": "some"}),
        ("/events", {"cursor": "nonsense"}),
        ("/events", {"status": "open,closed"}),
        ("/events", {"limit": "201"}),
        ("/events", {"limit": "0"}),
        ("/markets/orderbooks", {}),
    ],
)
def test_a_wrong_question_is_refused(path: str, query: dict[str, str]) -> None:
    answer = asked(path, query)
    assert answer.status == 400
    assert isinstance(answer.payload, dict)
    assert list(answer.payload) == ["code", "message", "details"]


def test_a_market_has_the_fields_of_a_recorded_one() -> None:
    page: Json = recorded("kalshi", "markets_page_one_event_2026-08.json")
    fields = set(page["markets"][0])
    for row in some(markets()):
        found = set(row)
        assert fields - found <= NOW_AND_THEN
        more = found - fields - {"settlement_value_dollars", "settlement_ts"}
        assert more <= NOW_AND_THEN
        assert len(NOW_AND_THEN & found) == 1


def test_a_market_has_the_types_of_a_recorded_one() -> None:
    page: Json = recorded("kalshi", "markets_page_one_event_2026-08.json")
    types = {key: type(value) for key, value in page["markets"][0].items()}
    for row in some(markets()):
        for key, value in row.items():
            if key in types and value is not None:
                assert isinstance(value, types[key])


def test_a_finalized_market_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("kalshi", "market_finalized_no.json")
    of_combinations = {"is_provisional", "mve_collection_ticker", "mve_selected_legs"}
    row = next(row for row in markets() if row["status"] == "finalized")
    assert set(said) - of_combinations - NOW_AND_THEN <= set(row)


def test_an_event_has_the_fields_of_a_recorded_one() -> None:
    page: Json = recorded("kalshi", "jan2026_events_list.json")
    own = told("/events", {"limit": "3"})
    assert set(own) == set(page["response"])
    for event in own["events"]:
        assert set(page["response"]["events"][0]) <= set(event)


def test_the_exchanges_state_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("kalshi", "jan2026_exchange_status.json")
    assert set(said["response"]) <= set(told("/exchange/status"))


def test_candles_have_the_fields_of_recorded_ones() -> None:
    said: Json = recorded("kalshi", "candles_finalized.json")
    market = is_open()[0]
    path = f"{series_ticker(market.event_number)}/markets/{KALSHI.own_id(market.number)}"
    span = {"start_ts": str(seconds(AT - 90 * HOUR)), "end_ts": str(seconds(AT))}
    rows = told(f"/series/{path}/candlesticks", {"period_interval": "60", **span})[
        "candlesticks"
    ]
    assert {frozenset(row) for row in rows} == {frozenset(said["candlesticks"][0])}
    forms = {frozenset(row["price"]) for row in said["candlesticks"]}
    assert {frozenset(row["price"]) for row in rows} <= forms
