"""What the pages of cohorts show."""

from dataclasses import dataclass

from arena.site.views.leaderboard import BoardView
from arena.site.views.markets import MarketRow
from arena.site.views.parts import Cell, Fact, Head, Link, Moment, Pager


@dataclass(frozen=True, slots=True)
class CohortRow:
    """A cohort in a list."""

    cohort: Link
    title: str
    started: Moment
    state: str
    contestants: str


@dataclass(frozen=True, slots=True)
class CohortListPage:
    """templates/site/cohorts.html."""

    head: Head
    rows: tuple[CohortRow, ...]
    pager: Pager


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round of a cohort."""

    number: str
    at: Moment
    markets: str
    turns: Cell
    state: str
    digest: str


@dataclass(frozen=True, slots=True)
class CohortPage:
    """templates/site/cohort.html."""

    head: Head
    name: str
    title: str
    state: str
    marked: Moment | None
    started: Moment
    ends: Moment
    digest: str
    agreement: tuple[Fact, ...]
    board: BoardView
    rounds: tuple[RoundRow, ...]
    markets: tuple[MarketRow, ...]
    left_out: str
