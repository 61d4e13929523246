"""Recorded payloads, field by field."""

from datetime import UTC, datetime, timedelta

import pytest

from arena.venues.manifold.venue import KINDS
from arena.venues.reading import Origin
from tests.venues.manifold.rows import HERE
from tests.venues.recordings import hold_to_golden, recorded

JUNE = datetime(2022, 6, 15, 14, tzinfo=UTC)
OCTOBER = datetime(2022, 10, 10, 19, 20, tzinfo=UTC)
AUGUST = datetime(2026, 8, 18, tzinfo=UTC)
DAY = timedelta(days=1)

# Each recording: the kind of payload, and when it was taken.
RECORDINGS = {
    "bets_price_history": ("bets", JUNE),
    "error_403": ("market", JUNE),
    "market_single_2022-10": ("market", OCTOBER + 2 * DAY),
    "market_single_with_bets_2022": ("market", JUNE),
    "markets_page_2022-06": ("markets", JUNE),
    "markets_page_2022-10": ("markets", OCTOBER),
    "markets_resolved_cancel": ("markets", JUNE),
    "markets_resolved_mkt": ("markets", JUNE),
    "markets_resolved_no": ("markets", JUNE),
    "markets_resolved_nonbinary": ("markets", JUNE),
    "markets_resolved_yes": ("markets", JUNE),
    "resolve_cancel_response_2022": ("market", OCTOBER),
    "search_markets_open_2026-08": ("markets", AUGUST),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_reads_as_it_always_did(name: str) -> None:
    kind, at = RECORDINGS[name]
    payload = recorded("manifold", f"{name}.json")
    hold_to_golden(f"manifold/{name}", KINDS[kind](payload, Origin(HERE, at)))


def test_a_recorded_market_has_the_book_of_its_pool() -> None:
    payload = recorded("manifold", "search_markets_open_2026-08.json")
    assert isinstance(payload, list)
    read = KINDS["market"](payload[0], Origin(HERE, AUGUST))
    hold_to_golden("manifold/book_2026-08", read)
