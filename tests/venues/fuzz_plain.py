"""What values of JSON say, read a second time and plainly, to hold the arena's reading to."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, DecimalException
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from arena.records.money import Price, Shares

Json = Any

T = TypeVar("T")

GRID = Decimal("0.000001")
MOST = Decimal(9 * 10**12)  # in millionths more does not fit a database

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)
_DATE = re.compile(r"\d{4}-(\d\d-\d\d|W\d\d-\d)([T ].*)?", re.ASCII)


class Doubt(NamedTuple):
    """Something that was read and that the payload does not say."""

    outcome: bool
    why: str


def no_row(read: object) -> Doubt:
    return Doubt(outcome=False, why=f"{read!r:.80} was read from no row")


def number(value: Json) -> Decimal | None:
    """Give the finite number that a value says, bare or as text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return None
    try:
        found = Decimal(str(value) if isinstance(value, float) else value)
    except DecimalException:
        return None
    return found if found.is_finite() else None


def price(value: Json) -> Price | None:
    """Give the price that a value says, on the grid."""
    found = number(value)
    if found is None or not 0 <= found <= 1:
        return None
    return Price(found.quantize(GRID, ROUND_HALF_EVEN))


def inside(value: Json) -> Price | None:
    """Give a price that somebody may stand at."""
    found = price(value)
    return found if found is not None and 0 < found < 1 else None


def turned(value: Decimal | None) -> Price | None:
    return None if value is None else Price(1 - value)


def amount(value: Json) -> Decimal | None:
    """Give dollars, shares or the like: 0 or more, and no astronomical number."""
    found = number(value)
    return found if found is not None and 0 <= found <= MOST else None


def floored(value: Json) -> Shares | None:
    found = amount(value)
    return None if found is None else Shares(found.quantize(GRID, ROUND_FLOOR))


def first(*values: T | None) -> T | None:
    return next((value for value in values if value is not None), None)


def near(read: Decimal | None, said: Decimal | None) -> bool:
    """Whether a number is the one that was said, rounded to the grid."""
    if read is None or said is None:
        return read is said
    return abs(read - said) <= GRID


def when(value: Json) -> datetime | None:
    """Give the moment that a value says: ISO text, or a number by its size."""
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            found = datetime.fromisoformat(value)
            found = found if found.tzinfo else found.replace(tzinfo=UTC)
            return found.astimezone(UTC) if found.year > 1 else None
        except (ValueError, OverflowError):
            return None
    said = number(value)
    digits = 0 if said is None or not 1 <= said < 10**18 else len(str(int(said)))
    unit = {10: 10**6, 13: 10**3, 16: 1}.get(digits)
    return None if said is None or unit is None else _after(int(said * unit))


def millis(value: Json) -> datetime | None:
    """Give the moment that a number of milliseconds says."""
    said = number(value)
    return _after(int(said) * 1000) if said is not None and 0 <= said < 10**15 else None


def _after(micros: int) -> datetime | None:
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    except OverflowError:
        return None


def word(value: Json) -> str:
    """Give a text without what stands around it; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value[:20_000].replace("\0", "").encode(errors="replace").decode().strip()


def listed(value: Json) -> list[Json]:
    """Give a list, bare or as JSON in a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_float=Decimal)
        except (ValueError, ArithmeticError, RecursionError):
            return []
    return value if isinstance(value, list) else []


def entries(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def rows(value: Json) -> list[dict[str, Json]]:
    """Give the objects of a list."""
    return [row for row in entries(value) if isinstance(row, dict)]


def part(value: Json, *way: str) -> Json:
    """Give what is deeper in objects; None where there is nothing."""
    for step in way:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def flat(record: Any, name: str = "") -> dict[str, object]:  # noqa: ANN401
    """Lay out a record, `quote.bid` by `quote.bid`."""
    if is_dataclass(record) and not isinstance(record, type):
        inner = (flat(getattr(record, f.name), f"{name}.{f.name}") for f in fields(record))
        return {key: value for part in inner for key, value in part.items()}
    return {name.lstrip("."): record}


def leaves(value: object) -> Iterator[object]:
    """Give everything that a record holds, however deep."""
    if is_dataclass(value) and not isinstance(value, type):
        for own in fields(value):
            yield from leaves(getattr(value, own.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from leaves(one)
    else:
        yield value


def unsound(record: object) -> Iterator[Doubt]:
    """Doubt what no record may hold, whatever was said: it cannot be kept, or is no value."""
    for value in leaves(record):
        if isinstance(value, Decimal) and not value.is_finite():
            yield Doubt(outcome=False, why=f"{value} is no number")
        if isinstance(value, datetime) and value.tzinfo is not UTC:
            yield Doubt(outcome=False, why=f"{value} is not in UTC")
        if isinstance(value, str) and not isinstance(value, Enum):
            try:
                value.encode()
            except UnicodeEncodeError:
                yield Doubt(outcome=False, why=f"{value!r:.60} is no text")


def differ(told: Iterable[tuple[str, Any, Any]]) -> Iterator[Doubt]:
    """Doubt each number or moment that is another than was said."""
    for name, read, said in told:
        same = near(read, said) if isinstance(read, Decimal) else read == said
        if not same:
            yield Doubt(outcome=False, why=f"{name} is {read}, and {said} was said")
