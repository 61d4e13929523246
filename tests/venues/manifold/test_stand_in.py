"""The adapter against a Manifold that speaks from an invented world, whose truth is known."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.ports import Clock
from arena.records.market import MarketId, Quote, State, Status
from arena.records.settings import VenueSettings
from arena.testing import VenueSuite
from arena.venues.manifold import ManifoldVenue, from_settings
from tests.present import some
from tests.standins.venues.faults import Fault, Faults
from tests.standins.venues.manifold import ManifoldDialect
from tests.standins.venues.server import VenueServer
from tests.standins.venues.world import StandInWorld, WorldMarket
from tests.venues.manifold.rows import HERE
from tests.venues.manifold.server import Kept

NOW = datetime(2026, 3, 2, 12, 20, tzinfo=UTC)
DAY = timedelta(days=1)
DIALECT = ManifoldDialect()
WORLD = StandInWorld(seed=5, events_per_day=2)
CLOSED = {State.CLOSED_PENDING, State.PROPOSED, State.DISPUTED}


def venue(server: VenueServer, clock: Clock, **options: object) -> ManifoldVenue:
    given = {"base_url": f"{server.base_url}/manifold/v0", "per_second": 1e6} | options
    return from_settings(VenueSettings(HERE, "manifold", tuple(given.items())), clock, Kept())


@dataclass(frozen=True, slots=True)
class Seen:
    """What the adapter says about every market of the world, and what is true of each."""

    true: dict[MarketId, WorldMarket]
    quotes: dict[MarketId, Quote]
    statuses: dict[MarketId, Status]
    requests: int


@pytest.fixture(scope="module")
def seen() -> Seen:
    clock = HandClock(NOW)
    true = {
        MarketId(f"manifold:{DIALECT.own_id(one.number)}"): one
        for one in WORLD.view(NOW).markets
    }

    async def look(
        there: ManifoldVenue,
    ) -> tuple[dict[MarketId, Quote], dict[MarketId, Status]]:
        return dict(await there.quotes(true)), dict(await there.statuses(true))

    with VenueServer(WORLD, clock, {"manifold": DIALECT}) as server:
        quotes, statuses = asyncio.run(look(venue(server, clock)))
        return Seen(true, quotes, statuses, len(server.requests))


def test_every_market_of_the_world_has_a_status(seen: Seen) -> None:
    assert seen.statuses.keys() == seen.true.keys()
    assert {s.state for s in seen.statuses.values()} >= {State.OPEN, State.RESOLVED}


def test_statuses_right_after_quotes_cost_no_request(seen: Seen) -> None:
    assert seen.requests == len(seen.true)


def test_nothing_is_settled_otherwise_than_the_world_has_it(seen: Seen) -> None:
    settled = {m: s.outcome for m, s in seen.statuses.items() if s.outcome is not None}
    assert settled
    for own, outcome in settled.items():
        assert outcome == seen.true[own].outcome


def test_what_the_world_has_closed_is_not_open(seen: Seen) -> None:
    for own, true in some(seen.true.items()):
        if true.state in CLOSED or true.closed_at is not None:
            assert seen.statuses[own].state is not State.OPEN
            assert own not in seen.quotes


def test_the_spread_of_the_curve_is_around_the_worlds_price(seen: Seen) -> None:
    assert seen.quotes
    for own, quote in seen.quotes.items():
        mid = seen.true[own].mid
        if mid is not None and quote.mid is not None:
            assert abs(quote.mid - mid) < 0.001
            assert quote.bid < mid < quote.ask  # type: ignore[operator]  # a mid has both


def test_history_is_the_worlds_own() -> None:
    clock = HandClock(NOW)
    true = next(m for m in WORLD.view(NOW).markets if m.opens_at < NOW - 5 * DAY)
    own = MarketId(f"manifold:{DIALECT.own_id(true.number)}")
    since = true.opens_at
    with VenueServer(WORLD, clock, {"manifold": DIALECT}) as server:
        found = asyncio.run(venue(server, clock).history(own, since, since + 2 * DAY))
    told = dict(WORLD.view(NOW).history(true.number, since, since + 2 * DAY))
    assert len(found) >= 40
    hours = {point.at.replace(second=0, microsecond=0): point.price for point in found}
    assert hours.items() <= told.items()


def test_a_list_that_is_sorted_as_text_is_refused() -> None:
    clock = HandClock(NOW)
    faults = Faults.only(Fault.TEXT_SORTED)
    with (
        VenueServer(WORLD, clock, {"manifold": DIALECT}, faults) as server,
        pytest.raises(ArenaError, match="not in the order"),
    ):
        asyncio.run(venue(server, clock).catalogue())


class TestStandIn(VenueSuite):
    moments = (NOW, NOW + DAY)
    repeatable = False
    ended_by = NOW + 40 * DAY
    some_ids = (MarketId(f"manifold:{DIALECT.own_id(WORLD.view(NOW).markets[0].number)}"),)

    @pytest.fixture(autouse=True)
    def _server(self) -> Iterator[None]:
        self._clock = HandClock(NOW)
        self._made: list[ManifoldVenue] = []  # what is dropped too early is left open
        with VenueServer(WORLD, self._clock, {"manifold": DIALECT}) as server:
            self._open = server
            yield

    def make(self, clock: Clock) -> ManifoldVenue:
        self._clock.at = clock.now()
        self._made.append(venue(self._open, clock, min_bettors=100))
        return self._made[-1]
