"""Whether what somebody's own code gave has the types that its record declares.

A type checker holds our own code to them and knows nothing of a plugin's: what does not fit
is found here, before it is written where it could not be read back.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Final, NewType, Union, get_args, get_origin, get_type_hints

LARGEST: Final = 10**12  # of a count, an amount or a number of any kind, above and below 0

Check = Callable[[object], str]


def misfit(value: object, kind: object, *, in_utf8: bool = False) -> str:
    """Say what of a value is not as its kind, such as a record, declares it; empty if all is.

    Moments must have a time zone, and numbers be finite and of at most `LARGEST`. With
    `in_utf8` text must have bytes: replies may hold half a character, names may not.

    >>> from arena.records.answer import Usage
    >>> misfit(Usage(tokens_in=1.5), Usage), misfit(Usage(7), Usage)
    ('tokens_in: 1.5 is no int or None', '')
    """
    return _check_of(kind, _in_utf8 if in_utf8 else _text)(value)


@cache
def _check_of(kind: Any, text: Check) -> Check:  # noqa: ANN401  what an annotation may be
    if isinstance(kind, NewType):
        return _check_of(kind.__supertype__, text)
    if isinstance(kind, type) and is_dataclass(kind):
        return _record(kind, text)
    if kind is str:
        return text
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return _either(inner, text)
    if origin is tuple and inner[1:] != (...,):
        return _in_places(tuple(_check_of(each, text) for each in inner))
    if origin in {tuple, frozenset}:
        return _each(origin, _check_of(inner[0], text))
    if origin is not None and issubclass(origin, Mapping):
        return _keyed(*(_check_of(each, text) for each in inner))
    return _PLAIN.get(kind) or (
        lambda value: "" if isinstance(value, kind) else _is_no(value, kind)
    )


def _is_no(value: object, kind: type) -> str:
    return f"{ascii(value)[:60]} is no {_named(kind)}"


def _named(kind: type) -> str:
    return "None" if kind is type(None) else str(getattr(kind, "__name__", kind))


def _record(kind: type[Any], text: Check) -> Check:
    hints = get_type_hints(kind)
    checks = [(field.name, _check_of(hints[field.name], text)) for field in fields(kind)]

    def check(value: object) -> str:
        if not isinstance(value, kind):
            return _is_no(value, kind)
        for name, fits in checks:
            if words := fits(getattr(value, name)):
                return f"{name}: {words}"
        return ""

    return check


def _either(kinds: tuple[type, ...], text: Check) -> Check:
    checks = [_check_of(kind, text) for kind in kinds]
    names = " or ".join(_named(kind) for kind in kinds)

    def check(value: object) -> str:
        said = [words for fits in checks if (words := fits(value))]
        if len(said) < len(checks):
            return ""
        deeper = [words for words in said if ": " in words]
        return deeper[0] if deeper else f"{ascii(value)[:60]} is no {names}"

    return check


def _in_places(checks: tuple[Check, ...]) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, tuple) or len(value) != len(checks):
            return f"{ascii(value)[:60]} is no tuple of {len(checks)}"
        return next(
            (words for fits, v in zip(checks, value, strict=True) if (words := fits(v))), ""
        )

    return check


def _each(kind: type[Any], fits: Check) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, kind):
            return _is_no(value, kind)
        return next((words for each in value if (words := fits(each))), "")

    return check


def _keyed(of_key: Check, of_value: Check) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, Mapping):
            return _is_no(value, Mapping)
        found = (of_key(key) or of_value(each) for key, each in value.items())
        return next((words for words in found if words), "")

    return check


def _text(value: object) -> str:
    return "" if isinstance(value, str) else _is_no(value, str)


def _in_utf8(value: object) -> str:
    if not isinstance(value, str):
        return _is_no(value, str)
    try:
        value.encode()
    except UnicodeEncodeError:
        return _is_no(value, str)
    return ""


def _is_moment(value: object) -> bool:
    if not isinstance(value, datetime) or value.tzinfo is None:
        return False
    try:
        value.astimezone(UTC)
    except OverflowError:
        return False
    return True


def _is_number(value: object, *kinds: type) -> bool:
    if type(value) not in kinds:
        return False
    number: Any = value
    return isfinite(number) and abs(number) <= LARGEST


def _only(kind: type, fits: Callable[[object], bool]) -> Check:
    return lambda value: "" if fits(value) else _is_no(value, kind)


_PLAIN: Final[Mapping[type, Check]] = {
    int: _only(int, lambda value: _is_number(value, int)),
    float: _only(float, lambda value: _is_number(value, int, float)),
    Decimal: _only(Decimal, lambda value: _is_number(value, Decimal)),
    datetime: _only(datetime, _is_moment),
}
