"""Faults in what an answer says: in its fields, its rows, its books and its outcomes."""

import copy
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from arena.records.market import NO_WINS, YES_WINS, Level, State
from arena.records.money import price, shares
from arena.venues.simulated.world import HOUR
from tests.standins.venues.dialect import draw
from tests.standins.venues.faults import Fault
from tests.standins.venues.world import WorldMarket, WorldView

Row = dict[str, Any]
Seed = tuple[object, ...]

AFTER = timedelta(hours=24)  # how long after the last word a state may still be wrong
GHOST = shares(5)
ROWS_A_COPY = 40  # one of so many rows comes twice
MOST_BESIDE = 4  # fields of a page, such as its rows and the cursor of the next

_PRICE = re.compile(r"price|bid|ask|mid|prob|^p$|dollars", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)


def groups_of(payload: object) -> list[list[Row]]:
    """Find the rows of a payload: one list of them for every kind that it holds.

    A payload of one object is a list of one row. Rows that hold `markets` are one kind, and
    their markets another.
    """
    if isinstance(payload, list):
        return _with_nested([row for row in payload if isinstance(row, dict)])
    if not isinstance(payload, dict):
        return []
    found = []
    for value in payload.values():
        held = value if isinstance(value, list) else [value]
        if rows := [row for row in held if isinstance(row, dict)]:
            found += _with_nested(rows)
    return found or ([[payload]] if payload else [])


def spoil_fields(payload: object, fault: Fault, seed: Seed, field: str = "") -> object:
    """Give a copy of a payload in which one field is wrong, of every row or of one.

    Args:
        payload: What the venue would say.
        fault: One of `IN_FIELDS`.
        seed: What chance follows from.
        field: Which field; drawn from those that the fault can befall if it is empty.

    Returns:
        The copy; as it was, where no field can be spoiled so.
    """
    spoiled: Any = copy.deepcopy(payload)
    groups = groups_of(spoiled)
    if fault is Fault.NULL_PRICES:
        for row in (row for group in groups for row in group):
            row.update({key: None for key in row if _PRICE.search(key)})
        return spoiled
    change = _CHANGES[fault]
    hit = [group for group in groups if _fields(group, fault, field)]
    if not hit:
        return spoiled
    group = hit[int(draw("group", *seed) * len(hit))]
    fields = _fields(group, fault, field)
    key = fields[int(draw("field", *seed) * len(fields))]
    rows = [row for row in group if key in row and _fits(row[key], fault)]
    if draw("rows", *seed) < 1 / 2:
        rows = rows[: max(1, len(rows) // 8)]
    for row in rows:
        change(row, key)
    return spoiled


def spoil_list(payload: object, fault: Fault) -> object:
    """Give a copy of a page with some rows twice, or with none; what is no page stays."""
    spoiled: Any = copy.deepcopy(payload)
    for rows in _pages(spoiled):
        if fault is Fault.EMPTY_PAGE:
            rows.clear()
        else:
            rows.extend(copy.deepcopy(rows[: 1 + len(rows) // ROWS_A_COPY]))
    return spoiled


def bend_books(view: WorldView, fault: Fault) -> WorldView:
    """Give a view in which every open book is as the fault has it."""
    bend = _BOOKS[fault]
    return view.changed(bend(m) for m in view.markets if m.state is State.OPEN)


def flicker(view: WorldView, seed: object) -> WorldView:
    """Give a view in which the markets whose hour has come are said to be in a wrong state.

    Each market has one such hour, between its close and a day after the last word on it. In
    it a resolved market is said to have gone the other way, or not to be resolved; one that
    waits for the word is said to have it, and the wrong one.
    """
    hour = view.at.replace(minute=0, second=0, microsecond=0)
    return view.changed(
        _misread(view, market, seed)
        for market in view.markets
        if market.closed_at is not None and _wrong_hour(view, market, seed) == hour
    )


def _wrong_hour(view: WorldView, market: WorldMarket, seed: object) -> object:
    closed = market.closed_at or market.opens_at
    hours = (view.course(market.number)[-1].at + AFTER - closed) // HOUR
    return closed + int(draw("flicker", seed, market.number) * hours) * HOUR


def _misread(view: WorldView, market: WorldMarket, seed: object) -> WorldMarket:
    final = view.course(market.number)[-1].outcome
    wrong = NO_WINS if final == YES_WINS else YES_WINS
    if market.state is State.RESOLVED and draw("back", seed, market.number) < 1 / 2:
        return replace(market, state=State.CLOSED_PENDING, outcome=None, resolved_at=None)
    return replace(market, state=State.RESOLVED, outcome=wrong, resolved_at=view.at)


def _ghost(market: WorldMarket) -> WorldMarket:
    return replace(
        market, bids=(Level(price("0.01"), GHOST),), asks=(Level(price("0.99"), GHOST),)
    )


def _crossed(market: WorldMarket) -> WorldMarket:
    if not market.bids or not market.asks:
        return market
    return replace(market, bids=market.asks[:1], asks=market.bids[:1])


def _empty(market: WorldMarket) -> WorldMarket:
    return replace(market, bids=(), asks=())


def _one_sided(market: WorldMarket) -> WorldMarket:
    return replace(market, bids=()) if market.number % 2 else replace(market, asks=())


_BOOKS: dict[Fault, Callable[[WorldMarket], WorldMarket]] = {
    Fault.GHOST_BOOK: _ghost,
    Fault.CROSSED_BOOK: _crossed,
    Fault.EMPTY_BOOK: _empty,
    Fault.ONE_SIDED_BOOK: _one_sided,
}


def _pages(payload: Any) -> list[list[Any]]:  # noqa: ANN401  JSON
    """Find the lists of a page: it is one, or little else stands beside it."""
    if isinstance(payload, list):
        return [payload]
    if not isinstance(payload, dict) or len(payload) > MOST_BESIDE:
        return []
    return [value for value in payload.values() if isinstance(value, list) and value]


def _with_nested(rows: list[Row]) -> list[list[Row]]:
    nested = [
        market
        for row in rows
        for market in (row["markets"] if isinstance(row.get("markets"), list) else [])
        if isinstance(market, dict)
    ]
    return [kind for kind in (rows, nested) if kind]


def _fields(group: Sequence[Row], fault: Fault, field: str) -> list[str]:
    """Name the fields of the rows that the fault can befall."""
    keys = dict.fromkeys(
        key for row in group for key, value in row.items() if _fits(value, fault)
    )
    return [key for key in keys if field in {"", key}]


def _fits(value: object, fault: Fault) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match fault:
        case Fault.NUMBER_AS_TEXT:
            return number
        case Fault.TEXT_AS_NUMBER:
            return isinstance(value, str)
        case Fault.NOT_A_NUMBER:
            return number or (isinstance(value, str) and bool(_NUMBER.fullmatch(value)))
        case Fault.NULLED:
            return value is not None
    return True


def _rename(row: Row, key: str) -> None:
    row[f"{key}_v2"] = row.pop(key)


def _drop(row: Row, key: str) -> None:
    del row[key]


def _to_text(row: Row, key: str) -> None:
    row[key] = str(row[key])


def _to_number(row: Row, key: str) -> None:
    said = row[key]
    row[key] = float(said) if _NUMBER.fullmatch(said) else len(said)


def _null(row: Row, key: str) -> None:
    row[key] = None


def _to_nan(row: Row, key: str) -> None:
    row[key] = "NaN" if isinstance(row[key], str) else math.nan


_CHANGES: dict[Fault, Callable[[Row, str], None]] = {
    Fault.RENAMED: _rename,
    Fault.DROPPED: _drop,
    Fault.NUMBER_AS_TEXT: _to_text,
    Fault.TEXT_AS_NUMBER: _to_number,
    Fault.NULLED: _null,
    Fault.NOT_A_NUMBER: _to_nan,
}
