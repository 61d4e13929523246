"""What the leaderboard shows."""

from dataclasses import dataclass

from arena.site.pages.parts import (
    Cell,
    Column,
    ColumnGroup,
    Drawing,
    Fact,
    Figure,
    Head,
    Link,
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
    linear_caveat: str
    others: tuple[BoardRow, ...] = ()


@dataclass(frozen=True, slots=True)
class RankingRow:
    """One contestant's line, or the market's.

    `kind` is "market" for the market's price, "ref" for a baseline, else empty. `ranks` is
    from the lowest to the highest rank that tests leave open, and the rank is its value.
    `about` are its provider and its tags. `verdict` is "better" or "worse" than the market's
    price where that is shown. `leads` says that nobody is shown to be better. `interval` is
    drawn, with the verdict in words; `shape` is its equity over time.
    """

    slug: str
    kind: str
    ranks: Cell
    contestant: Link
    about: str
    provider: str
    verdict: str
    leads: bool
    cells: tuple[Cell, ...]
    interval: Drawing | None
    shape: Drawing | None


@dataclass(frozen=True, slots=True)
class RankingTable:
    """The table of everybody, best first; then baselines, in no rank and no count.

    Without a `rank` column nobody may be ranked. `axis` is the head of the intervals, which
    are drawn after the first column; None where none are. `left_out` counts those who stand
    elsewhere because there are too many for a page.
    """

    view: str
    rank: Column | None
    columns: tuple[Column, ...]
    axis: Drawing | None
    shapes: bool
    rows: tuple[RankingRow, ...]
    notes: tuple[str, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Chips:
    """The ways to other parts and other columns; the one that is open leads nowhere."""

    windows: tuple[Link, ...]
    categories: tuple[Link, ...]
    views: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class IndexPage:
    """templates/site/index.html. `claims` are the first sentence or two, `evidence` the next.

    `sure` says how sure that is, `checks` are the commands that make it again, `changed` is
    what moved since the last settlement.
    """

    head: Head
    claims: tuple[str, ...]
    evidence: str
    sure: tuple[str, ...]
    checks: tuple[Fact, ...]
    chips: Chips
    ranking: RankingTable
    changed: tuple[str, ...]
    equity: Figure | None
    plane: Figure | None
    twin: str


@dataclass(frozen=True, slots=True)
class BoardPage:
    """templates/site/board.html: other columns of the board, or a part of its evidence."""

    head: Head
    title: str
    words: str
    chips: Chips
    ranking: RankingTable
    twin: str
