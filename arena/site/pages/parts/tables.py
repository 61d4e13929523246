"""A table whose columns say how they are read; every value is a cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from arena.site.pages.parts.parts import Between, Cell

# Whether it heads its row, its column's kind, its text, where that leads, its exact value where
# that is not what is written, its moment for machines, its note, and its interval.
Said = tuple[bool, str, str, str, str, str, str, Between | None]


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
    def lines(self) -> Iterator[list[Said]]:
        """Its rows as a template reads them fastest."""
        kinds = [(not nth, field.kind) for nth, field in enumerate(self.fields)]
        for row in self.rows:
            yield [_table_cell(*kind, cell) for kind, cell in zip(kinds, row, strict=True)]


def _table_cell(head: bool, kind: str, cell: Cell) -> Said:  # noqa: FBT001  a field's two traits
    value = cell.value
    moment = str(value) if kind == "when" and value else ""
    exact = "" if value is None or moment else str(value)
    if exact == cell.text:
        exact = ""
    return head, kind, cell.text, cell.href, exact, moment, cell.note, cell.between
