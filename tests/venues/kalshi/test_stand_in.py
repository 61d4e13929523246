"""The adapter against the stand-in: it says what is true in the simulated world."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import attrgetter

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.http import Manners, PoliteReader
from arena.records.market import FeeKind, MarketId, Outcome, State
from arena.venues.kalshi.server import KalshiOptions
from arena.venues.kalshi.venue import KalshiVenue
from tests.http.asking import Drawer, NoTime, failure
from tests.present import some
from tests.standins.venues.kalshi import KalshiDialect
from tests.standins.venues.server import VenueServer
from tests.standins.venues.world import StandInWorld, WorldMarket, WorldView
from tests.venues.kalshi.rows import HERE
from tests.venues.kalshi.server import run

MONDAY = datetime(2026, 11, 2, 12, 30, tzinfo=UTC)
PAUSE = datetime(2026, 11, 5, 9, tzinfo=UTC)  # Thursday, 4 o'clock in New York


@dataclass(slots=True, eq=False)
class Place:
    """A world, its stand-in server, and the adapter that asks it."""

    world: StandInWorld = field(default_factory=lambda: StandInWorld(1, 4))
    clock: HandClock = field(default_factory=lambda: HandClock(MONDAY))
    dialect: KalshiDialect = field(default_factory=KalshiDialect)
    server: VenueServer = field(init=False)
    venue: KalshiVenue = field(init=False)

    def __post_init__(self) -> None:
        self.server = VenueServer(self.world, self.clock, {"kalshi": self.dialect})

    def open(self) -> None:
        """Build the adapter, once the server has a port."""
        manners = Manners(per_second=1e6, at_once=8)
        reader = PoliteReader(HERE, manners, self.clock, Drawer(), pauses=NoTime().pauses())
        options = KalshiOptions(f"{self.server.base_url}/kalshi/trade-api/v2", "")
        self.venue = KalshiVenue(HERE, options, self.clock, reader)

    @property
    def view(self) -> WorldView:
        return self.world.view(self.clock.now())

    def names(self) -> dict[MarketId, WorldMarket]:
        own = self.dialect.own_id
        return {MarketId(f"kalshi:{own(m.number)}"): m for m in self.view.markets}

    def truth(self, market: WorldMarket) -> Outcome | None:
        return None if market.outcome is None else self.dialect.truth(market.outcome)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    whole = Place()
    with whole.server:
        whole.open()
        yield whole


def test_the_catalogue_is_every_open_market_with_its_facts(place: Place) -> None:
    found = {row.id: row for row in run(place.venue.catalogue()).markets}
    is_open = {name: m for name, m in place.names().items() if m.state is State.OPEN}
    assert found.keys() == is_open.keys()
    for name, truth in is_open.items():
        assert found[name].exclusive == truth.exclusive
        assert found[name].rules.startswith(truth.rules)
        question, _, label = found[name].question.partition(" (")
        assert question == truth.question
        assert label in {"", *(f"{one})" for one in found[name].labels)}


def test_quotes_are_the_books(place: Place) -> None:
    asked = [row.id for row in run(place.venue.catalogue()).markets]
    found = run(place.venue.quotes(asked))
    books = attrgetter("bid", "ask", "bids", "asks")
    truth = place.names()
    assert found
    assert all(books(quote) == books(truth[name]) for name, quote in found.items())


def test_details_tell_the_fees_of_known_forms(place: Place) -> None:
    listed = run(place.venue.catalogue()).markets[:20]
    found = run(place.venue.details(listed))
    assert [row.id for row in found] == [row.id for row in listed]
    assert {row.fee.kind for row in found} > {FeeKind.QUADRATIC}


def test_states_and_outcomes_are_true_in_the_archive_too(place: Place) -> None:
    truth = place.names()
    found = run(place.venue.statuses(truth))
    assert found.keys() == truth.keys()
    over = {name: one for name, one in found.items() if one.state is State.RESOLVED}
    assert len(over) > 100
    assert all(one.outcome == place.truth(truth[name]) for name, one in over.items())
    unsure = {State.CLOSED_PENDING, State.PROPOSED}
    rest = [(found[name].state, truth[name].state) for name in truth if name not in over]
    assert all(told is known or told in unsure for told, known in rest)


def test_a_history_is_the_worlds_own(place: Place) -> None:
    until = place.clock.now()
    since = until - timedelta(days=60)
    for name, one in some(list(place.names().items())[::60]):
        known = dict(place.view.history(one.number, since, until))
        found = run(place.venue.history(name, since, until))
        assert found
        told = [abs(point.price - known[point.at]) for point in found if point.at in known]
        assert len(told) > len(found) / 2
        assert max(told) <= one.tick


def test_in_the_weekly_pause_there_are_states_alone(place: Place) -> None:
    place.clock.at = PAUSE
    try:
        told = failure(place.venue.catalogue())
        known = list(place.names())[-3:]
        assert len(run(place.venue.statuses(known))) == 3
    finally:
        place.clock.at = MONDAY
    assert isinstance(told, ArenaError)
    assert told.code == "venue.paused"
    assert "2026-11-05 10:00 UTC" in told.message
