"""What `config.yaml` may say about how Manifold is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.records.settings import VenueSettings
from arena.venues.options import is_address, is_pace, is_whole, read_options

PAGE = 1000  # rows: the most it gives at once
MOST_PAGES = 2  # of a search: it does not skip more than 1,000 rows
BUSIEST = "24-hour-vol"
SORTS = (
    BUSIEST,
    "score",
    "most-popular",
    "liquidity",
    "newest",
    "close-date",
    "last-updated",
)


@dataclass(frozen=True, slots=True)
class Options:
    """How Manifold is asked, and which of its markets are good enough to be offered.

    `pages` of 1,000 markets are listed in the order of `sort`; a market that fewer than
    `min_bettors` people have bet on is not offered. It allows 500 requests a minute.
    """

    base_url: str = "https://api.manifold.markets/v0"
    sort: str = BUSIEST
    pages: int = 1
    min_bettors: int = 15
    per_second: float = 2.0


def options_of(settings: VenueSettings) -> Options:
    """Read the options of a venue.

    Raises:
        ArenaError: `venue.option`: one is unknown or has a wrong value.
    """
    return read_options(settings, Options, _RIGHT, _HINT)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "base_url": is_address,
    "sort": lambda value: value in SORTS,
    "pages": lambda value: is_whole(value, 1, MOST_PAGES),
    "min_bettors": lambda value: is_whole(value, 0, 1_000_000),
    "per_second": is_pace,
}
_HINT = f"pages are 1 to {MOST_PAGES}, sort is one of {', '.join(SORTS)}"
