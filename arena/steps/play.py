"""A tick, start to end. Read `tick` to know what the arena does.

Live running, the demo, a replay and the tests are this one function with other doors.
"""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.ledger.journal import fund
from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.market import VenueId
from arena.records.report import Failure, TickReport
from arena.records.trade import AdapterSet, Entry, Marked, Opened
from arena.steps.doors import Doors
from arena.steps.markets.observe import look_back, observe
from arena.steps.markets.resolve import ended_unanswered, finish, resolve
from arena.steps.round_schedule import bucket, cohort_id, due_start
from arena.steps.rounds.decide import Asked, decide
from arena.steps.rounds.trade import Traded, together, trade
from arena.store import Store
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
        last = doors.store.books.last_start(spec.name)
        start = due_start(spec, at, last)
        if start and doors.store.journal.append(opening(spec, start)):
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


def mark(doors: Doors, at: datetime) -> int:
    """Value the running cohorts that have news: new prices, or money that moved.

    New prices count once in each of the schedule's time buckets, and not in a cohort that ended
    without a single answer: it never completes, and has no position. Money that moved counts at
    once: a mark from before a trade beside the cash from after it would show a loss that
    nobody made.

    Returns:
        How many cohorts were valued.
    """
    return doors.store.journal.append(
        Entry(f"mark:{cohort.id}:{at:%Y-%m-%dT%H:%M:%SZ}", at, Marked(), cohort.id)
        for cohort in doors.store.books.running()
        if doors.store.books.moved_since_mark(cohort.id)
        or (_has_new_prices(doors, cohort.id, at) and not ended_unanswered(doors, cohort, at))
    )


def _has_new_prices(doors: Doors, cohort: CohortId, at: datetime) -> bool:
    if doors.store.tape.last_moment() != at:
        return False
    last, width = doors.store.books.last_mark(cohort), doors.schedule.mark_every
    return last is None or bucket(at, width) > bucket(last, width)


async def tick(doors: Doors, at: datetime) -> TickReport:
    """Do once whatever is due at a moment.

    Safe to run twice, late, or after a crash: every effect has an id that follows from what
    it is, and what is on the tape is not asked for again.

    Raises:
        ArenaError: The moment is before one that was already played.
    """
    at = at.astimezone(UTC).replace(microsecond=0)
    _refuse_the_past(doors, at)
    finished = await finish_rounds(doors, at)
    enrolled = enrol(doors, at)
    adapters = set_adapters(doors, at, enrolled.cohorts)
    observed = await observe(doors, at)
    decided = await decide(doors, at, since=at)
    traded = together(finished.traded, trade(doors, at, silent=finished.silent))
    settlement = resolve(doors, at)
    marked = mark(doors, at)
    ended = finish(doors, at)
    return TickReport(
        at=at,
        enrolled=enrolled.cohorts,
        polled=observed.polled,
        rounds=observed.rounds,
        answers=finished.asked.answers + decided.answers,
        pending=finished.asked.pending + decided.pending,
        turns=traded.turns,
        fills=traded.fills,
        sales=traded.sales,
        refused=traded.refused,
        failed_turns=traded.failed,
        resolved=settlement.resolved,
        reopened=settlement.reopened,
        settled=settlement.settled,
        marked=marked,
        completed=settlement.completed + ended.completed,
        # each once: a broken seal can stop a settlement and a completion
        failures=tuple(
            dict.fromkeys(
                finished.failures + observed.failures + settlement.failures + ended.failures
            )
        ),
        notes=enrolled.notes + adapters + observed.notes + _withdrawn(traded.withdrawn),
    )


def _withdrawn(contestants: tuple[ContestantId, ...]) -> tuple[str, ...]:
    return tuple(
        f"contestant {who} is withdrawn: it is not in the configuration any more, and "
        f"was to play {turns} now; what it holds is valued and settled"
        for who, turns in Counter(contestants).items()
    )


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of earlier rounds, what went wrong in it, and which venues said nothing."""

    asked: Asked
    traded: Traded
    failures: tuple[Failure, ...] = ()
    silent: frozenset[VenueId] = frozenset()


async def finish_rounds(doors: Doors, before: datetime) -> Finished:
    """Judge what an interrupted tick left of earlier rounds, before anything new is shown.

    A contestant is briefed on the books as they are after its last turn, not in the middle.
    Late answers are judged by what venues say after them.
    """
    open_since = [r.at for r in doors.store.books.open_rounds() if r.at < before]
    if not open_since:
        return Finished(Asked(0), Traded())
    decided = await decide(doors, before, until=max(open_since))
    failures, silent = await look_back(doors, before)
    traded = trade(doors, before, until=max(open_since), silent=silent)
    return Finished(decided, traded, failures, silent)


async def tick_and_publish(doors: Doors, at: datetime) -> TickReport:
    """Tick, and write the pages that changed; where they cannot be, the tick still stands."""
    report = await tick(doors, at)
    try:
        pages = doors.publish(report.at) if doors.publish else 0
    except ArenaError as error:
        failure = Failure(error.message, "the site", error.hint)
        return replace(report, failures=(*report.failures, failure))
    return replace(report, pages=pages)


async def play(
    doors: Doors, clock: HandClock, moments: Iterable[datetime]
) -> AsyncIterator[TickReport]:
    """Tick at each of the moments, moving the clock to it first."""
    for at in moments:
        clock.at = at
        yield await tick(doors, at)


def last_played(store: Store) -> datetime | None:
    """The newest moment that was played: that of a poll, or of a mark without one."""
    marks = (store.books.last_mark(cohort.id) for cohort in store.books.running())
    return max(filter(None, (store.tape.last_moment(), *marks)), default=None)


def _refuse_the_past(doors: Doors, at: datetime) -> None:
    last = last_played(doors.store)
    if last is not None and at < last:
        raise ArenaError(
            "tick.backwards",
            f"this arena was last ticked at {last:%Y-%m-%d %H:%M:%S} UTC, "
            f"and cannot go back to {at:%Y-%m-%d %H:%M:%S} UTC",
            hint="give a later --at, or wait until then. If the machine's clock was ahead, put "
            "a copy of the database from before back and go on with `arena tick "
            "--accept-rollback`: the journal keeps that",
            status=2,
        )
