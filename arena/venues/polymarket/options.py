"""What `config.yaml` may say about how Polymarket is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.records.settings import VenueSettings
from arena.venues.options import is_address, is_number, is_pace, is_whole, read_options
from arena.venues.polymarket.book import book, books
from arena.venues.polymarket.clob import clob_market, terms
from arena.venues.polymarket.gamma import event, market, markets, open_markets
from arena.venues.polymarket.outcome import resolutions
from arena.venues.polymarket.prices import price_history, read_midpoint, read_midpoints
from arena.venues.rows import Origin, Read

BUSIEST = "volume24hr"
ORDERS = (BUSIEST, "volumeNum", "liquidityNum")  # `volume` is sorted as text
MOST_PAGES, MOST_DAYS, MOST_DEPTH = 100, 3650, 1000


@dataclass(frozen=True, slots=True)
class PolymarketOptions:
    """How Polymarket is asked, and which of its markets are listed.

    `pages` of 100 markets are listed, those with most of `order` first. `volume_num_min` and
    `liquidity_num_min` are dollars. `closes_within_days` lists only what is to end by then;
    None lists all. `depth` is how many levels of a book are kept on each side.
    """

    gamma: str = "https://gamma-api.polymarket.com"
    clob: str = "https://clob.polymarket.com"
    data: str = "https://data-api.polymarket.com"
    order: str = BUSIEST
    pages: int = 10
    volume_num_min: float | None = None
    liquidity_num_min: float | None = None
    closes_within_days: float | None = None
    depth: int = 20
    per_second: float = 4.0


def options_of(settings: VenueSettings) -> PolymarketOptions:
    """Read the options of a venue.

    Raises:
        ArenaError: `venue.option`: one is unknown or has a wrong value.
    """
    return read_options(settings, PolymarketOptions, _RIGHT, _HINT)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "gamma": is_address,
    "clob": is_address,
    "data": is_address,
    "order": lambda value: value in ORDERS,
    "pages": lambda value: is_whole(value, 1, MOST_PAGES),
    "volume_num_min": lambda value: is_number(value, 0, 1e12),
    "liquidity_num_min": lambda value: is_number(value, 0, 1e12),
    "closes_within_days": lambda value: is_number(value, 0.01, MOST_DAYS),
    "depth": lambda value: is_whole(value, 1, MOST_DEPTH),
    "per_second": is_pace,
}
_HINT = f"pages are 1 to {MOST_PAGES}, order is one of {', '.join(ORDERS)}"


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
