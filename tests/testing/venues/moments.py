"""The world that the tests of the stand-in's own parts look at, at one moment."""

from datetime import UTC, datetime

from arena.records.market import State
from tests.standins.venues.world import StandInWorld

AT = datetime(2026, 11, 5, 10, 20, tzinfo=UTC)
WORLD = StandInWorld(seed=1, events_per_day=8)
VIEW = WORLD.view(AT)
OPEN = tuple(m for m in VIEW.markets if m.state is State.OPEN)
RESOLVED = tuple(m for m in VIEW.markets if m.state is State.RESOLVED)
TWO_SIDED = next(m for m in OPEN if m.bids and m.asks and m.siblings == 1)
