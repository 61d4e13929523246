"""What `config.yaml` may say about how Kalshi is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.records.settings import VenueSettings
from arena.venues.kalshi.books import DEPTH
from arena.venues.options import is_address, is_pace, is_whole, read_options

MOST_PAGES = 1_000
MOST_DEPTH = 100


@dataclass(frozen=True, slots=True)
class KalshiOptions:
    """How Kalshi is asked.

    `fallback_url` is asked where `base_url` does not answer; empty is none. At most `pages`
    of 200 events are listed. `depth` is how many levels of a book's side are kept; with 0 no
    book is asked for, and a quote has its best prices alone.
    """

    base_url: str = "https://external-api.kalshi.com/trade-api/v2"
    fallback_url: str = "https://api.elections.kalshi.com/trade-api/v2"
    pages: int = 100
    depth: int = DEPTH
    per_second: float = 5.0


def options_of(settings: VenueSettings) -> KalshiOptions:
    """Read the options of a venue.

    Raises:
        ArenaError: `venue.option`: one is unknown or has a wrong value.
    """
    return read_options(settings, KalshiOptions, _RIGHT, _HINT)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "base_url": is_address,
    "fallback_url": lambda value: value == "" or is_address(value),
    "pages": lambda value: is_whole(value, 1, MOST_PAGES),
    "depth": lambda value: is_whole(value, 0, MOST_DEPTH),
    "per_second": is_pace,
}
_HINT = f"pages are 1 to {MOST_PAGES}, depth is 0 to {MOST_DEPTH}"
