"""What values of JSON say, read a second time and plainly, to hold the arena's reading to."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal, DecimalException
from enum import Enum
from typing import Any

from arena.records.money import Price

Json = Any

GRID = Decimal("0.000001")

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)


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


def rows(value: Json) -> list[dict[str, Json]]:
    """Give the objects of a list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


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


def unsound(record: object) -> Iterator[str]:
    """Name what no record may hold, whatever was said: it cannot be kept, or is no value."""
    for value in leaves(record):
        if isinstance(value, Decimal) and not value.is_finite():
            yield f"{value} is no number"
        if isinstance(value, datetime) and value.tzinfo is not UTC:
            yield f"{value} is not in UTC"
        if isinstance(value, str) and not isinstance(value, Enum):
            try:
                value.encode()
            except UnicodeEncodeError:
                yield f"{value!r:.60} is no text"


def prices_said(value: Json) -> Iterator[Decimal]:
    """Give every price that stands anywhere in a payload, and the other side's."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from prices_said(name)
            yield from prices_said(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from prices_said(inner)
    else:
        if (said := price(value)) is not None:
            yield from (said, 1 - said)
        if isinstance(value, str) and "[" in value[:300]:
            yield from prices_said(listed(value))


def prices_read(record: object, name: str = "") -> Iterator[Decimal]:
    """Give every price that a record holds: bids, asks, levels and points."""
    if is_dataclass(record) and not isinstance(record, type):
        for own in fields(record):
            yield from prices_read(getattr(record, own.name), own.name)
    elif isinstance(record, tuple):
        for inner in record:
            yield from prices_read(inner, name)
    elif isinstance(record, Decimal) and name in {"bid", "ask", "price"}:
        yield record
