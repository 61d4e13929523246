"""A whole play on a hand-moved clock: the demo, a replay, a backtest."""

from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.records.cohort import Cohort, CohortSpec
from arena.records.report import TickReport
from arena.steps.calendar import cohort_id, planned_rounds
from arena.steps.doors import Doors
from arena.steps.play import play


async def play_on(
    doors: Doors, clock: HandClock, moments: Iterable[datetime]
) -> AsyncIterator[TickReport]:
    """Play the moments that are still to come, and the last one that was begun again.

    A play that was stopped goes on where it was: what is on the tape is not asked again.

    Raises:
        ArenaError: The database was begun under another agreement.
    """
    async for report in play(doors, clock, still_to_come(doors, moments)):
        yield report


def still_to_come(doors: Doors, moments: Iterable[datetime]) -> tuple[datetime, ...]:
    """The moments that a play has left: the last one begun, and those after it.

    Raises:
        ArenaError: The database was begun under another agreement.
    """
    for spec in doors.specs:
        _refuse_another(doors, spec)
    last = doors.store.tape.last_moment()
    return tuple(at for at in moments if last is None or at >= last)


def replay_moments(spec: CohortSpec, news: Iterable[datetime]) -> tuple[datetime, ...]:
    """When a replay ticks: at each round, and whenever something became known."""
    start = spec.start.first
    cohort = Cohort(cohort_id(spec, start), spec, start)
    rounds = {start + n * spec.decide_every for n in range(planned_rounds(cohort))}
    return tuple(sorted(rounds | {at for at in news if at >= start}))


def _refuse_another(doors: Doors, spec: CohortSpec) -> None:
    played = doors.store.boards.newest_spec()
    if played is not None and played != spec:
        other = "under another agreement" if played.name == spec.name else f"not of {spec.name}"
        raise ArenaError(
            "replay.another",
            f"this folder holds a play of {played.name}, {other}",
            hint="name another folder with --out, or delete this one",
            status=2,
        )


Watch = Callable[[TickReport], None]


async def play_through(
    doors: Doors, clock: HandClock, moments: Iterable[datetime], watch: Watch
) -> int:
    """Play to the end and publish once; tell `watch` of every tick.

    Returns:
        How many files of the site changed.
    """
    at = None
    async for report in play_on(doors, clock, moments):
        watch(report)
        at = report.at
    if at is None:
        at = doors.store.tape.last_moment()
    return doors.publish(at) if doors.publish and at else 0
