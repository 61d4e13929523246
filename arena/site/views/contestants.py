"""What the pages of contestants show."""

from dataclasses import dataclass

from arena.site.views.parts import Cell, Column, CountRow, Fact, Head, Link, Moment, TradeRow


@dataclass(frozen=True, slots=True)
class ContestantRow:
    """A contestant in a list."""

    contestant: Link
    id: str
    cohorts: str
    turns: str
    bets: str


@dataclass(frozen=True, slots=True)
class ContestantListPage:
    """templates/site/contestants.html."""

    head: Head
    rows: tuple[ContestantRow, ...]


@dataclass(frozen=True, slots=True)
class PlayedRow:
    """How a contestant did in one cohort."""

    cohort: Link
    started: Moment
    state: str
    rank: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class PositionRow:
    """An open position. `worth` is at the mark of its cohort."""

    market: Link
    cohort: Link
    side: str
    shares: str
    cost: str
    price: str
    worth: str
    quote: str


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A turn that could not be read."""

    at: Moment
    cohort: Link
    round: str
    reason: str


@dataclass(frozen=True, slots=True)
class ContestantPage:
    """templates/site/contestant.html."""

    head: Head
    id: str
    label: str
    as_of: Moment | None
    rank: str
    facts: tuple[Fact, ...]
    columns: tuple[Column, ...]
    played: tuple[PlayedRow, ...]
    positions: tuple[PositionRow, ...]
    positions_note: str
    trades: tuple[TradeRow, ...]
    trades_note: str
    replies: tuple[Fact, ...]
    failures: tuple[FailureRow, ...]
    failures_note: str
    refusals: tuple[CountRow, ...]
    recent: int
