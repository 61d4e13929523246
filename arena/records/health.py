"""What `arena status` says."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.records.cohort import CohortId


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
    """A venue: when it last answered, and how old the oldest price in use is."""

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
