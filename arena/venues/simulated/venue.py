"""The simulated venue: a window on the world that shows what is known at the clock's moment."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import inf
from operator import attrgetter

from arena.ports import Clock, Payloads
from arena.records.market import Catalogue, Market, MarketId, Quote, State, Status
from arena.records.settings import VenueSettings
from arena.venues.options import is_whole, read_options
from arena.venues.simulated.world import HOUR, World, quote

DEFAULTS = {"seed": 1, "events_per_day": 4}
MOST_EVENTS = 1000  # a day


class SimulatedVenue:
    """A venue of invented markets. It implements the `Venue` port, and `signal` besides."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock

    async def catalogue(self) -> Catalogue:
        """List the markets that can be traded now, by id."""
        open_now = self._world.open_at(self._clock.now())
        return Catalogue(tuple(sorted((m.market for m in open_now), key=attrgetter("id"))))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Add nothing: the list holds everything."""
        return markets

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the newest quote of each market that has not closed.

        A halted market, or one whose book nobody touches, keeps its last quote and its time.
        """
        now = self._clock.now()
        newest_quotes = (self._quote(market, now) for market in markets)
        return {newest.market: newest for newest in newest_quotes if newest is not None}

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Say where each market that has opened is in its life, however long ago it ended."""
        now = self._clock.now()
        statuses = {}
        for market in markets:
            if (simulated := self._world.find(market, now)) is not None:
                turn = simulated.turn(simulated.step(now))
                statuses[market] = Status(market, turn.state, now, turn.outcome)
        return statuses

    def signal(self, market: MarketId, ahead: timedelta) -> float | None:
        """Tell the fair price that a market will have `ahead` from now: private information.

        It is the one look past the clock, and what makes the skill of a simulated
        contestant: a forecast that knows the fair price of a later hour is calibrated, and
        the later that hour, the smaller its expected Brier score. The outcome is no part of
        it: past the close it stays the price of the close.

        Args:
            market: A market that has opened; for any other there is no signal.
            ahead: How far to look, 0 or more.

        Returns:
            P(YES) in [0, 1], or None.

        Raises:
            ValueError: `ahead` is negative.
        """
        if ahead < timedelta(0):
            raise ValueError(f"a signal looks ahead, not {ahead}")
        now = self._clock.now()
        simulated = self._world.find(market, now)
        return None if simulated is None else simulated.value(simulated.step(now + ahead))

    def _quote(self, market: MarketId, now: datetime) -> Quote | None:
        simulated = self._world.find(market, now)
        if simulated is None:
            return None
        step, at = simulated.step(now), now
        if simulated.turn(step).state not in {State.OPEN, State.HALTED}:
            return None
        if (stopped := simulated.book.stopped(step)) is not None:
            step, at = stopped, simulated.opens_at + stopped * HOUR
        return quote(market, simulated.book, simulated.value(step), step, at)


def from_settings(
    settings: VenueSettings,
    clock: Clock,
    payloads: Payloads | None = None,  # noqa: ARG001  no server says anything
) -> SimulatedVenue:
    """Build a simulated venue.

    Options: `seed`, any whole number, names the world (1 if not given); `events_per_day`,
    1 to 1000, how many events open on a day (4 if not given, some 40 markets at a time).
    Market ids begin with the venue's own id.

    Raises:
        ArenaError: `venue.option`: an option is unknown or has a wrong value.
    """
    right: Mapping[str, Callable[[object], bool]] = {
        "seed": lambda value: is_whole(value, -inf, inf),
        "events_per_day": lambda value: is_whole(value, 1, MOST_EVENTS),
    }
    hint = f"seed is a whole number, events_per_day is 1 to {MOST_EVENTS}"
    options = DEFAULTS | read_options(settings, dict[str, int], right, hint)
    return SimulatedVenue(World(settings.id, **options), clock)
