"""What the page of audit and status shows."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Cell, Fact, Head, Link, Moment


@dataclass(frozen=True, slots=True)
class VenueRow:
    """How a venue has answered; `trouble` is what it failed with since."""

    venue: str
    answered: Moment | None
    trouble: str
    oldest: str
    held: Cell


@dataclass(frozen=True, slots=True)
class RunningRow:
    """A cohort that is not complete."""

    cohort: Link
    started: Moment
    marked: Moment | None
    rounds: Cell
    open: Cell


@dataclass(frozen=True, slots=True)
class LateRow:
    """A market past its close without an outcome."""

    market: Link
    due: Moment | None
    state: str


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """How a reader checks something: what, and the command that does."""

    what: str
    command: str
    words: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """templates/site/audit.html."""

    head: Head
    made_from: tuple[Fact, ...]
    checks: tuple[AuditCheck, ...]
    venues: tuple[VenueRow, ...]
    running: tuple[RunningRow, ...]
    started: bool
    late: tuple[LateRow, ...]
    most: int
