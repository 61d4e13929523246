"""A table whose columns say how they are read; every value is a cell."""

from dataclasses import dataclass

from arena.site.views.parts import Cell


@dataclass(frozen=True, slots=True)
class Field:
    """A column: `kind` is `n` (a number), `one` (a line), `words` (text) or `when` (a moment).

    `href` leads to its formula. A moment's cell has ISO 8601 as its value.
    """

    label: str
    kind: str = "n"
    href: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below their fields; the first cell of a row heads it."""

    label: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
