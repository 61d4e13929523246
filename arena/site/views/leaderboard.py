"""What the leaderboard shows."""

from dataclasses import dataclass

from arena.site.views.parts import Cell, Column, ColumnGroup, Head, Link, Moment


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One contestant's line."""

    rank: str
    contestant: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class BoardView:
    """A leaderboard as a table."""

    groups: tuple[ColumnGroup, ...]
    rank: Column
    columns: tuple[Column, ...]
    rows: tuple[BoardRow, ...]
    ranked_by: str
    linear_caveat: str


@dataclass(frozen=True, slots=True)
class IndexPage:
    """templates/site/index.html."""

    head: Head
    contestants: str
    cohorts: str
    fills: str
    as_of: Moment | None
    board: BoardView
    twin: str
