"""A venue that is played back from an arena's own tape."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.errors import ArenaError
from arena.ports import Clock
from arena.records.market import Catalogue, Market, MarketId, Quote, State, Status, VenueId
from arena.store import Store
from arena.store.tape.taped import SqliteRecording

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
        at, ids = self._at(), list(markets)
        before = self.store.tape.statuses(ids, at - _JUST_BEFORE)
        return {
            market: status
            for market, status in self.store.tape.statuses(ids, at).items()
            if not status.unconfirmed or before.get(market) != status
        }

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
