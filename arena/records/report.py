"""What a tick did, as values: steps return them, the command line and the log say them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, VenueId


@dataclass(frozen=True, slots=True)
class Failure:
    """Something of the world that did not work, and what it stopped."""

    what: str
    where: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class TickReport:
    """What one tick did. Every count is of new things: a tick with nothing due is all zero."""

    at: datetime
    enrolled: tuple[CohortId, ...] = ()
    polled: tuple[VenueId, ...] = ()
    rounds: tuple[tuple[CohortId, int], ...] = ()
    answers: int = 0
    pending: int = 0
    turns: int = 0
    fills: int = 0
    sales: int = 0
    refused: int = 0
    failed_turns: tuple[tuple[ContestantId, str], ...] = ()
    resolved: tuple[MarketId, ...] = ()
    reopened: tuple[MarketId, ...] = ()
    settled: int = 0
    marked: int = 0
    completed: tuple[CohortId, ...] = ()
    pages: int = 0
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A law of the ledger that does not hold somewhere."""

    law: str
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class Audit:
    """Every law that was checked, with how many things it was checked on, and what broke.

    The number is None where these things cannot be read. `left_out` are laws about texts, which
    a copy for the public does not have.
    """

    checked: tuple[tuple[str, int | None], ...]
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Caches made anew: which of them differ from what was there, and what was replayed."""

    entries: int
    changed: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class CohortStatus:
    """A running cohort: how far it is, and what comes next."""

    cohort: CohortId
    started_at: datetime
    rounds_played: int
    rounds_planned: int
    rounds_missed: int
    next_round: datetime | None
    open_positions: int
    last_mark: datetime | None


@dataclass(frozen=True, slots=True)
class VenueStatus:
    """A venue: when it last answered, what it failed with since; None is never.

    `oldest_price_age` is that of the oldest price in use.
    """

    venue: str
    last_poll: datetime | None
    last_error: str | None
    oldest_price_age: timedelta | None
    held_markets: int
    unquoted_markets: int


@dataclass(frozen=True, slots=True)
class Status:
    """What ran, what is due, what is stuck and how old the prices are, as of `at`.

    `waiting` are rounds that rightly wait for late answers; `retiring` are models in use that
    their providers end soon, or have ended.
    """

    at: datetime
    last_tick: datetime | None
    due: tuple[str, ...]
    stuck: tuple[str, ...]
    cohorts: tuple[CohortStatus, ...]
    venues: tuple[VenueStatus, ...]
    waiting: tuple[str, ...] = ()
    retiring: tuple[str, ...] = ()
