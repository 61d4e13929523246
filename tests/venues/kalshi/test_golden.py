"""What recorded answers of Kalshi say, field by field; each golden file was checked by eye."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from arena.records.market import VenueId
from arena.venues.kalshi import KINDS
from arena.venues.reading import Origin
from tests.venues.recordings import hold_to_golden, recorded

ORIGIN = Origin(VenueId("kalshi"), datetime(2026, 8, 12, 20, 15, tzinfo=UTC))

FILES = {
    "jan2026_event_single": "event",
    "jan2026_events_list": "events",
    "jan2026_market_single_empty_book": "market",
    "jan2026_markets_list": "markets",
    "jan2026_series_candlesticks": "candlesticks",
    "jan2026_candlesticks_batch": "candlesticks",
    "jan2026_exchange_status": "exchange-status",
    "candles_finalized": "candlesticks",
    "markets_page_one_event_2026-08": "markets",
}


def payload_of(name: str) -> object:
    """Give what the server sent: some recordings wrap it."""
    held = recorded("kalshi", f"{name}.json")
    assert isinstance(held, Mapping)
    return held["response"] if "_metadata" in held else held


@pytest.mark.parametrize(("name", "kind"), FILES.items())
def test_a_recorded_payload_says_what_its_golden_file_has(name: str, kind: str) -> None:
    hold_to_golden(f"kalshi/{name}", KINDS[kind](payload_of(name), ORIGIN))


@pytest.mark.parametrize("kind", ["market", "statuses"])
def test_a_recorded_market_that_was_decided_says_no(kind: str) -> None:
    single = {"market": payload_of("market_finalized_no")}
    hold_to_golden(f"kalshi/market_finalized_no_{kind}", KINDS[kind](single, ORIGIN))


@pytest.mark.parametrize("kind", ["quotes", "statuses"])
def test_a_recorded_page_is_also_read_for_its_prices_and_states(kind: str) -> None:
    page = payload_of("markets_page_one_event_2026-08")
    hold_to_golden(f"kalshi/markets_page_{kind}", KINDS[kind](page, ORIGIN))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["website_search_trimmed", "error_429"])
def test_what_is_no_answer_of_this_interface_is_refused_by_every_kind(
    name: str, kind: str
) -> None:
    read = KINDS[kind](payload_of(name), ORIGIN)
    assert read.rows == ()
    assert [left.malformed for left in read.left_out] == [True]
