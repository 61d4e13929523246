"""Reading what servers send: anything may be missing, malformed, or of another type.

Every function is pure. What cannot be read is None or empty, never a number that nobody said.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from arena.records.market import MarketId, VenueId
from arena.records.money import Price, Shares, Usd, price, shares_down, usd

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLIS_FROM, MICROS_FROM, NO_TIME_FROM = 10**11, 10**14, 10**18
MOST = Decimal(9 * 10**12)  # dollars or shares: in millionths more does not fit the database
LONGEST_TEXT = 20_000

_T = TypeVar("_T")


def number(value: object) -> Decimal | None:
    """Read a finite number, bare or as text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    try:
        read = Decimal(str(value) if isinstance(value, float) else value)
    except (InvalidOperation, ValueError):
        return None
    return read if read.is_finite() else None


def unit_price(value: object) -> Price | None:
    """Read a price in [0, 1], bare or as text."""
    read = number(value)
    return price(read) if read is not None and 0 <= read <= 1 else None


def dollars(value: object) -> Usd | None:
    """Read an amount of dollars that is not negative."""
    read = number(value)
    return usd(read) if read is not None and 0 <= read <= MOST else None


def count(value: object) -> Shares | None:
    """Read a number of shares that is not negative."""
    read = number(value)
    return shares_down(read) if read is not None and 0 <= read <= MOST else None


def json_list(value: object) -> list[object]:
    """Read a list, bare or as JSON in a string; anything else is an empty list."""
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_float=Decimal)
        except (ValueError, ArithmeticError, RecursionError):
            return []
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, object]]:
    """Read a list of objects, leaving out what is none."""
    return [row for row in json_list(value) if isinstance(row, dict)]


def text(value: object) -> str:
    """Read text that can be stored, cut where it is absurdly long; "" where there is none."""
    if not isinstance(value, str):
        return ""
    cut = value[:LONGEST_TEXT].replace("\0", "")
    return cut.encode("utf-8", "replace").decode().strip()


def flag(value: object) -> bool | None:
    """Read true or false; a word or a number is neither."""
    return value if isinstance(value, bool) else None


def moment(value: object) -> datetime | None:
    """Read a time: ISO text, or seconds, milli- or microseconds since 1970, in UTC.

    Year 1 is how venues write that there is none.
    """
    try:
        since = number(value)
        if since is not None:
            return _since_epoch(since)
        read = datetime.fromisoformat(value if isinstance(value, str) else "")
        read = read if read.tzinfo else read.replace(tzinfo=UTC)
        return read.astimezone(UTC) if read.year > 1 else None
    except (ValueError, OverflowError):
        return None


def _since_epoch(since: Decimal) -> datetime | None:
    """Read seconds, milli- or microseconds, told apart by their size."""
    if not -NO_TIME_FROM < since < NO_TIME_FROM:  # abs() would overflow on 1e9999999
        return None
    unit = 1_000_000 if since < MILLIS_FROM else 1_000 if since < MICROS_FROM else 1
    return EPOCH + timedelta(microseconds=int(since * unit))


def market_id(venue: VenueId, own: str) -> MarketId:
    """Name a market for the arena: its venue's name here, and its own id there.

    >>> market_id(VenueId("kalshi"), "KXFED-26JUN")
    'kalshi:KXFED-26JUN'
    """
    return MarketId(f"{venue}:{own}")


def own_id(venue: VenueId, market: MarketId) -> str | None:
    """Give a venue's own id of a market; None where the market is not of this venue."""
    name, _, own = market.partition(":")
    return own if name == venue and own else None


def chunks(values: Sequence[_T], most: int) -> Iterator[Sequence[_T]]:
    """Cut a sequence into pieces of at most so many."""
    for start in range(0, len(values), most):
        yield values[start : start + most]
