"""How things stand: what ran, what is due, what is stuck."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from arena.llms.profile import retirement_of
from arena.records.cohort import Cadence, Cohort, CohortSpec
from arena.records.market import State
from arena.records.report import CohortStatus, Status
from arena.records.seal import SealState
from arena.records.settings import ModelSettings, Schedule
from arena.steps.markets.observe import venues_of_interest
from arena.steps.round_schedule import cohort_id, due_round, due_start, planned_rounds
from arena.steps.seal import states_of
from arena.store import Store
from arena.store.journal.books import Round
from arena.store.lease import overdue_holder
from arena.store.pages.health import Late, SqliteHealth
from arena.store.sqlite import tick_file

SOON = timedelta(days=60)
MOST_LATE = 20
TOLD_FOR = timedelta(days=7)  # that a cohort ended without an answer: nobody can change it


def status(
    store: Store,
    specs: tuple[CohortSpec, ...],
    schedule: Schedule,
    at: datetime,
    models: Iterable[ModelSettings] = (),
) -> Status:
    """Look at the books and the calendar; nothing is changed and no venue is asked."""
    health, running = SqliteHealth(store.db), store.books.running()
    due = tuple(_due(store, specs, running, schedule, at))
    return Status(
        at=at,
        last_tick=store.tape.last_moment(),
        due=due,
        stuck=tuple(_stuck(store, health, (running, due), schedule, at)),
        cohorts=tuple(_cohort(store, cohort, at) for cohort in running),
        venues=tuple(health.venues(at)),
        waiting=tuple(_waiting(store, running, at)),
        retiring=tuple(_retiring(models, at)),
    )


def _retiring(models: Iterable[ModelSettings], at: datetime) -> Iterator[str]:
    for model in models:
        ends = retirement_of(model)
        if ends is not None and ends <= at.date():
            yield f"model {model.name} was retired on {ends}: it is not asked any more"
        elif ends is not None and ends - at.date() <= SOON:
            yield f"model {model.name} is retired on {ends}: it will not be asked after that"


def _cohort(store: Store, cohort: Cohort, at: datetime) -> CohortStatus:
    last = store.books.last_round(cohort.id)
    newest = last.number if last else 0
    pending = due_round(cohort, newest, at)
    so_far = max(newest, min(planned_rounds(cohort), _rounds_by(cohort, at)))
    upcoming = cohort.started_at + cohort.spec.decide_every * (
        so_far if pending is None else pending - 1
    )
    played = store.books.rounds_played(cohort.id)
    return CohortStatus(
        cohort=cohort.id,
        started_at=cohort.started_at,
        rounds_played=played,
        rounds_planned=planned_rounds(cohort),
        rounds_missed=max(0, so_far - played - (pending is not None)),
        next_round=upcoming if upcoming < cohort.window_ends_at else None,
        open_positions=store.books.open_count(cohort.id),
        last_mark=store.books.last_mark(cohort.id),
    )


def _rounds_by(cohort: Cohort, at: datetime) -> int:
    return max(0, (at - cohort.started_at) // cohort.spec.decide_every + 1)


def _due(
    store: Store,
    specs: tuple[CohortSpec, ...],
    running: Sequence[Cohort],
    schedule: Schedule,
    at: datetime,
) -> list[str]:
    due: list[str] = []
    for spec in specs:
        start = due_start(spec, at, store.books.last_start(spec.name))
        if start is not None:
            due.append(f"cohort {cohort_id(spec, start)} starts")
        due += _joining(spec, running)
    for cohort in running:
        last_round = store.books.last_round(cohort.id)
        number = due_round(cohort, last_round.number if last_round else 0, at)
        if number is not None:
            due.append(f"cohort {cohort.id} decides round {number}")
    configured = {spec.venue for spec in specs}
    for venue in venues_of_interest(store, running, configured, at, schedule):
        polled = store.tape.last_poll(venue)
        if polled is None or at - polled >= schedule.poll_every:
            due.append(f"venue {venue} is polled")
    return due


def _joining(spec: CohortSpec, running: Sequence[Cohort]) -> list[str]:
    """Contestants that were added to a spec after its newest cohort was frozen."""
    newest = [c.spec for c in running if c.spec.name == spec.name][-1:]
    if not newest or spec.start.cadence is Cadence.ONCE:
        return []
    playing = newest[0].contestants
    return [
        f"contestant {who} joins {spec.name} when its next cohort starts"
        for who in spec.contestants
        if who not in playing
    ]


def _waits_until(store: Store, played: Round) -> datetime:
    """The moment until which a round waits for answers by its rules."""
    cohort = store.books.cohort(played.cohort)
    return played.at + cohort.spec.rules.answer_within if cohort else played.at


def _waiting(store: Store, running: Sequence[Cohort], at: datetime) -> list[str]:
    of = {c.id: c for c in running}
    lines = []
    for r in store.books.open_rounds():
        until = _waits_until(store, r)
        if r.cohort in of and at < until:
            answers = len(store.tape.answered(r.cohort, r.number))
            count = len(of[r.cohort].spec.contestants) - answers
            lines.append(
                f"round {r.number} of {r.cohort} waits for {count} "
                f"answer{'' if count == 1 else 's'} until {until:%Y-%m-%d %H:%M} UTC"
            )
    return lines


def _stuck(
    store: Store,
    health: SqliteHealth,
    work: tuple[Sequence[Cohort], Sequence[str]],
    schedule: Schedule,
    at: datetime,
) -> list[str]:
    running, due = work
    stuck = [
        f"round {r.number} of {r.cohort} is half played: "
        f"{len(store.tape.answered(r.cohort, r.number))} answers so far; unless one is at it "
        "now, `arena tick` finishes it"
        for r in store.books.open_rounds()
        if at >= _waits_until(store, r)
    ]
    stuck += [
        f"cohort {c.id} is over, but no decision of it ever succeeded"
        for c in running
        if timedelta(0) <= at - c.window_ends_at < TOLD_FOR and not store.books.succeeded(c.id)
    ]
    seals = states_of(store, [c.id for c in running])
    stuck += [
        f"cohort {cohort} will not be graded: {sealing.words}"
        for cohort, sealing in seals
        if sealing.state is SealState.BROKEN
    ]
    hung = overdue_holder(tick_file(store.db.path)) if store.db.path else None
    if hung:
        stuck.append(f"{hung}: it ticks and gives no sign; the next `arena tick` takes over")
    last = store.tape.last_moment()
    silent = last is not None and at - last > schedule.stuck_after and bool(running or due)
    if silent:
        stuck.append(f"nothing was ticked since {last:%Y-%m-%d %H:%M} UTC")
    late = [] if silent else health.late(at - schedule.stuck_after)
    stuck += [_without_outcome(m) for m in late[:MOST_LATE]]
    if len(late) > MOST_LATE:
        stuck.append(f"{len(late) - MOST_LATE} more markets have closed without an outcome")
    stuck += [
        f"venue {v.venue} cannot be read: {v.last_error.removeprefix(f'{v.venue}: ')}"
        for v in health.venues(at)
        if v.last_error
    ]
    return stuck


def _without_outcome(late: Late) -> str:
    if late.closed_since is None:
        closes = f"was to close on {_utc(late.closes_at)}, " if late.closes_at else ""
        return f"market {late.market} {closes}is {late.state} and has no outcome"
    if late.state == State.UNKNOWN:
        return f"market {late.market} is not known to its venue since {_utc(late.closed_since)}"
    since = _utc(late.closed_since)
    return f"market {late.market} is closed since {since}, is {late.state}, has no outcome"


def _utc(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
