"""The kinds of payload that Polymarket sends, by name, and what reads each."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.venues.polymarket.book import book, books
from arena.venues.polymarket.clob import clob_market, terms
from arena.venues.polymarket.gamma import event, market, markets, open_markets
from arena.venues.polymarket.history import price_history
from arena.venues.polymarket.outcome import resolutions
from arena.venues.polymarket.prices import read_midpoint, read_midpoints
from arena.venues.rows import Origin, Read


def _any_time(read: Callable[[object], Read[Any]]) -> Callable[[object, Origin], Read[Any]]:
    """Read what says by itself of when it is."""
    return lambda payload, _: read(payload)


KINDS: Mapping[str, Callable[[object, Origin], Read[Any]]] = {
    "markets": open_markets,
    "markets-by-id": markets,
    "market": market,
    "event": event,
    "book": book,
    "books": books,
    "midpoint": _any_time(read_midpoint),
    "midpoints": _any_time(read_midpoints),
    "price-history": _any_time(price_history),
    "resolutions": _any_time(resolutions),
    "clob-market": _any_time(clob_market),
    "clob-markets": _any_time(terms),
}
