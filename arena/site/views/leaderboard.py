"""What the leaderboard shows."""

from dataclasses import dataclass

from arena.site.views.parts import (
    Cell,
    Column,
    ColumnGroup,
    Drawing,
    Fact,
    Figure,
    Head,
    Kpi,
    Link,
    Moment,
)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One contestant's line."""

    contestant: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class BoardView:
    """A cohort's results as a table, in an order that claims nothing.

    `others` are rows that only the twin has room for.
    """

    groups: tuple[ColumnGroup, ...]
    columns: tuple[Column, ...]
    rows: tuple[BoardRow, ...]
    order: str
    linear_caveat: str
    others: tuple[BoardRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Glance:
    """Some columns that are looked at together; `key` is its word in addresses."""

    key: str
    label: str
    columns: tuple[Column, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class RankingRow:
    """One contestant's line; its cells are those of each glance, in their order.

    `open_ranks` are the ranks that tests leave open, `about` its provider or the reason why
    it has no rank. `shape` is its worth over time.
    """

    slug: str
    rank: Cell
    open_ranks: str
    contestant: Link
    about: str
    reference: bool
    tied: bool
    cells: tuple[tuple[Cell, ...], ...]
    shape: Drawing


@dataclass(frozen=True, slots=True)
class Ranking:
    """The table of everybody. After `tied_rows` rows the leading group ends, 0 for none.

    Where there are too many for a page `left_out` counts those who stand elsewhere.
    `widest` is the number of columns of the widest glance, with those that all share.
    """

    order: str
    rank: Column
    glances: tuple[Glance, ...]
    rows: tuple[RankingRow, ...]
    tied_rows: int
    tied_words: str
    references: bool
    widest: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class IndexPage:
    """templates/site/index.html. `news` is the first sentence, `more` what follows from it."""

    head: Head
    news: str
    more: tuple[str, ...]
    kpis: tuple[Kpi, ...]
    as_of: Moment | None
    ranking: Ranking
    equity: Figure | None
    ranks: Figure | None
    plane: Figure | None
    flip: str
    flip_href: str
    checks: tuple[Fact, ...]
    twin: str
