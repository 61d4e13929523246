"""What a tick did, as values: steps return them, the command line and the log say them."""

from dataclasses import dataclass
from datetime import datetime

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
