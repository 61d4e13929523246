"""What `config.yaml` may say about how Polymarket is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.records.settings import VenueSettings

BUSIEST = "volume24hr"
ORDERS = (BUSIEST, "volumeNum", "liquidityNum")  # `volume` is sorted as text
FASTEST = 1e6  # requests a second, as a test on this machine may want
MOST_PAGES, MOST_DAYS, MOST_DEPTH = 100, 3650, 1000


@dataclass(frozen=True, slots=True)
class Options:
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
    if not isinstance(value, str) or not value.startswith(("https://", "http://")):
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.hostname) and not parts.query and not parts.fragment


def _is_number(value: object, least: float, most: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return isfinite(value) and least <= value <= most


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and _is_number(value, least, most)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "gamma": _is_address,
    "clob": _is_address,
    "data": _is_address,
    "order": lambda value: value in ORDERS,
    "pages": lambda value: _is_whole(value, 1, MOST_PAGES),
    "volume_num_min": lambda value: _is_number(value, 0, 1e12),
    "liquidity_num_min": lambda value: _is_number(value, 0, 1e12),
    "closes_within_days": lambda value: _is_number(value, 0.01, MOST_DAYS),
    "depth": lambda value: _is_whole(value, 1, MOST_DEPTH),
    "per_second": lambda value: _is_number(value, 0.001, FASTEST),
}


def _wrong(settings: VenueSettings, what: str) -> ArenaError:
    hint = (
        f"its options are {', '.join(_RIGHT)}; pages are 1 to {MOST_PAGES}, "
        f"order is one of {', '.join(ORDERS)}"
    )
    message = f"the venue {settings.id!r} {what}"
    return ArenaError("venue.option", message, hint=hint, status=2)
