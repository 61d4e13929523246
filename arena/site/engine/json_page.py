"""The twin of a page: the same numbers for machines, as one JSON document."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal
from functools import cache
from io import StringIO
from json.encoder import encode_basestring as _quoted
from math import isfinite
from operator import attrgetter, is_
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from arena.metrics.figures import steady
from arena.site import places
from arena.site.pages.parts import (
    Cell,
    Drawing,
    Figure,
    Grid,
    Head,
    Moment,
    Value,
)

SCHEMA_VERSION = 1

View = TypeVar("View")
Writer = Callable[[Any, list[str]], str]

_HIDDEN: Mapping[type, tuple[str, ...]] = {
    Figure: ("wide", "narrow", "alone", "looks"),
    Head: ("root",),
    Drawing: ("svg",),
}


@dataclass(frozen=True, slots=True)
class SerialisedPage:
    """What a view says: its twin, and every value that only people get to see, in order."""

    twin: str
    unsaid: tuple[str, ...]


def told(view: object, template: str) -> SerialisedPage:
    """Write what a page shows as JSON, and note what else stands in its view.

    Amounts are exact text, scores as they are, and what is missing is null. A cell has the
    `text` that is read and the `value` behind it; drawings are left out, their numbers are not.

    Args:
        view: The page's view.
        template: What it is filled into: it names the kind of the page.
    """
    unsaid: list[str] = []
    json_text = _json(view, unsaid)
    kind = _quoted(template.removesuffix(".html"))
    begun = f'{{"schema_version": {SCHEMA_VERSION}, "page": {kind}'
    return SerialisedPage(f"{begun}, {json_text[1:]}\n", tuple(unsaid))


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
            csv=places.figure(name, value.key, "csv"),
        )
    if isinstance(value, tuple):
        inner = tuple(_linked(part, name) for part in value)
        return value if all(map(is_, inner, value)) else inner
    if not is_dataclass(value) or isinstance(value, type):
        return value
    old = {field: getattr(value, field) for field in _leading(value.__class__)}
    new = {field: _linked(part, name) for field, part in old.items()}
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
        return any(_may_hold(part, (*seen, hint)) for part in inner)
    return any(_may_hold(part, seen) for part in get_args(hint))


def figure_csv(figure: Figure) -> str:
    """Write a figure's table as CSV: exact values, and what is read where there is none."""
    columns = [
        [text if value is None else value for text, value, _, _ in column.cells]
        for column in figure.grid.columns
    ]
    return csv_of(figure.grid.head, zip(*columns, strict=True))


def csv_of(head: Iterable[str], rows: Iterable[Iterable[Value]]) -> str:
    """Write values as CSV, exactly, and text so that no spreadsheet takes it for a formula."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(unarmed, head))
    writer.writerows(map(_field, row) for row in rows)
    return text.getvalue()


def unarmed(text: str) -> str:
    """Make text from outside harmless to a spreadsheet, which would run a formula.

    >>> unarmed("=1+1"), unarmed("rain")
    ("'=1+1", 'rain')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "|", "%")) else text


def _field(value: Value) -> Value:
    """A value for a writer of CSV, which knows what to do with all but text and amounts."""
    if isinstance(value, str):
        return unarmed(value)
    return _exact(value) if isinstance(value, Decimal) else steady(value)


def _json(value: Any, unsaid: list[str]) -> str:  # noqa: ANN401  # any record there is
    """Write one value; what only people get to see of it is added to `unsaid`."""
    kind = value.__class__
    if kind is str:
        return _quoted(value)
    return _writer(kind)(value, unsaid)


@cache
def _writer(kind: Any) -> Writer:  # noqa: ANN401  # any record there is
    """The writer of a type's values; it is cached, because there are millions of them."""
    if is_dataclass(kind):
        own: Writer | None = _OWN.get(kind)  # type: ignore[arg-type]  # a class, as asked
        return own or _record_writer(kind)
    for plain_type, write in _PLAIN.items():
        if issubclass(kind, plain_type):
            return write
    raise TypeError(f"a page shows a {kind.__name__}, which JSON has no word for")


def _record_writer(kind: Any) -> Writer:  # noqa: ANN401  # any record there is
    hidden = _HIDDEN.get(kind, ())
    names = [f.name for f in fields(kind) if f.name not in hidden]
    read_values = (
        attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
    )
    form = f"{{{', '.join([f'{_quoted(name)}: %s' for name in names])}}}"
    hints = get_type_hints(kind)
    if not hidden and all(hints[name] is str for name in names):
        return lambda value, _: form % tuple(map(_quoted, read_values(value)))

    def write(value: object, unsaid: list[str]) -> str:
        unsaid += [str(getattr(value, name)) for name in hidden]
        return form % tuple([_json(field_value, unsaid) for field_value in read_values(value)])

    return write


def _mapping(value: Mapping[object, object], unsaid: list[str]) -> str:
    members = [f"{_quoted(str(key))}: {_json(inner, unsaid)}" for key, inner in value.items()]
    return f"{{{', '.join(members)}}}"


def _decimal(value: Decimal, unsaid: list[str]) -> str:
    unsaid.append(str(value))
    return f'"{_exact(value)}"'


def _moment(value: Moment, unsaid: list[str]) -> str:
    unsaid.append(value.text)
    return _quoted(value.iso)


def _exact(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _cell(cell: Cell, unsaid: list[str]) -> str:
    """A cell; fields that are empty are left out."""
    json_text = f'{{"value": {_json(cell.value, unsaid)}, "text": {_quoted(cell.text)}'
    if cell.note:
        json_text += f', "note": {_quoted(cell.note)}'
    if cell.between:
        json_text += f', "between": {_json(cell.between, unsaid)}'
    if cell.href:
        json_text += f', "href": {_quoted(cell.href)}'
    return json_text + "}"


def _grid(grid: Grid, unsaid: list[str]) -> str:
    """A grid row by row, with its cells as those of other tables."""
    columns = [[_grid_cell(*cell, unsaid) for cell in column.cells] for column in grid.columns]
    rows = ", ".join([f"[{', '.join(row)}]" for row in zip(*columns, strict=True)])
    return f'{{"head": {_list(grid.head, unsaid)}, "rows": [{rows}]}}'


def _grid_cell(text: str, value: Value, note: str, href: str, unsaid: list[str]) -> str:
    json_text = f'{{"value": {_json(value, unsaid)}, "text": {_quoted(text)}'
    if note:
        json_text += f', "note": {_quoted(note)}'
    return f'{json_text}, "href": {_quoted(href)}}}' if href else json_text + "}"


def _list(value: Sequence[object], unsaid: list[str]) -> str:
    return f"[{', '.join([_json(inner, unsaid) for inner in value])}]"


def _float(value: float, _: list[str]) -> str:
    if not isfinite(value):
        raise ValueError(f"a page shows {value}, which JSON has no word for")
    return repr(steady(value))


_OWN: Mapping[type, Writer] = {Cell: _cell, Grid: _grid, Moment: _moment}
_PLAIN: Mapping[type, Writer] = {
    str: lambda value, _: _quoted(value),
    bool: lambda value, _: "true" if value else "false",
    int: lambda value, _: int.__repr__(value),
    float: _float,
    Decimal: _decimal,
    NoneType: lambda *_: "null",
    tuple: _list,
    list: _list,
    Mapping: _mapping,
}
