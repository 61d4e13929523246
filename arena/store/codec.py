"""Records to canonical JSON and back, so that a digest of them means something."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from hashlib import sha256
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from arena.records.money import (
    Price,
    Shares,
    Usd,
    price_from_micro,
    shares_from_micro,
    usd_from_micro,
)
from arena.records.seal import ADDED

if TYPE_CHECKING:
    from sqlite3 import Row

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

# What making a record of a damaged row may raise.
UNREADABLE = (ValueError, LookupError, TypeError, ArithmeticError)

Record = TypeVar("Record")
Plain = dict[str, Any] | list[Any] | str | int | float | bool | None


def to_plain(value: object) -> Plain:
    """Turn a record into what JSON has words for: amounts and moments become text."""
    kind: Any = value.__class__
    return _writer(kind)(value)


def canonical(value: object) -> str:
    """Write the one JSON text of a record: keys sorted, no spaces, plain ASCII.

    >>> canonical({"b": 1, "a": (Decimal("0.10"), None)})
    '{"a":["0.1",null],"b":1}'
    """
    return _encode(to_plain(value))


def digest_of(value: object) -> str:
    """SHA-256 of a record's canonical JSON, in hexadecimal."""
    return sha256(canonical(value).encode()).hexdigest()


def from_plain(kind: Any, plain: Any) -> Any:  # noqa: ANN401  # any record there is
    """Read a value of `kind` back from what `to_plain` made of it."""
    return _reader(kind)(plain)


def moment(at: datetime) -> str:
    """Write a moment as text that sorts by time: ISO 8601 in UTC."""
    return at.astimezone(UTC).isoformat()


def read_moment(text: str) -> datetime:
    """Read a moment back."""
    return datetime.fromisoformat(text)


@cache
def _writer(kind: Any) -> Callable[[Any], Plain]:  # noqa: ANN401
    if issubclass(kind, Enum):
        return lambda value: str(value.value)
    if issubclass(kind, NoneType | str | int | float):
        return lambda value: value
    if issubclass(kind, tuple | list):
        return lambda value: [to_plain(v) for v in value]
    if issubclass(kind, dict):
        return lambda value: {key: to_plain(v) for key, v in value.items()}
    if issubclass(kind, Decimal):
        return lambda value: f"{value.normalize():f}"  # 10000 and 10000.00 are one amount
    if issubclass(kind, date):
        return moment if issubclass(kind, datetime) else date.isoformat
    if issubclass(kind, timedelta):
        return timedelta.total_seconds
    if is_dataclass(kind):
        return _record_writer(kind)
    raise TypeError(f"cannot keep a {kind.__name__} in the journal")


def _record_writer(kind: Any) -> Callable[[Any], Plain]:  # noqa: ANN401
    """Write every field; a field that was added later only if it is not its default.

    Entries that are in a journal already keep their text and their digest by that.
    """
    names = tuple(f.name for f in fields(kind) if not f.metadata)
    added = tuple((f.name, f.default) for f in fields(kind) if f.metadata == ADDED)

    def write(value: object) -> Plain:
        written = {name: to_plain(getattr(value, name)) for name in names}
        for name, default in added:
            inner = getattr(value, name)
            if inner != default:
                written[name] = to_plain(inner)
        return written

    return write


_READ: Final[Mapping[Any, Callable[[Any], Any]]] = {
    datetime: read_moment,
    date: date.fromisoformat,
    timedelta: lambda seconds: timedelta(seconds=seconds),
}


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:  # noqa: ANN401
    if hasattr(kind, "__supertype__"):
        return _reader(kind.__supertype__)
    origin = get_origin(kind)
    if origin in {Union, UnionType}:
        (inner,) = (k for k in get_args(kind) if k is not NoneType)
        return _or_none(_reader(inner))
    if origin is tuple:
        item = _reader(get_args(kind)[0])
        return lambda plain: tuple(item(p) for p in plain)
    if origin is Mapping:
        name, held = (_reader(inner) for inner in get_args(kind))
        return lambda plain: {name(key): held(value) for key, value in plain.items()}
    if is_dataclass(kind):
        return _record_reader(kind)
    return _READ.get(kind, kind)  # str, int, float, Decimal or an enum read themselves


def _record_reader(kind: Any) -> Callable[[Any], Any]:  # noqa: ANN401
    hints = get_type_hints(kind)
    readers = {f.name: _reader(hints[f.name]) for f in fields(kind)}

    def read(plain: dict[str, Any]) -> object:
        return kind(**{name: readers[name](value) for name, value in plain.items()})

    return read


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda plain: None if plain is None else read(plain)


def read_row(kind: type[Record], row: "Row", **given: object) -> Record:
    """Read a record from a row: each field is in the column of its name.

    Amounts are in columns of millionths, as `cost_micro` for `cost`; moments and dates are
    text, and tuples are JSON lists. Fields that are `given` are taken as they are, and other
    columns are left alone.
    """
    record: Any = kind
    columns = {
        name: read(row[column]) for name, column, read in _columns(record) if name not in given
    }
    return kind(**columns, **given)


_FROM_MICRO: Final[Mapping[Any, Callable[[int], object]]] = {
    Usd: usd_from_micro,
    Shares: shares_from_micro,
    Price: price_from_micro,
}


@cache
def _columns(kind: Any) -> tuple[tuple[str, str, Callable[[Any], Any]], ...]:  # noqa: ANN401
    hints = get_type_hints(kind)
    return tuple((f.name, *_column(f.name, hints[f.name])) for f in fields(kind))


def _column(name: str, hint: Any) -> tuple[str, Callable[[Any], Any]]:  # noqa: ANN401
    """The column that a field of a type is in, and what reads it."""
    for amount, read in _FROM_MICRO.items():
        if hint in {amount, amount | None}:
            return f"{name}_micro", read if hint is amount else _or_none(read)
    read = _reader(hint)
    return name, (lambda text: read(json.loads(text))) if get_origin(hint) is tuple else read
