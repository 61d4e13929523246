"""Step 6: value what is open."""

from datetime import datetime

from arena.records.trade import Entry, Marked
from arena.steps.calendar import bucket
from arena.steps.doors import Doors


def mark(doors: Doors, at: datetime, *, moved: bool) -> int:
    """Value every running cohort once in each of the schedule's time buckets.

    Where money has `moved` in this tick they are valued again: a mark from before a trade
    beside the cash from after it would show a loss that nobody made.

    Returns:
        How many cohorts were valued.
    """
    slot = bucket(at, doors.schedule.mark_every)
    entries: list[Entry] = []
    for cohort in doors.store.books.running():
        name = f"mark:{cohort.id}:{slot:%Y-%m-%dT%H:%M:%SZ}"
        if moved and doors.store.journal.has(name):
            name = f"mark:{cohort.id}:{at:%Y-%m-%dT%H:%M:%SZ}:moved"
        entries.append(Entry(name, at, Marked(), cohort.id))
    return doors.store.journal.append(entries)
