"""The twin of a page: the same numbers for machines, as one JSON document."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal
from functools import cache
from io import StringIO
from operator import attrgetter, is_
from typing import Any, TypeVar, get_args, get_type_hints

from arena.site import places
from arena.site.views.parts import Between, Cell, Drawing, Figure, Grid, Head, Moment

SCHEMA_VERSION = 1

View = TypeVar("View")

_HIDDEN: Mapping[type, tuple[str, ...]] = {
    Figure: ("wide", "narrow", "alone", "looks"),
    Between: ("drawn",),
    Head: ("root",),
    Drawing: ("svg",),
}


@dataclass(frozen=True, slots=True)
class Told:
    """What a view says: its twin, and every value that only people get to see, in order."""

    twin: str
    unsaid: tuple[str, ...]


def told(view: object, template: str) -> Told:
    """Write what a page shows as JSON, and note what else stands in its view.

    Amounts are exact text, scores as they are, and what is missing is null. A cell has the
    `text` that is read and the `value` behind it; drawings are left out, their numbers are not.

    Args:
        view: The page's view.
        template: What it is filled into: it names the kind of the page.
    """
    unsaid: list[str] = []

    def plain(value: object) -> object:
        return _plain(value, unsaid)

    said = _plain(view, unsaid)
    kind = template.removesuffix(".html")
    document = {"schema_version": SCHEMA_VERSION, "page": kind, **said}
    text = json.dumps(
        document, ensure_ascii=False, allow_nan=False, check_circular=False, default=plain
    )
    return Told(f"{text}\n", tuple(unsaid))


def figures_in(view: object) -> Iterator[Figure]:
    """Every figure that a page shows, in the order of its fields."""
    if isinstance(view, Figure):
        yield view
    elif isinstance(view, tuple):
        for inner in view:
            yield from figures_in(inner)
    elif is_dataclass(view):
        for name in _leading(view.__class__):
            yield from figures_in(getattr(view, name))


def linked(view: View, path: str) -> View:
    """Tell a page's head where its twin stands, and its figures where their files do."""
    return _linked(view, path.rpartition("/")[2])  # type: ignore[no-any-return]


def _linked(value: Any, name: str) -> Any:  # noqa: ANN401  # any record there is
    if isinstance(value, Head):
        return replace(value, twin=places.twin(name))
    if isinstance(value, Figure):
        return replace(
            value,
            svg=places.figure(name, value.key, "svg") if value.alone else "",
            csv=places.figure(name, value.key, "csv") if value.grid.head else "",
        )
    if isinstance(value, tuple):
        inner = tuple(_linked(one, name) for one in value)
        return value if all(map(is_, inner, value)) else inner
    if not is_dataclass(value) or isinstance(value, type):
        return value
    old = {field: getattr(value, field) for field in _leading(value.__class__)}
    new = {field: _linked(one, name) for field, one in old.items()}
    return value if all(new[field] is old[field] for field in old) else replace(value, **new)


@cache
def _leading(kind: Any) -> tuple[str, ...]:  # noqa: ANN401  # any record there is
    """The fields of a record that a head or a figure may stand in."""
    hints = get_type_hints(kind)
    return tuple(f.name for f in fields(kind) if _may_hold(hints[f.name], (kind,)))


def _may_hold(hint: Any, seen: tuple[Any, ...]) -> bool:  # noqa: ANN401  # any type there is
    if hint in {Figure, Head, object, Any}:
        return True
    if is_dataclass(hint):
        inner = () if hint in seen else get_type_hints(hint).values()
        return any(_may_hold(one, (*seen, hint)) for one in inner)
    return any(_may_hold(one, seen) for one in get_args(hint))


def csv_of(grid: Grid) -> str:
    """Write a table as CSV: exact values, and text that no spreadsheet takes for a formula."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([unarmed(name) for name in grid.head])
    for row in grid.rows:
        writer.writerow([_field(cell) for cell in row])
    return text.getvalue()


def unarmed(text: str) -> str:
    """Make text from outside harmless to a spreadsheet, which would run a formula.

    >>> unarmed("=1+1"), unarmed("rain")
    ("'=1+1", 'rain')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "|", "%")) else text


def _field(cell: Cell) -> str:
    value = cell.value
    if value is None or isinstance(value, str):
        return unarmed(value or cell.text)
    return _exact(value) if isinstance(value, Decimal) else str(value)


def _plain(value: Any, unsaid: list[str]) -> Any:  # noqa: ANN401  # any record there is
    """One record as what JSON has a word for; what stands in it is asked for after it."""
    kind: Any = value.__class__
    if kind is Cell:
        return _cell(value)
    if kind is Decimal:
        unsaid.append(str(value))
        return _exact(value)
    if kind is Moment:
        unsaid.append(value.text)
        return value.iso
    if is_dataclass(kind):
        names, said, hidden = _fields(value.__class__)
        unsaid += [str(getattr(value, name)) for name in hidden]
        return dict(zip(names, said(value), strict=True))
    if isinstance(value, Mapping):
        return {str(key): inner for key, inner in value.items()}
    raise TypeError(f"a page shows a {kind.__name__}, which JSON has no word for")


def _exact(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _cell(cell: Cell) -> dict[str, object]:
    """A cell without what it does not have."""
    said: dict[str, object] = {"value": cell.value, "text": cell.text}
    if cell.note:
        said["note"] = cell.note
    if cell.between:
        said["between"] = cell.between
    if cell.href:
        said["href"] = cell.href
    return said


@cache
def _fields(kind: Any) -> tuple[tuple[str, ...], Any, tuple[str, ...]]:  # noqa: ANN401
    """The fields of a record that its twin has, what reads them, and those that it has not."""
    hidden = _HIDDEN.get(kind, ())
    names = tuple(f.name for f in fields(kind) if f.name not in hidden)
    if len(names) > 1:
        return names, attrgetter(*names), hidden
    return names, lambda value: tuple(getattr(value, name) for name in names), hidden
