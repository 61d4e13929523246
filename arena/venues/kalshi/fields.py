"""Reading rows of Kalshi's payloads: each is read whole, or left out with the reason."""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from arena.records.market import LeftOut
from arena.records.money import ONE, ZERO_USD, Price
from arena.venues.reading import Read, text, unit_price, unreadable

Row = Mapping[str, object]
LONGEST_NAME = 128

_TICKER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)

_T = TypeVar("_T")


class SkipError(Exception):
    """A row is not used. `malformed` tells one that cannot be read from a sound one."""

    def __init__(self, why: str, *, malformed: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.malformed = malformed


def broken(why: str) -> SkipError:
    """Make the error of a row that is not as the format has it."""
    return SkipError(why, malformed=True)


def is_ticker(value: object) -> bool:
    """Say whether something can be a ticker: what stands in no address as anything else."""
    return isinstance(value, str) and _TICKER.fullmatch(value) is not None


def ticker(row: Row, key: str) -> str:
    """Give a ticker that a row must have.

    Raises:
        SkipError: It has none.
    """
    value = row.get(key)
    if not isinstance(value, str) or not is_ticker(value):
        raise broken(f"no {key}")
    return value


def word(row: Row, key: str) -> str:
    """Give a text that a row must have.

    Raises:
        SkipError: It has none.
    """
    cell = text(row.get(key))
    if not cell:
        raise broken(f"no {key}")
    return cell


def price_text(value: object) -> Price | None:
    """Read a price of a `*_dollars` field: text in [0, 1], never a number of cents."""
    return unit_price(value) if isinstance(value, str) else None


def price_of(row: Row, key: str) -> Price:
    """Give a price that a row must have.

    Raises:
        SkipError: It has none.
    """
    price = price_text(row.get(key))
    if price is None:
        raise broken(f"no {key}")
    return price


def offered(price: Price) -> Price | None:
    """Give the price that somebody stands at; 0 and 1 are how an empty side is written."""
    return price if ZERO_USD < price < ONE else None


def mapping(value: object) -> Row:
    """Give an object, or an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def within(payload: object, key: str) -> Row:
    """Give the object that a payload must hold.

    Raises:
        SkipError: It holds none.
    """
    inner = mapping(payload).get(key)
    if not isinstance(inner, dict):
        raise broken(f"no {key}")
    return inner


def read_rows(
    rows: object, what: str, key: str, parse: Callable[[Row], tuple[str, _T]]
) -> Read[_T]:
    """Read each row of a list; `parse` gives its id and what it says.

    Of rows with the same id the first counts. None is an empty list, as Kalshi may write it.

    Args:
        rows: The list, as JSON gave it.
        what: What the list is called, for what cannot be named otherwise.
        key: Where a row names itself.
        parse: Reads one row; raises `SkipError`.
    """
    if rows is not None and not isinstance(rows, list):
        return Read(left_out=(unreadable(what, "this is not a list"),))
    read: dict[str, _T] = {}
    left: list[LeftOut] = []
    for n, row in enumerate(rows or (), start=1):
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


def read_one(what: str, parse: Callable[[], _T]) -> Read[_T]:
    """Read a payload that is one thing; `parse` raises `SkipError`."""
    try:
        return Read((parse(),))
    except SkipError as skip:
        return Read(left_out=(LeftOut(what, skip.why, skip.malformed),))


def read_list(
    payload: object, key: str, named_by: str, parse: Callable[[Row], tuple[str, _T]]
) -> Read[_T]:
    """Read the list that a payload must hold under a key."""
    body = mapping(payload)
    if key not in body:
        return Read(left_out=(unreadable("payload", f"no {key}"),))
    return read_rows(body[key], key, named_by, parse)


def holds_list(payload: object, key: str) -> bool:
    """Say whether a payload has a list under a key; None is an empty one."""
    body = mapping(payload)
    return key in body and isinstance(body[key], list | None)


def objects(value: object) -> list[Row]:
    """Give the objects of a list, and nothing where there is none."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
