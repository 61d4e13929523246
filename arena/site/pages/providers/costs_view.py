"""What the page of costs shows."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Cell, Column, Fact, Figure, Head, Link, Moment


@dataclass(frozen=True, slots=True)
class CostRow:
    """What something took; `made_by` says what it ran on, where it is a contestant."""

    about: Link
    made_by: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CostTable:
    """A table of costs: `key` is its id on the page, `words` stand above it."""

    key: str
    title: str
    words: str
    about: str
    columns: tuple[Column, ...]
    rows: tuple[CostRow, ...]
    made_by: bool = False


@dataclass(frozen=True, slots=True)
class PriceRow:
    """What a contestant's model is charged at, in dollars a million tokens."""

    contestant: Link
    model: str
    asked: Cell
    answered: Cell
    source: str
    charged: str


@dataclass(frozen=True, slots=True)
class CostsPage:
    """templates/site/costs.html. `others` are rows that only the twin has room for."""

    head: Head
    since: Moment | None
    facts: tuple[Fact, ...]
    plane: Figure | None
    plane_note: str
    days: Figure | None
    tables: tuple[CostTable, ...]
    others: tuple[CostTable, ...]
    others_note: str
    prices: tuple[PriceRow, ...]
    taken: str
