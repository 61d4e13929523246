"""The world that the tests of the stand-in's own parts look at, at one moment."""

from datetime import UTC, datetime, timedelta

from arena.records.market import State
from tests.standins.venues.world import StandInWorld, WorldMarket, WorldView

AT = datetime(2026, 11, 5, 10, 20, tzinfo=UTC)
HOUR = timedelta(hours=1)
WORLD = StandInWorld(seed=1, events_per_day=8)
VIEW = WORLD.view(AT)
OPEN = tuple(m for m in VIEW.markets if m.state is State.OPEN)
RESOLVED = tuple(m for m in VIEW.markets if m.state is State.RESOLVED)
TWO_SIDED = next(m for m in OPEN if m.bids and m.asks and m.siblings == 1)


def moment_of(state: State) -> tuple[WorldView, WorldMarket]:
    """Find a moment at which some market is in a state that is soon over."""
    for market in VIEW.markets:
        for stage in WORLD.course(market.number):
            if stage.state is state:
                view = WORLD.view(stage.at)
                return view, found(view, market.number)
    raise LookupError(f"nothing is ever {state}")


def found(view: WorldView, number: int) -> WorldMarket:
    market = view.find(number)
    assert market is not None
    return market
