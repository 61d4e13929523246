"""What every venue keeps to, tried on those that come with the arena."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from arena.clock import HandClock
from arena.ports import Clock, Venue
from arena.records.market import (
    YES_WINS,
    EventId,
    Market,
    MarketId,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.money import price
from arena.records.settings import VenueSettings
from arena.testing import VenueSuite
from arena.venues import simulated
from arena.venues.recorded import Listing, RecordedVenue, Recording
from tests.contracts.observed_once import ObservedOnce

T0 = datetime(2026, 1, 5, tzinfo=UTC)
MOMENTS = tuple(T0 + timedelta(hours=h) for h in range(0, 240, 48))


class TestSimulated(ObservedOnce):
    moments = MOMENTS
    ended_by = T0 + timedelta(days=40)

    def make(self, clock: Clock) -> Venue:
        settings = VenueSettings(VenueId("simulated"), "simulated", (("events_per_day", 2),))
        return simulated.from_settings(settings, clock)


class TestRecorded(VenueSuite):
    moments = MOMENTS
    ended_by = T0 + timedelta(days=40)
    some_ids = (MarketId("m0"), MarketId("m4"))

    def make(self, clock: Clock) -> Venue:
        markets = [
            Market(MarketId(f"m{n}"), VenueId("tape"), EventId("e"), f"Q{n}?") for n in range(5)
        ]
        end = T0 + timedelta(days=6)
        return RecordedVenue(
            Recording(
                tuple(Listing(m, T0, end) for m in markets),
                tuple(
                    Quote(
                        m.id,
                        price(f"0.{20 + day}"),
                        price(f"0.{22 + day}"),
                        T0 + timedelta(days=day),
                    )
                    for m in markets
                    for day in range(5)
                ),
                tuple(Status(m.id, State.RESOLVED, end, YES_WINS) for m in markets),
            ),
            clock,
        )


@pytest.mark.parametrize(
    "suite", [TestSimulated(), TestRecorded()], ids=lambda s: type(s).__name__
)
def test_time_moves_markets_in_and_out(suite: VenueSuite) -> None:
    def listed(at: datetime) -> set[MarketId]:
        catalogue = asyncio.run(suite.make(HandClock(at)).catalogue())
        return {market.id for market in catalogue.markets}

    assert listed(T0) != listed(T0 + timedelta(days=30))
