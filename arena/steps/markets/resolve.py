"""Step 5: settle the markets that have resolved, and undo what a venue takes back."""

from dataclasses import dataclass
from datetime import datetime

from arena.ledger.journal import payout, reverse, settle
from arena.records.cohort import Cohort, CohortId, ContestantId
from arena.records.market import MarketId, Outcome, Status
from arena.records.money import ZERO_USD, Usd
from arena.records.report import Failure
from arena.records.seal import SealState
from arena.records.trade import Completed, Entry, Marked, Reopened, Resolved
from arena.steps.doors import Doors
from arena.steps.seal import state_of, stopped, stops
from arena.store.journal.books import Ruling


@dataclass(frozen=True, slots=True)
class Settlement:
    """Which markets were ruled on, how many positions were paid, which cohorts are done.

    `reopened` are markets whose outcome their venue has taken back. `failures` name the broken
    seals for which something of this was not done.
    """

    resolved: tuple[MarketId, ...] = ()
    reopened: tuple[MarketId, ...] = ()
    settled: int = 0
    completed: tuple[CohortId, ...] = ()
    failures: tuple[Failure, ...] = ()


def resolve(doors: Doors, at: datetime) -> Settlement:
    """Bring the books in line with the venues' last words on the tape.

    A market is settled, scored and marked for the last time in one transaction. Where a
    broken seal forbids it nothing is: all of it waits for a tick after the seal was mended.
    """
    resolved: list[MarketId] = []
    reopened: list[MarketId] = []
    completed: list[CohortId] = []
    settled = 0
    waiting = doors.store.books.unsettled(at, doors.schedule.recheck_for)
    broken = stops(doors.store, [s.market for s in waiting], doors.grading)
    for status in () if broken else waiting:
        with doors.store.write():
            paid, cohorts = _rule(doors, status, at)
            done = [c for c in sorted(cohorts) if _finish(doors, c, at)]
        (reopened if status.outcome is None else resolved).append(status.market)
        settled += paid
        completed += done
    return Settlement(tuple(resolved), tuple(reopened), settled, tuple(completed), broken)


def _rule(doors: Doors, status: Status, at: datetime) -> tuple[int, set[CohortId]]:
    market, store = status.market, doors.store
    before: Ruling | None = store.books.ruling(market)
    revision = before.revision + 1 if before else 1
    taken_back = _take_back(doors, market, before, revision, at) if before else set()
    store.journal.append(
        [Entry(f"resolve:{market}:{revision}", at, Resolved(market, revision, status.outcome))]
    )
    if status.outcome is None:
        for cohort in sorted(taken_back):
            _reopen(doors, cohort, at)
        return 0, set()
    paid = _pay(doors, market, status.outcome, revision, at)
    return len(paid), taken_back | set(paid)


def _take_back(
    doors: Doors, market: MarketId, before: Ruling, revision: int, at: datetime
) -> set[CohortId]:
    store = doors.store
    touched: set[CohortId] = set()
    if before.outcome is None:
        return touched
    for position in store.books.settled_in(market):
        name = f"settle:{position.cohort}:{position.contestant}:{market}:{position.side}"
        entry = store.journal.entry(f"{name}:{before.revision}")
        if entry is not None:
            cash = store.books.purse(position.cohort, position.contestant).cash
            store.journal.append([reverse(entry, revision, at, cash=cash)])
            touched.add(position.cohort)
    return touched


def _pay(
    doors: Doors, market: MarketId, outcome: Outcome, revision: int, at: datetime
) -> list[CohortId]:
    """Settle everybody's positions; a payout repays what its owner still owes."""
    store = doors.store
    owed: dict[tuple[CohortId, ContestantId], Usd] = {}
    entries: list[Entry] = []
    held = store.books.held_in(market)
    for position in held:
        seat = (position.cohort, position.contestant)
        debt = owed.get(seat)
        if debt is None:
            debt = store.books.purse(*seat).owed
        entries.append(settle(position, outcome, revision, at, owed=debt))
        owed[seat] = Usd(max(debt - payout(position, outcome), ZERO_USD))
    store.journal.append(entries)
    return [position.cohort for position in held]


def _reopen(doors: Doors, cohort: CohortId, at: datetime) -> None:
    if cohort not in {c.id for c in doors.store.books.running()}:
        doors.store.journal.append(
            [Entry(f"reopen:{cohort}:{at:%Y-%m-%dT%H:%M:%SZ}", at, Reopened(), cohort)]
        )


def finish(doors: Doors, at: datetime) -> Settlement:
    """Complete the cohorts that have nothing left to wait for, unless a seal is broken."""
    done: list[CohortId] = []
    broken: list[Failure] = []
    for cohort in doors.store.books.running():
        if not _is_over(doors, cohort, at):
            continue
        sealing = state_of(doors.store, cohort.id, doors.grading)
        if sealing.state is SealState.BROKEN:
            broken.append(stopped(cohort, sealing))
            continue
        with doors.store.write():
            if _finish(doors, cohort.id, at):
                done.append(cohort.id)
    return Settlement(completed=tuple(done), failures=tuple(broken))


def ended_unanswered(doors: Doors, cohort: Cohort, at: datetime) -> bool:
    """Whether a cohort was valued after its end, without an answer that could ever be read."""
    last = doors.store.books.last_mark(cohort.id)
    if last is None or last < cohort.window_ends_at:
        return False
    return _waits_for_nothing(doors, cohort, at) and not doors.store.books.succeeded(cohort.id)


def _waits_for_nothing(doors: Doors, cohort: Cohort, at: datetime) -> bool:
    books = doors.store.books
    if at < cohort.window_ends_at or books.open_count(cohort.id):
        return False
    return not any(r.cohort == cohort.id for r in books.open_rounds())


def _is_over(doors: Doors, cohort: Cohort, at: datetime) -> bool:
    return _waits_for_nothing(doors, cohort, at) and doors.store.books.succeeded(cohort.id)


def _finish(doors: Doors, cohort: CohortId, at: datetime) -> bool:
    """Mark a cohort for the last time and complete it, if it is done."""
    running = doors.store.books.cohort(cohort)
    if running is None or not _is_over(doors, running, at):
        return False
    return bool(
        doors.store.journal.append(
            [
                Entry(f"mark:{cohort}:{at:%Y-%m-%dT%H:%M:%SZ}:last", at, Marked(), cohort),
                Entry(f"complete:{cohort}:{at:%Y-%m-%dT%H:%M:%SZ}", at, Completed(), cohort),
            ]
        )
    )
