"""Step 1: start the cohorts that are due."""

from datetime import datetime

from arena.ledger.journal import fund
from arena.records.cohort import CohortId, CohortSpec
from arena.records.trade import Entry, Opened
from arena.steps.calendar import cohort_id, due_start
from arena.steps.doors import Doors
from arena.store.codec import digest_of


def enrol(doors: Doors, at: datetime) -> tuple[CohortId, ...]:
    """Open each cohort whose start has come, and give every contestant its cash."""
    started: list[CohortId] = []
    for spec in doors.specs:
        start = due_start(spec, at)
        last = doors.store.books.last_start(spec.name)
        if start is None or (last is not None and start <= last):
            continue
        if doors.store.journal.append(opening(spec, start)):
            started.append(cohort_id(spec, start))
    return tuple(started)


def opening(spec: CohortSpec, start: datetime) -> list[Entry]:
    """The first entries of a cohort: its agreement with its digest, then everybody's cash."""
    cohort = cohort_id(spec, start)
    opened = Entry(f"open:{cohort}", start, Opened(spec, digest_of(spec)), cohort)
    return [opened] + [fund(cohort, who, spec.rules.capital, start) for who in spec.contestants]
