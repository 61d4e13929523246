"""What the pages of cohorts show."""

from dataclasses import dataclass

from arena.site.pages.leaderboard.view import BoardView
from arena.site.pages.markets.market import MarketRow
from arena.site.pages.parts import (
    DocumentsView,
    Fact,
    Figure,
    Head,
    Kpi,
    Link,
    Moment,
    Pager,
    Table,
)


@dataclass(frozen=True, slots=True)
class CohortListPage:
    """templates/site/cohorts.html."""

    head: Head
    table: Table | None
    pager: Pager


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of something is done: `done` of `of`, and the same in words."""

    name: str
    done: int
    of: int
    words: str


@dataclass(frozen=True, slots=True)
class SealView:
    """What was laid down about the grading before the first forecast, in words and as tests.

    `check` is the command that says whether it still holds.
    """

    words: str
    check: str
    versions: tuple[Fact, ...]
    tests: Table | None


@dataclass(frozen=True, slots=True)
class CohortPage:
    """templates/site/cohort.html. `agreement` has what is not as it is by default."""

    head: Head
    name: str
    title: str
    state: str
    marked: Moment | None
    started: Moment
    ends: Moment
    contents: tuple[Link, ...]
    kpis: tuple[Kpi, ...]
    progress: tuple[Progress, ...]
    board: BoardView
    equity: Figure | None
    rounds: Table | None
    documents: DocumentsView | None
    digest: str
    agreement: tuple[Fact, ...]
    defaults: tuple[Fact, ...]
    seal: SealView
    exclusions: tuple[str, ...]
    markets: tuple[MarketRow, ...]
    left_out: str


@dataclass(frozen=True, slots=True)
class SeatPage:
    """templates/site/seat.html."""

    head: Head
    contestant: Link
    cohort: Link
    title: str
    state: str
    kpis: tuple[Kpi, ...]
    equity: Figure | None
    positions: Table | None
    positions_note: str
    decisions: Table | None
    decisions_note: str
    forecasts: Table | None
    forecasts_note: str
    refusals: Table | None
    totals: tuple[Fact, ...]
    others: tuple[Link, ...]
