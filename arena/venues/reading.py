"""Reading what servers send: anything may be missing, malformed, or of another type.

Every function is pure. What cannot be read is None or empty, never a number that nobody said.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Generic, TypeVar

from arena.http.retries import changed
from arena.records.market import LeftOut, Market, MarketId, Quote, Status, VenueId
from arena.records.money import ONE, ZERO_USD, Price, Shares, Usd, price, shares_down, usd

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNITS = ((10**9, 1_000_000), (10**12, 1_000), (10**15, 1))  # least number, microseconds
MOST = Decimal(9 * 10**12)  # dollars or shares: in millionths more does not fit the database
LONGEST_TEXT = 20_000
REMEMBERED = 4096  # texts: a poll says the same few prices and lists again and again
SHORT = 256
LONGEST_NAME = 128  # of a row that is left out
DATE_ENDS = ("", "T", " ")  # what may follow a date: Python takes any character

Row = Mapping[str, object]

_NUMBERS = (str, int, float)  # a tuple is looked through faster than a union
_decode = json.JSONDecoder(parse_float=Decimal).raw_decode

_T = TypeVar("_T")


def number(value: object) -> Decimal | None:
    """Read a finite number, bare or as text."""
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        return None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None  # Decimal takes 0_5 for 5, and the digits of every script
    try:
        read = Decimal(str(value) if isinstance(value, float) else value)
    except (InvalidOperation, ValueError):
        return None
    return read if read.is_finite() else None


def unit_price(value: object) -> Price | None:
    """Read a price in [0, 1], bare or as text."""
    if isinstance(value, str) and len(value) <= SHORT:
        return _price_in(value)
    return _as_price(number(value))


@lru_cache(REMEMBERED)
def _price_in(written: str) -> Price | None:
    return _as_price(number(written))


@lru_cache(REMEMBERED)
def _as_price(read: Decimal | None) -> Price | None:
    return price(read) if read is not None and ZERO_USD <= read <= ONE else None


def dollars(value: object) -> Usd | None:
    """Read an amount of dollars that is not negative."""
    read = number(value)
    return usd(read) if read is not None and ZERO_USD <= read <= MOST else None


def count(value: object) -> Shares | None:
    """Read a number of shares that is not negative."""
    read = number(value)
    return shares_down(read) if read is not None and ZERO_USD <= read <= MOST else None


def json_list(value: object) -> list[object]:
    """Read a list, bare or as JSON in a string; anything else is an empty list."""
    if isinstance(value, str):
        return list(_short_list(value) if len(value) <= SHORT else _list_in(value))
    return value if isinstance(value, list) else []


def _list_in(written: str) -> Sequence[object]:
    bare = written.strip(" \t\n\r")
    try:
        parsed, end = _decode(bare)
    except (ValueError, ArithmeticError, RecursionError):
        return ()
    return parsed if isinstance(parsed, list) and end == len(bare) else ()


_short_list = lru_cache(REMEMBERED)(_list_in)


def mappings(value: object) -> list[dict[str, object]]:
    """Read a list of objects, leaving out what is none."""
    rows = json_list(value)
    return [row for row in rows if isinstance(row, dict)] if rows else []


def mapping(value: object) -> Row:
    """Give an object, or an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """Read text that can be stored, cut where it is absurdly long; "" where there is none."""
    if not isinstance(value, str):
        return ""
    if len(value) > LONGEST_TEXT or "\0" in value:
        value = value[:LONGEST_TEXT].replace("\0", "")
    if not value.isascii():
        value = value.encode("utf-8", "replace").decode()
    return value.strip()


def flag(value: object) -> bool | None:
    """Read true or false; a word or a number is neither."""
    return value if isinstance(value, bool) else None


def moment(value: object) -> datetime | None:
    """Read a time: ISO text, or seconds, milli- or microseconds since 1970, in UTC.

    Year 1 is how venues write that there is none. A number that is no time from September
    2001 to 2286 in any of the three units is none: it has lost a digit, or is something else.
    """
    try:
        if not isinstance(value, str) or not _starts_as_date(value):
            since = number(value)
            return None if since is None else _since_epoch(since)
        if value[10:11] not in DATE_ENDS:
            return None
        read = datetime.fromisoformat(value)
        read = read if read.tzinfo else read.replace(tzinfo=UTC)
        if read.year <= 1:
            return None
        return read if read.tzinfo is UTC else read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _starts_as_date(value: str) -> bool:
    """Say whether text begins with a year and a dash, as no number does."""
    return value[4:5] == "-" and value[:4].isdigit()


def _since_epoch(since: Decimal) -> datetime | None:
    """Read seconds, milli- or microseconds, told apart by their size."""
    units = (unit for least, unit in UNITS if least <= since < 10 * least)
    unit = next(units, None)
    return None if unit is None else EPOCH + timedelta(microseconds=int(since * unit))


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


MOST_MALFORMED = 0.05

_ROWS_T = TypeVar("_ROWS_T")


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose payload it is, and the moment for which it holds."""

    venue: VenueId
    at: datetime


@dataclass(frozen=True, slots=True)
class Listed:
    """A market as a list shows it: its facts, the list's own price, and its state."""

    market: Market
    quote: Quote | None
    status: Status


@dataclass(frozen=True, slots=True)
class Read(Generic[_ROWS_T]):
    """The rows of a payload that could be read, in its order, and those that are left out."""

    rows: tuple[_ROWS_T, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def __add__(self, other: "Read[_ROWS_T]") -> "Read[_ROWS_T]":
        return Read(self.rows + other.rows, self.left_out + other.left_out)


def unreadable(what: str, why: str) -> LeftOut:
    """Name something that is not as the venue's format has it."""
    return LeftOut(what, why, malformed=True)


def first_of_each(
    rows: Iterable[_ROWS_T | LeftOut],
    key: Callable[[_ROWS_T], object],
    again: str,
    *,
    malformed: bool = True,
) -> Read[_ROWS_T]:
    """Gather rows and what is left out; of two with one key the first counts.

    Args:
        rows: What was read of each row, in order.
        key: Names a row.
        again: Why the second of a name is left out.
        malformed: Whether a second one is not as the format has it.
    """
    kept: dict[object, _ROWS_T] = {}
    left: list[LeftOut] = []
    for row in rows:
        if isinstance(row, LeftOut):
            left.append(row)
        elif kept.setdefault(key(row), row) is not row:
            left.append(LeftOut(str(key(row)), again, malformed=malformed))
    return Read(tuple(kept.values()), tuple(left))


class SkipError(Exception):
    """A row is not used. `malformed` tells one that cannot be read from a sound one."""

    def __init__(self, why: str, *, malformed: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.malformed = malformed


def broken(why: str) -> SkipError:
    """Make the error of a row that is not as the format has it."""
    return SkipError(why, malformed=True)


def read_rows(
    rows: object, what: str, key: str, parse: Callable[[Row], tuple[str, _ROWS_T]]
) -> Read[_ROWS_T]:
    """Read each row of a list; `parse` gives its id and what it says.

    Of rows with the same id the first counts.

    Args:
        rows: The list, as JSON gave it.
        what: What the list is called, for what cannot be named otherwise.
        key: Where a row names itself.
        parse: Reads one row; raises `SkipError`.
    """
    if not isinstance(rows, list):
        return Read(left_out=(unreadable(what, "this is not a list"),))
    read: dict[str, _ROWS_T] = {}
    left: list[LeftOut] = []
    for n, row in enumerate(rows, start=1):
        name = text(mapping(row).get(key))[:LONGEST_NAME] or f"{what} row {n}"
        try:
            if not isinstance(row, dict):
                raise broken("this is not an object")
            own, parsed = parse(row)
            if own in read:
                raise broken("it comes twice")
            read[own] = parsed
        except SkipError as skip:
            left.append(LeftOut(name, skip.why, skip.malformed))
    return Read(tuple(read.values()), tuple(left))


def read_one(what: str, parse: Callable[[], _ROWS_T]) -> Read[_ROWS_T]:
    """Read a payload that is one thing; `parse` raises `SkipError`."""
    try:
        return Read((parse(),))
    except SkipError as skip:
        return Read(left_out=(LeftOut(what, skip.why, skip.malformed),))


def concatenated(reads: Iterable[Read[_ROWS_T]]) -> Read[_ROWS_T]:
    """Join what was read of several payloads, in order."""
    nothing: Read[_ROWS_T] = Read()
    return sum(reads, nothing)


def hold_to_format(venue: VenueId, kind: str, read: Read[_ROWS_T]) -> Read[_ROWS_T]:
    """Let what was read pass, where nearly all of it could be.

    One malformed row is an accident, or 5 % of many are. More, or nothing but malformed
    rows, is a venue that has changed.

    Raises:
        ArenaError: `venue.format`: too much of it cannot be read; nothing of it may be used.
    """
    bad = [left for left in read.left_out if left.malformed]
    total = len(read.rows) + len(read.left_out)
    if len(bad) > max(1, MOST_MALFORMED * total) or (bad and len(bad) == total):
        such = f"such as {bad[0].what}: {bad[0].why}"
        raise changed(venue, f"{len(bad)} of {total} {kind} cannot be read, {such}")
    return read
