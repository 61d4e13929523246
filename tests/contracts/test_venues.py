"""What every venue keeps to, tried on those that come with the arena."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

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
from arena.venues import simulated
from arena.venues.recorded import Listing, RecordedVenue, Recording

T0 = datetime(2026, 1, 5, tzinfo=UTC)
MOMENTS = tuple(T0 + timedelta(hours=h) for h in range(0, 240, 9))
STRANGER = MarketId("never-heard-of")


def a_simulated_one(clock: Clock) -> Venue:
    return simulated.from_settings(VenueSettings(VenueId("simulated"), "simulated"), clock)


def a_recorded_one(clock: Clock) -> Venue:
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


@pytest.fixture(params=[a_simulated_one, a_recorded_one], ids=["simulated", "recorded"])
def make(request: pytest.FixtureRequest) -> Callable[[Clock], Venue]:
    made: Callable[[Clock], Venue] = request.param
    return made


def listed(venue: Venue) -> list[MarketId]:
    return [m.id for m in asyncio.run(venue.catalogue()).markets]


def test_a_market_is_listed_once(make: Callable[[Clock], Venue]) -> None:
    for at in MOMENTS:
        ids = listed(make(HandClock(at)))
        assert len(ids) == len(set(ids))


def test_no_quote_is_from_after_its_moment(make: Callable[[Clock], Venue]) -> None:
    for at in MOMENTS:
        venue = make(HandClock(at))
        quotes = asyncio.run(venue.quotes(listed(venue)))
        assert all(q.at <= at and market == q.market for market, q in quotes.items())


def test_no_status_is_from_after_its_moment(make: Callable[[Clock], Venue]) -> None:
    for at in MOMENTS:
        venue = make(HandClock(at))
        statuses = asyncio.run(venue.statuses(listed(venue)))
        assert all(s.at <= at and market == s.market for market, s in statuses.items())


def test_what_is_listed_is_not_resolved(make: Callable[[Clock], Venue]) -> None:
    for at in MOMENTS:
        venue = make(HandClock(at))
        statuses = asyncio.run(venue.statuses(listed(venue)))
        assert all(s.state is State.OPEN for s in statuses.values())


def test_a_stranger_is_left_out(make: Callable[[Clock], Venue]) -> None:
    venue = make(HandClock(T0))
    assert asyncio.run(venue.quotes([STRANGER])) == {}
    assert asyncio.run(venue.statuses([STRANGER])) == {}


def test_the_same_moment_gives_the_same_answer(make: Callable[[Clock], Venue]) -> None:
    clock = HandClock(MOMENTS[-1])
    used = make(clock)
    for at in (*MOMENTS, MOMENTS[3]):
        clock.at = at
        listed(used)
    fresh = make(HandClock(MOMENTS[3]))
    ids = listed(fresh)
    assert listed(used) == ids
    assert asyncio.run(used.quotes(ids)) == asyncio.run(fresh.quotes(ids))


def test_every_listed_market_ends_in_an_outcome(make: Callable[[Clock], Venue]) -> None:
    ids = listed(make(HandClock(T0)))
    later = make(HandClock(T0 + timedelta(days=40)))
    ended = asyncio.run(later.statuses(ids))
    assert ids
    assert all(ended[market].outcome is not None for market in ids)


def test_time_moves_markets_in_and_out(make: Callable[[Clock], Venue]) -> None:
    seen = [frozenset(listed(make(HandClock(at)))) for at in (T0, T0 + timedelta(days=30))]
    assert all(a != b for a, b in pairwise(seen))
