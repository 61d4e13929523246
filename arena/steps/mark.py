"""Step 6: value what is open."""

from datetime import datetime

from arena.records.cohort import CohortId
from arena.records.trade import Entry, Marked
from arena.steps.calendar import bucket
from arena.steps.doors import Doors


def mark(doors: Doors, at: datetime) -> int:
    """Value the running cohorts that have news: new prices, or money that moved.

    New prices count once in each of the schedule's time buckets. Money that moved counts at
    once: a mark from before a trade beside the cash from after it would show a loss that
    nobody made.

    Returns:
        How many cohorts were valued.
    """
    return doors.store.journal.append(
        Entry(f"mark:{cohort.id}:{at:%Y-%m-%dT%H:%M:%SZ}", at, Marked(), cohort.id)
        for cohort in doors.store.books.running()
        if doors.store.books.moved_since_mark(cohort.id)
        or _has_new_prices(doors, cohort.id, at)
    )


def _has_new_prices(doors: Doors, cohort: CohortId, at: datetime) -> bool:
    if doors.store.tape.last_moment() != at:
        return False
    last, width = doors.store.books.last_mark(cohort), doors.schedule.mark_every
    return last is None or bucket(at, width) > bucket(last, width)
