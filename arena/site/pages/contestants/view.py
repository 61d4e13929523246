"""What the pages of contestants show."""

from dataclasses import dataclass

from arena.site.pages.parts import Fact, Figure, Head, Kpi, Link, Moment, Pager, Table, TradeRow


@dataclass(frozen=True, slots=True)
class ContestantListPage:
    """templates/site/contestants.html."""

    head: Head
    table: Table | None
    words: str
    pager: Pager
    closes: Figure | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A sentence of what is shown of a contestant, and whom it names; `more` are left out."""

    words: str
    links: tuple[Link, ...] = ()
    more: str = ""


@dataclass(frozen=True, slots=True)
class StandingsTable:
    """How a contestant stands: what is claimed, its six numbers, and commands.

    `totals` are those of the books, `checks` has for each number the command that takes it
    apart.
    """

    claims: tuple[Claimed, ...]
    kpis: tuple[Kpi, ...]
    more: tuple[Fact, ...]
    totals: tuple[Fact, ...]
    checks: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Forecasting:
    """How its forecasts did, and where."""

    reliability: Figure | None
    scores: tuple[Fact, ...]
    parts: tuple[Figure, ...]
    table: Table | None


@dataclass(frozen=True, slots=True)
class Betting:
    """What is behind its profit and loss."""

    split: Figure | None
    closes: Figure | None
    chance: Figure | None
    luck: str
    facts: tuple[Fact, ...]
    best: Table | None
    worst: Table | None
    words: str


@dataclass(frozen=True, slots=True)
class Conducted:
    """How it answers, and what became of answers that could not be used."""

    replies: tuple[Fact, ...]
    failures: Table | None
    refusals: Table | None


@dataclass(frozen=True, slots=True)
class ContestantPage:
    """templates/site/contestant.html. What stands after the decisions is folded."""

    head: Head
    id: str
    label: str
    provider: Link | None
    reference: str
    as_of: Moment | None
    standing: StandingsTable
    equity: Figure | None
    forecasting: Forecasting
    betting: Betting
    trades: tuple[TradeRow, ...]
    trades_note: str
    decisions: Table | None
    decisions_note: str
    drawdown: Figure | None
    positions: Table | None
    played: Table | None
    conduct: Conducted
    identity: tuple[Fact, ...]
    of: tuple[Link, ...]
