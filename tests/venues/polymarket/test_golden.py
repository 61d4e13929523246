"""What recorded answers of Polymarket say, field by field; each was checked by eye."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from arena.venues.polymarket import KINDS
from arena.venues.polymarket.clob import PolymarketBook
from arena.venues.polymarket.gamma import markets
from arena.venues.reading import Origin
from tests.present import some
from tests.venues.polymarket.rows import HERE
from tests.venues.recordings import hold_to_golden, recorded

RECORDINGS = {
    "clob_books_batch_negrisk_fed_june": "books",
    "clob_markets_abbrev_negrisk_fed_june": "clob-markets",
    "clob_prices_history_daily": "price-history",
    "data_v2_prices_history": "price-history",
    "data_v2_resolutions": "resolutions",
    "error_clob_404_market": "clob-market",
    "error_gamma_404": "market",
    "error_gamma_422_keyset_offset": "markets",
    "error_gamma_500": "markets-by-id",
    "error_gamma_503_keyset": "markets",
    "gamma_event_mixed_live_and_resolved": "markets-by-id",
    "gamma_event_negrisk_fed_june": "markets-by-id",
    "gamma_event_up_down": "markets-by-id",
    "gamma_market_resolved_yes_negrisk": "market",
}
ORIGIN = Origin(HERE, datetime(2026, 8, 20, 12, tzinfo=UTC))


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_reads_as_it_always_did(name: str) -> None:
    payload = sent(name)
    read = KINDS[RECORDINGS[name]](payload, ORIGIN)
    shown = tuple(shallow(row) if isinstance(row, PolymarketBook) else row for row in read.rows)
    hold_to_golden(f"polymarket/{name}", replace(read, rows=shown))


def sent(name: str) -> object:
    """Give a recorded answer; of an event its markets, as a list has them."""
    payload = recorded("polymarket", f"{name}.json")
    if not name.startswith("gamma_event"):
        return payload
    assert isinstance(payload, dict)
    event = {key: value for key, value in payload.items() if key != "markets"}
    return [{"events": [event], **row} for row in payload["markets"]]


def shallow(book: PolymarketBook) -> PolymarketBook:
    return replace(book, bids=book.bids[:3], asks=book.asks[:3])


def test_recorded_books_have_all_their_levels() -> None:
    payload = recorded("polymarket", "clob_books_batch_negrisk_fed_june.json")
    assert isinstance(payload, list)
    for row, sent in zip(KINDS["books"](payload, ORIGIN).rows, payload, strict=True):
        assert (len(row.bids), len(row.asks)) == (len(sent["bids"]), len(sent["asks"]))


def test_recorded_books_stand_around_gammas_prices() -> None:
    rows = markets(sent("gamma_event_negrisk_fed_june"), ORIGIN).rows
    payload = recorded("polymarket", "clob_books_batch_negrisk_fed_june.json")
    books = {one.token: one for one in KINDS["books"](payload, ORIGIN).rows}
    for row in some(rows):
        found, listed = books[row.yes_token], row.quote
        assert listed is not None
        assert (found.bids[0].price, found.asks[0].price) == (listed.bid, listed.ask)
        assert found.condition == row.condition
