"""The twin of a page as Markdown: what stands on it, for readers that take text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, Final

from arena.site.pages.parts.parts import (
    Between,
    Cell,
    Column,
    ColumnGroup,
    Drawing,
    Fact,
    Figure,
    Head,
    Key,
    Kpi,
    Link,
    Moment,
    Said,
)
from arena.site.pages.parts.tables import Table

_MEANT: Final = re.compile(r"[\\`*_{}\[\]<>#|!~&$^@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_FIRST: Final = re.compile(r"^([-+=]|\d{1,9}(?=[.)]))")
_ADDRESS: Final = str.maketrans({"(": "%28", ")": "%29", "\\": "%5C", "<": "%3C", " ": "%20"})
_DEEPEST: Final = 6  # ranks of headings there are
_SILENT: Final = (Head, Column, ColumnGroup, Key)  # heads of tables say what columns are
_NAMES: Final = ("title", "name", "label", "key")  # of what a record is called by
_MISSING: Final = "n/a"
_FORMULA: Final = re.compile(r'<math displaystyle="true" alttext="([^"]*)">.*</math>')
_SPELT: Final = {"kpis": "In numbers", "csv": "Table as CSV"}


def markdown(view: object) -> str:
    """Write what a page shows as Markdown: lists of facts, and a table for what has rows.

    Numbers are written as the page has them, with their intervals and notes; moments are
    ISO 8601. Nothing that a market or a model wrote becomes markup. What is missing is `n/a`
    in a table, and left out elsewhere.

    Args:
        view: The page's view.
    """
    head = getattr(view, "head", Head("", ""))
    lines = [f"# {escaped(head.title)}", ""]
    if head.demonstration:
        lines += [f"**{escaped(head.demonstration)}**", ""]
    if head.words:
        lines += [_started(escaped(head.words)), ""]
    if head.as_of:
        lines += [f"Data to {head.as_of.iso}.", ""]
    lines += _of_record(view, 2)
    return "\n".join(lines).rstrip("\n") + "\n"


@lru_cache(maxsize=8192)  # the words of one page are on many
def escaped(text: str) -> str:
    r"""One line of text in which nothing is Markdown.

    >>> escaped("[click](javascript:x) | *now*")
    '\\[click\\](javascript:x) \\| \\*now\\*'
    """
    return _MEANT.sub(r"\\\g<0>", " ".join(text.split()))


def _started(line: str) -> str:
    """Escape a line that Markdown would read as a list or a heading."""
    return _FIRST.sub(
        lambda match: f"{match[1]}\\" if match[1].isdigit() else f"\\{match[1]}", line
    )


def _of_record(record: object, depth: int) -> Iterator[str]:
    """A record: first what fits on lines, then what needs headings of its own."""
    there = [(name, value) for name, value in _fields(record) if _is_told(value)]
    short = [(name, value) for name, value in there if _is_inline(value)]
    yield from (f"- **{_named(name)}:** {_inline(value)}" for name, value in short)
    if short:
        yield ""
    for name, value in there:
        if not _is_inline(value):
            yield from _section(name, value, depth, record)


def _is_told(value: object) -> bool:
    return value not in (None, "", ()) and not isinstance(value, _SILENT)


def _section(
    name: str,
    value: Any,  # noqa: ANN401  any record there is
    depth: int,
    record: object,
) -> Iterator[str]:
    if isinstance(value, Figure):
        yield from _heading(value.title, depth)
        yield from (_started(escaped(value.caption)), "")
        yield from _lined(value.grid.head, (map(_told, row) for row in value.grid.rows))
    elif isinstance(value, Table):
        yield from _heading(value.label, depth)
        if value.caption:
            yield from (_started(escaped(value.caption)), "")
        yield from _table([field.label for field in value.fields], value.rows)
    elif isinstance(value, tuple):
        yield from _of_many(name, value, depth, record)
    else:
        inside = list(_of_record(value, min(depth + 1, _DEEPEST)))
        yield from _heading(_named(name), depth) if inside else ()
        yield from inside


def _of_many(name: str, values: tuple[Any, ...], depth: int, record: object) -> Iterator[str]:
    shown_values = [value for value in values if _is_told(value)]
    if not shown_values:
        return
    if isinstance(shown_values[0], Figure | Table):
        for value in shown_values:
            yield from _section(name, value, depth, record)
        return
    yield from _heading(_named(name), depth)
    if _is_inline(shown_values[0]):
        yield from (f"- {_started(_inline(value))}" for value in shown_values)
        yield ""
    elif all(map(_is_line, shown_values)):
        yield from _rows(shown_values, record)
    else:
        for value in shown_values:
            yield from _heading(_called(value), min(depth + 1, _DEEPEST))
            yield from _of_record(value, min(depth + 2, _DEEPEST))


def _heading(words: str, depth: int) -> Iterator[str]:
    yield f"{'#' * depth} {escaped(words)}"
    yield ""


def _rows(records: Sequence[Any], parent: object) -> Iterator[str]:
    """Records as rows of a table; a field of several cells takes a column for each."""
    names = [name for name, _ in _fields(records[0])]
    lines = [[_spread(value) for _, value in _fields(record)] for record in records]
    widths = [max(len(line[n]) for line in lines) for n in range(len(names))]
    heads = _heads_in(parent) if max(widths) > 1 else []
    columns: list[str] = []
    for name, width in zip(names, widths, strict=True):
        fitting = next((labels for labels in heads if len(labels) == width > 1), None)
        many = [f"{_named(name)} {n}" for n in range(1, width + 1)]
        columns += fitting or ([_named(name)] if width == 1 else many)
    rows = [
        [
            cell
            for part, width in zip(line, widths, strict=True)
            for cell in _filled(part, width)
        ]
        for line in lines
    ]
    yield from _table(columns, rows)


def _filled(part: list[Any], width: int) -> list[Any]:
    return [*part, *[""] * (width - len(part))]


def _spread(value: Any) -> list[Any]:  # noqa: ANN401  any field there is
    """The cells of one field; links and words share a cell, heads have none."""
    if isinstance(value, _SILENT):
        return []
    if isinstance(value, tuple) and not (value and isinstance(value[0], Link | Fact | str)):
        return [inner for part in value for inner in _spread(part)]
    return [value]


def _table(heads: Iterable[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    return _lined(heads, (map(_inline, row) for row in rows))


def _lined(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = [escaped(name) for name in heads]
    yield f"| {' | '.join(names)} |"
    yield f"|{' --- |' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _told(cell: Said) -> str:
    """A cell of a figure's table."""
    text, _, note, href = cell
    return f"{_link(text, href)} ({escaped(note)})" if note else _link(text, href)


def _inline(value: Any) -> str:  # noqa: ANN401  one of several kinds
    """What fits on a line."""
    if isinstance(value, Cell):
        return _cell(value)
    if isinstance(value, str):
        formula = _FORMULA.fullmatch(value)
        return escaped(formula[1] if formula else value)
    if value is None:
        return _MISSING
    if isinstance(value, Link):
        return _link(value.text, value.href)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float | Decimal):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    if isinstance(value, tuple):
        return ", ".join(map(_inline, value))
    return _said(value)


def _said(value: Any) -> str:  # noqa: ANN401  a small record
    if isinstance(value, Moment):
        return value.iso
    if isinstance(value, Kpi):
        over = f" ({escaped(value.over)})" if value.over else ""
        return f"{_link(value.name, value.href)}: {_cell(value.cell)}{over}"
    if isinstance(value, Fact):
        note = f" ({escaped(value.note)})" if value.note else ""
        return f"{_link(value.name, value.href)}: {escaped(value.text)}{note}"
    if isinstance(value, Drawing):
        return escaped(value.words)
    if isinstance(value, Between):
        return escaped(value.text)
    parts = [part for _, part in _fields(value) if part not in {"", None, False}]
    return ", ".join(map(_inline, parts))  # a square of a matrix


def _cell(cell: Cell) -> str:
    text = cell.text or ("" if cell.value is None else str(cell.value))
    if not (cell.between or cell.note):
        return _link(text, cell.href)
    more = [cell.between.text] if cell.between and cell.between.text not in cell.note else []
    more += [cell.note] if cell.note else []
    return f"{_link(text, cell.href)} ({escaped('; '.join(more))})"


@lru_cache(maxsize=8192)
def _link(text: str, href: str) -> str:
    if not href or href.startswith("#"):
        return escaped(text)
    return f"[{escaped(text)}]({href.translate(_ADDRESS)})"


_SMALL: Final = (
    str, bool, int, float, Decimal, Moment, Link, Cell, Fact, Kpi, Drawing, Between, type(None),
)  # fmt: skip
_PLAIN: Final = (str, bool, int, float)


def _is_inline(value: object) -> bool:
    """Whether it fits on a line of a list."""
    return isinstance(value, _SMALL) or (
        isinstance(value, tuple)
        and bool(value)
        and all(isinstance(link, Link) for link in value)
    )


def _is_line(record: object) -> bool:
    """Whether all that a record has fits into a line of a table."""
    return all(_fits(value) for _, value in _fields(record))


def _fits(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_fits, value))
    return isinstance(value, _SMALL) or all(isinstance(v, _PLAIN) for _, v in _fields(value))


def _fields(record: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any record there is
    for name in _names(record.__class__):
        yield name, getattr(record, name)


@cache
def _names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401  any record there is
    return tuple(field.name for field in fields(kind))


def _heads_in(record: object) -> list[list[str]]:
    """The labels of columns that a record or its parts name, one list for each place."""
    heads = []
    for _, value in _fields(record):
        columns = list(_columns(value))
        if columns:
            heads.append(columns)
    return heads


def _columns(value: object) -> Iterator[str]:
    if isinstance(value, Column):
        yield value.label
    elif isinstance(value, tuple) and value and _has_columns(value[0]):
        for part in value:
            yield from _columns(getattr(part, "columns", part))


def _has_columns(value: object) -> bool:
    return isinstance(value, Column) or hasattr(value, "columns")


def _called(record: object) -> str:
    """The title of a record."""
    for name in _NAMES:
        label = getattr(record, name, "")
        if isinstance(label, str) and label:
            return label
    links = (value.text for _, value in _fields(record) if isinstance(value, Link))
    return next(links, "More")


def _named(name: str) -> str:
    """A field's name as words."""
    return _SPELT.get(name) or name.replace("_", " ").capitalize()
