"""A whole play on a hand-moved clock: the demo, a replay, a backtest."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.ports import Clock
from arena.records.cohort import Cohort, CohortSpec
from arena.records.market import Catalogue, Market, MarketId, Quote, State, Status, VenueId
from arena.records.report import TickReport
from arena.steps.doors import Doors
from arena.steps.play import last_played, play
from arena.steps.round_schedule import cohort_id, planned_rounds
from arena.store import Store
from arena.store.tape.taped import SqliteRecording


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
    last = last_played(doors.store)
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


_JUST_BEFORE = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class TapedVenue:
    """What a venue said to the arena whose file this is, moment by moment.

    Cohorts of the file `name` are shown what their rounds offered then, so that they choose
    the same again. A cohort that was never played there is shown every market that the tape
    knows and that is open. A poll that failed fails again.
    """

    store: Store
    id: VenueId
    name: str
    clock: Clock

    async def catalogue(self) -> Catalogue:
        """List what was offered at this moment, and what else was told anew of markets."""
        at = self._at()
        recording = SqliteRecording(self.store.db)
        if recording.has_played(self.name):
            ids = {*recording.offered(self.name, at), *recording.news(self.id, at)}
            facts = self.store.tape.markets(ids, at)
        else:
            facts = self._open(recording.known(self.id, at), at)
        return Catalogue(tuple(facts[market] for market in sorted(facts)))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Add nothing: the tape holds everything."""
        return markets

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the newest quote so far of each market; one that has none is left out."""
        return self.store.tape.quotes(markets, self._at())

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Give the last word so far on each market; one that has none is left out.

        An unconfirmed word is given at its own moment alone: it was not read again.
        """
        at = self._at()
        statuses = self.store.tape.statuses(markets, at)
        in_doubt = [market for market, status in statuses.items() if status.unconfirmed]
        before = self.store.tape.statuses(in_doubt, at - _JUST_BEFORE)
        return {m: status for m, status in statuses.items() if before.get(m) != status}

    def _open(self, ids: Sequence[MarketId], at: datetime) -> dict[MarketId, Market]:
        statuses = self.store.tape.statuses(ids, at)
        return {
            market: facts
            for market, facts in self.store.tape.markets(ids, at).items()
            if (market not in statuses or statuses[market].state is State.OPEN)
            and (facts.closes_at is None or facts.closes_at > at)
        }

    def _at(self) -> datetime:
        at = self.clock.now()
        error = SqliteRecording(self.store.db).error(self.id, at)
        if error is not None:
            raise ArenaError("venue.silent", error, hint="it failed in the play before, too")
        return at
