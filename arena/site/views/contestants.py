"""What the pages of contestants show."""

from dataclasses import dataclass

from arena.site.views.parts import Fact, Figure, Head, Kpi, Link, Moment, Pager, TradeRow
from arena.site.views.tables import Table


@dataclass(frozen=True, slots=True)
class ContestantListPage:
    """templates/site/contestants.html."""

    head: Head
    table: Table | None
    words: str
    pager: Pager
    closes: Figure | None


@dataclass(frozen=True, slots=True)
class Tied:
    """Those whom tests of all pairs do not tell a contestant apart from."""

    words: str
    links: tuple[Link, ...]
    more: str


@dataclass(frozen=True, slots=True)
class Standings:
    """How a contestant stands: its rank in words, the numbers that stand out, and commands.

    `checks` has for each of those numbers the command that takes it apart.
    """

    words: str
    tied: Tied | None
    kpis: tuple[Kpi, ...]
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
    """templates/site/contestant.html."""

    head: Head
    id: str
    label: str
    provider: Link | None
    reference: str
    as_of: Moment | None
    contents: tuple[Link, ...]
    identity: tuple[Fact, ...]
    of: tuple[Link, ...]
    standing: Standings
    equity: Figure | None
    drawdown: Figure | None
    forecasting: Forecasting
    betting: Betting
    positions: Table | None
    trades: tuple[TradeRow, ...]
    trades_note: str
    decisions: Table | None
    decisions_note: str
    played: Table | None
    conduct: Conducted
