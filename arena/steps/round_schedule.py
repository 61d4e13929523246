"""What is due when: pure arithmetic on moments."""

from datetime import UTC, datetime, timedelta

from arena.records.cohort import Cadence, Cohort, CohortId, CohortSpec

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def due_start(spec: CohortSpec, at: datetime, last: datetime | None = None) -> datetime | None:
    """The newest start of a spec that has come, is after the last one, and is not over.

    A late tick opens it all the same, dated at its start; older starts are missed.
    """
    first = spec.start.first
    if at < first:
        return None
    step = spec.start.cadence.step
    start = first if step is None else first + (at - first) // step * step
    is_new = last is None or start > last
    return start if is_new and at < start + spec.decide_for else None


def cohort_id(spec: CohortSpec, start: datetime) -> CohortId:
    """Name a cohort after its spec and its start; the only one after its spec alone.

    A start that is not at midnight UTC is named with its time.
    """
    if spec.start.cadence is Cadence.ONCE:
        return CohortId(spec.name)
    clock = "" if start == bucket(start, timedelta(days=1)) else f"-{start:%H%M}"
    return CohortId(f"{spec.name}-{start:%Y-%m-%d}{clock}")


def due_round(cohort: Cohort, last: int, at: datetime) -> int | None:
    """The number of the round that should be played now, from 1, or None.

    Rounds that nobody ticked for are missed, and leave a gap in the numbers.
    """
    if not cohort.started_at <= at < cohort.window_ends_at:
        return None
    number = (at - cohort.started_at) // cohort.spec.decide_every + 1
    return number if number > last else None


def planned_rounds(cohort: Cohort) -> int:
    """How many rounds a cohort plays if every one is ticked for.

    The window is half open: with a round a day for three days there are three.
    """
    return -(-cohort.spec.decide_for // cohort.spec.decide_every)


def bucket(at: datetime, width: timedelta) -> datetime:
    """Floor a moment to a multiple of `width` since the Unix epoch, in UTC.

    >>> bucket(datetime(2026, 3, 5, 12, 17, 59, tzinfo=UTC), timedelta(minutes=10)).minute
    10
    """
    return at - (at - _EPOCH) % width
