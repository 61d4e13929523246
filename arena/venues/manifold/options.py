"""What `config.yaml` may say about how Manifold is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from arena.errors import ArenaError
from arena.records.settings import VenueSettings

PAGE = 1000  # rows: the most it gives at once
FASTEST = 1e6  # requests a second, as a test on this machine may want
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
    given = dict(settings.options)
    for name, value in given.items():
        if name not in _RIGHT:
            raise _wrong(settings, f"does not know the option {name!r}")
        if not _RIGHT[name](value):
            raise _wrong(settings, f"cannot use {value!r} as {name}")
    return Options(**given)  # type: ignore[arg-type]  # each was looked at


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))


def _is_pace(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and 0 < value <= FASTEST


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "base_url": _is_address,
    "sort": lambda value: value in SORTS,
    "pages": lambda value: _is_whole(value, 1, MOST_PAGES),
    "min_bettors": lambda value: _is_whole(value, 0, 1_000_000),
    "per_second": _is_pace,
}


def _wrong(settings: VenueSettings, what: str) -> ArenaError:
    hint = (
        f"its options are {', '.join(_RIGHT)}; pages are 1 to {MOST_PAGES}, "
        f"sort is one of {', '.join(SORTS)}"
    )
    message = f"the venue {settings.id!r} {what}"
    return ArenaError("venue.option", message, hint=hint, status=2)
