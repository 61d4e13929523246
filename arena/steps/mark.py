"""Step 6: value what is open."""

from datetime import datetime

from arena.records.trade import Entry, Marked
from arena.steps.calendar import bucket
from arena.steps.doors import Doors


def mark(doors: Doors, at: datetime) -> int:
    """Value every running cohort, at most once in each of the schedule's time buckets.

    Returns:
        How many cohorts were valued.
    """
    slot = bucket(at, doors.schedule.mark_every)
    return doors.store.journal.append(
        Entry(f"mark:{cohort.id}:{slot:%Y-%m-%dT%H:%M:%SZ}", at, Marked(), cohort.id)
        for cohort in doors.store.books.running()
    )
