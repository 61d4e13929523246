"""Step 1: start the cohorts that are due."""

from dataclasses import dataclass
from datetime import datetime

from arena.ledger.journal import fund
from arena.records.cohort import CohortId, CohortSpec
from arena.records.trade import Entry, Opened
from arena.steps.calendar import cohort_id, due_start
from arena.steps.doors import Doors
from arena.store.codec import digest_of


@dataclass(frozen=True, slots=True)
class Enrolled:
    """The cohorts that started, and notes of starts that were missed before them."""

    cohorts: tuple[CohortId, ...]
    notes: tuple[str, ...]


def enrol(doors: Doors, at: datetime) -> Enrolled:
    """Open each cohort whose start has come, and give every contestant its cash."""
    started: list[CohortId] = []
    notes: list[str] = []
    for spec in doors.specs:
        start = due_start(spec, at)
        last = doors.store.books.last_start(spec.name)
        if start is None or (last is not None and start <= last):
            continue
        if doors.store.journal.append(opening(spec, start)):
            started.append(cohort_id(spec, start))
            missed = spec.start.missed(last, start) if last else 0
            if missed:
                notes.append(_missed(spec, missed, started[-1]))
    return Enrolled(tuple(started), tuple(notes))


def _missed(spec: CohortSpec, missed: int, started: CohortId) -> str:
    starts = "1 start" if missed == 1 else f"{missed} starts"
    return f"{starts} of {spec.name} before {started} passed without a tick, and will not be"


def opening(spec: CohortSpec, start: datetime) -> list[Entry]:
    """The first entries of a cohort: its agreement with its digest, then everybody's cash."""
    cohort = cohort_id(spec, start)
    opened = Entry(f"open:{cohort}", start, Opened(spec, digest_of(spec)), cohort)
    return [opened] + [fund(cohort, who, spec.rules.capital, start) for who in spec.contestants]
