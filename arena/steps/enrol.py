"""Step 1: start the cohorts that are due, and say by what their venues are read."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from arena.ledger.journal import fund
from arena.records.cohort import CohortId, CohortSpec
from arena.records.trade import AdapterSet, Entry, Opened
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


def set_adapters(doors: Doors, at: datetime, started: Collection[CohortId]) -> tuple[str, ...]:
    """Write down by what the venues of running cohorts are read, each time that it changes.

    Args:
        doors: The store, and what each venue is read by now; nothing is said of others.
        at: The tick's moment.
        started: Cohorts that begin in this tick.

    Returns:
        A note of each venue that cohorts began on when it was read in another way.
    """
    journal, notes = doors.store.journal, []
    running = doors.store.books.running()
    before = Counter(c.spec.venue for c in running if c.id not in started)
    for venue in sorted({c.spec.venue for c in running} & doors.adapters.keys()):
        now = doors.adapters[venue]
        number, last = 1, None
        while entry := journal.entry(f"venue:{venue}:{number}"):
            number, last = number + 1, entry.event
        if isinstance(last, AdapterSet) and replace(last, cohorts=0) == now:
            continue
        event = replace(now, cohorts=before[venue] if last else 0)
        journal.append([Entry(f"venue:{venue}:{number}", at, event)])
        if event.cohorts:
            notes.append(_other_adapter(event))
    return tuple(notes)


def _other_adapter(event: AdapterSet) -> str:
    cohorts = "1 running cohort" if event.cohorts == 1 else f"{event.cohorts} running cohorts"
    return (
        f"the adapter or the options of the venue {event.venue} changed: {cohorts} began under "
        "others and will be settled by these. If that is not meant, put the earlier ones back"
    )
