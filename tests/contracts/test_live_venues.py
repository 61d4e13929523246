"""What every venue keeps to, tried on the live adapters over the stand-in server."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.http import Manners, Pauses, PoliteReader
from arena.ports import Clock, Venue
from arena.records.answer import Payload
from arena.records.market import MarketId, State, VenueId
from arena.records.settings import VenueSettings
from arena.venues.kalshi.venue import KalshiVenue
from arena.venues.kalshi.venue import options_of as kalshi_options
from arena.venues.manifold.venue import ManifoldVenue
from arena.venues.manifold.venue import options_of as manifold_options
from arena.venues.polymarket.asking import options_of as polymarket_options
from arena.venues.polymarket.venue import PolymarketVenue
from tests.contracts.observed_once import ObservedOnce
from tests.present import present
from tests.standins.venues import DIALECTS, Fault, Faults, StandInWorld, VenueServer

T0 = datetime(2026, 1, 5, 12, 30, tzinfo=UTC)  # lists may be minutes old, news come on the hour
WORLD = StandInWorld(seed=3, events_per_day=1)
DEAD = (Fault.BROKEN, Fault.BLOCKED, Fault.NOT_JSON, Fault.HTML_TYPE, Fault.GATEWAY)
LITTLE = Decimal("0.005")
EAGER = Manners(per_second=100_000, at_once=4)


@dataclass(slots=True)
class Following:
    """Tells the time of whichever clock was named last, to the server of a test."""

    clock: Clock

    def now(self) -> datetime:
        return self.clock.now()


@dataclass(slots=True)
class Kept:
    """Keeps what servers said, for a test to look at."""

    payloads: list[Payload] = field(default_factory=list)

    def keep(self, payload: Payload) -> None:
        self.payloads.append(payload)


def open_numbers() -> list[int]:
    return [m.number for m in WORLD.view(T0).markets if m.state is State.OPEN]


def hasty() -> Pauses:
    """Let every wait pass at once."""
    passed = [0.0]

    async def sleep(seconds: float) -> None:
        passed[0] += seconds
        await asyncio.sleep(0)

    return Pauses(sleep, lambda: passed[0], lambda: 1.0)


class Live(ObservedOnce):
    """A live adapter, asked about a world that the server knows all about."""

    name: str
    moments = (T0, T0 + timedelta(hours=31))
    ended_by = T0 + timedelta(days=40)

    @pytest.fixture(autouse=True)
    def _served(self) -> Iterator[None]:
        self.time = Following(HandClock(T0))
        with VenueServer(WORLD, self.time, DIALECTS) as self.server:
            old = [m.number for m in WORLD.view(T0).markets if m.state is State.RESOLVED]
            dialect = DIALECTS[self.name]
            self.some_ids = [self.id_of(dialect.own_id(n)) for n in (*old[:2], *old[-2:])]
            yield

    def id_of(self, own: str) -> MarketId:
        return MarketId(f"{self.name}:{own}")

    def make(self, clock: Clock) -> Venue:
        self.time.clock = clock
        options = tuple(self.server.options(self.name).items())
        settings = VenueSettings(VenueId(self.name), self.name, options)
        reader = PoliteReader(settings.id, EAGER, clock, Kept(), pauses=hasty())
        return self.over(settings, clock, reader)

    def over(self, settings: VenueSettings, clock: Clock, reader: PoliteReader) -> Venue:
        raise NotImplementedError

    def make_broken(self, clock: Clock) -> Iterator[Venue]:
        for fault in DEAD:
            self.server.faults = Faults.only(fault)
            yield self.make(clock)

    def test_what_is_listed_is_what_the_world_trades(self) -> None:
        """Every open market is listed, but for those that the adapter says it leaves out."""
        catalogue = asyncio.run(self.make(HandClock(T0)).catalogue())
        named = {market.id for market in catalogue.markets}
        dialect = DIALECTS[self.name]
        is_open = set(open_numbers())
        numbers = {dialect.number(own.partition(":")[2]) for own in named}
        left = {dialect.number(out.what.rpartition(":")[2]) for out in catalogue.left_out}
        assert is_open <= numbers | left
        assert numbers <= {m.number for m in WORLD.view(T0).markets}
        assert len(numbers) > len(is_open) / 2
        assert not [out for out in catalogue.left_out if out.malformed]

    def test_what_has_ended_pays_what_the_world_says(self) -> None:
        """An outcome is the world's, in the venue's words; and it is never final at once."""
        numbers = [m.number for m in WORLD.view(T0).markets]
        dialect = DIALECTS[self.name]
        ids = {self.id_of(dialect.own_id(number)): number for number in numbers}
        late = self.make(HandClock(T0 + timedelta(days=40)))
        statuses = asyncio.run(late.statuses(ids))
        assert len(statuses) > 0.9 * len(ids)  # some are of a kind that is never listed
        assert all(status.unconfirmed for status in statuses.values())
        for market, status in statuses.items():
            assert status.outcome == dialect.truth(WORLD.truth(ids[market]))

    def test_prices_are_the_worlds(self) -> None:
        """The middle of a quote is that of the world's book, where that has two sides."""
        dialect, venue = DIALECTS[self.name], self.make(HandClock(T0))
        ids = [self.id_of(dialect.own_id(number)) for number in open_numbers()]
        quotes = asyncio.run(venue.quotes(ids))
        assert len(quotes) > 0.9 * len(ids)
        for market, quote in quotes.items():
            number = dialect.number(market.partition(":")[2])
            true = WORLD.market(present(number), T0)
            if quote.mid is not None and true is not None and true.mid is not None:
                assert abs(quote.mid - true.mid) <= LITTLE

    def test_the_past_is_the_worlds(self) -> None:
        """Prices of the past are those of the world at the same hour, and none is missing."""
        dialect, venue = DIALECTS[self.name], self.make(HandClock(T0))
        assert isinstance(venue, PolymarketVenue | KalshiVenue | ManifoldVenue)
        number = open_numbers()[0]
        since = T0 - timedelta(hours=20)
        market = self.id_of(dialect.own_id(number))
        points = asyncio.run(venue.history(market, since, T0))
        told = {point.at.replace(minute=0, second=0, microsecond=0): point for point in points}
        true = dict(WORLD.history(number, since, T0))
        assert set(told) == set(true)
        assert all(abs(told[at].price - value) <= LITTLE for at, value in true.items())
        assert all(since <= point.at <= T0 for point in points)

    def test_what_it_does_not_know_is_unknown(self) -> None:
        """A market of the venue's own form that is not there has no known state."""
        made_up = self.id_of(DIALECTS[self.name].own_id(WORLD.view(T0).markets[0].number + 8))
        statuses = asyncio.run(self.make(HandClock(T0)).statuses([made_up]))
        assert [status.state for status in statuses.values()] == [State.UNKNOWN]


class TestPolymarket(Live):
    name = "polymarket"

    def over(self, settings: VenueSettings, clock: Clock, reader: PoliteReader) -> Venue:
        return PolymarketVenue(settings.id, polymarket_options(settings), clock, reader)

    def test_no_ghost_of_a_book_comes_through(self) -> None:
        """A book that the CLOB serves and that is not real gives no quote."""
        ids = [self.id_of(DIALECTS[self.name].own_id(number)) for number in open_numbers()]
        real = asyncio.run(self.make(HandClock(T0)).quotes(ids))
        self.server.faults = Faults.only(Fault.GHOST_BOOK)
        shown = asyncio.run(self.make(HandClock(T0)).quotes(ids))
        assert real
        assert not {market for market in shown if real[market].bid != shown[market].bid}


class TestKalshi(Live):
    name = "kalshi"

    def over(self, settings: VenueSettings, clock: Clock, reader: PoliteReader) -> Venue:
        return KalshiVenue(settings.id, kalshi_options(settings), clock, reader)

    def test_in_the_weekly_pause_nothing_is_read_and_outcomes_still_are(self) -> None:
        """A poll in the pause is given up; what has ended can be looked up all the same."""
        thursday = datetime(2026, 1, 8, 8, 30, tzinfo=UTC)
        venue = self.make(HandClock(thursday))
        with pytest.raises(ArenaError, match="paused"):
            asyncio.run(venue.catalogue())
        assert asyncio.run(venue.statuses(self.some_ids)).keys() == set(self.some_ids)


class TestManifold(Live):
    name = "manifold"

    def over(self, settings: VenueSettings, clock: Clock, reader: PoliteReader) -> Venue:
        return ManifoldVenue(settings.id, manifold_options(settings), clock, reader)
