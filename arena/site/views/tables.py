"""A table whose columns say how they are read; every value is a cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from arena.site.views.parts import Between, Cell

Told = tuple[str, str, str, str, str, str, Between | None]


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

    @property
    def lines(self) -> Iterator[tuple[Told, list[Told]]]:
        """Each row as a template reads it fastest: its first cell, and the others."""
        kinds = [field.kind for field in self.fields]
        for row in self.rows:
            first, *rest = [_told(kind, cell) for kind, cell in zip(kinds, row, strict=True)]
            yield first, rest


def _told(kind: str, cell: Cell) -> Told:
    """What stands in a cell; what is written in full is its own exact value."""
    text, value = cell.text, cell.value
    exact = "" if value is None or kind == "when" else str(value)
    moment = str(value) if kind == "when" and value else ""
    return (
        kind, text, cell.href, "" if exact == text else exact, moment, cell.note, cell.between,
    )  # fmt: skip
