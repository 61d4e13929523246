"""What `config.yaml` may say about how Kalshi is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.errors import ArenaError
from arena.http.manners import FASTEST
from arena.records.settings import VenueSettings
from arena.venues.kalshi.books import DEPTH

MOST_PAGES = 1_000
MOST_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Options:
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
    return 0 < value <= FASTEST


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "base_url": _is_address,
    "fallback_url": lambda value: value == "" or _is_address(value),
    "pages": lambda value: _is_whole(value, 1, MOST_PAGES),
    "depth": lambda value: _is_whole(value, 0, MOST_DEPTH),
    "per_second": _is_pace,
}


def _wrong(settings: VenueSettings, what: str) -> ArenaError:
    hint = (
        f"its options are {', '.join(_RIGHT)}; pages are 1 to {MOST_PAGES}, "
        f"depth is 0 to {MOST_DEPTH}"
    )
    message = f"the venue {settings.id!r} {what}"
    return ArenaError("venue.option", message, hint=hint, status=2)
