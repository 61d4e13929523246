"""The adapter against a Polymarket that speaks from an invented world, whose truth is known."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from arena.clock import HandClock
from arena.records.market import MarketId, State
from arena.records.settings import VenueSettings
from arena.venues.polymarket import PolymarketVenue, from_settings
from tests.http.asking import Drawer
from tests.standins.venues import DIALECTS, POLYMARKET, Fault, Faults, StandInWorld, VenueServer
from tests.venues.polymarket.rows import HERE, ours
from tests.venues.polymarket.server import run

NOW = datetime(2026, 3, 2, 12, 20, tzinfo=UTC)
DAY = timedelta(days=1)
WORLD = StandInWorld(seed=5, events_per_day=3)
TRUE = {ours(str(one.number)): one for one in WORLD.view(NOW).markets}
NOT_OPEN = {State.HALTED, State.PROPOSED, State.DISPUTED, State.CLOSED_PENDING, State.RESOLVED}


@pytest.fixture
def server() -> Iterator[VenueServer]:
    with VenueServer(WORLD, HandClock(NOW), DIALECTS) as running:
        yield running


@pytest.fixture
def venue(server: VenueServer) -> PolymarketVenue:
    options = (*server.options(POLYMARKET).items(), ("per_second", 100_000))
    return from_settings(VenueSettings(HERE, "polymarket", options), HandClock(NOW), Drawer())


def test_nothing_is_settled_otherwise_than_the_world_has_it(venue: PolymarketVenue) -> None:
    statuses = run(venue.statuses(TRUE))
    settled = {one: s.outcome for one, s in statuses.items() if s.outcome is not None}
    assert len(settled) > 50
    for one, outcome in settled.items():
        true = TRUE[one].outcome
        assert true is not None
        assert outcome == DIALECTS[POLYMARKET].truth(true)


def test_what_is_listed_and_open_is_so_in_the_world(venue: PolymarketVenue) -> None:
    listed = {market.id for market in run(venue.catalogue()).markets}
    states = {one: status.state for one, status in run(venue.statuses(TRUE)).items()}
    assert listed
    assert {TRUE[one].state for one in listed} == {State.OPEN}
    assert not {one for one, s in states.items() if s is State.OPEN} & not_open()


def not_open() -> set[MarketId]:
    return {one for one, true in TRUE.items() if true.state in NOT_OPEN}


def test_quotes_are_the_worlds_books(venue: PolymarketVenue) -> None:
    quotes = run(venue.quotes(TRUE))
    assert len(quotes) > 10
    for one, quote in quotes.items():
        true = TRUE[one]
        assert (quote.bid, quote.ask) == (true.bid, true.ask)
        assert quote.bids == true.bids[:20]


def test_no_ghost_of_a_book_comes_through(venue: PolymarketVenue, server: VenueServer) -> None:
    real = run(venue.quotes(TRUE))
    server.faults = Faults.only(Fault.GHOST_BOOK)
    shown = run(venue.quotes(TRUE))
    assert real
    assert not {one for one in shown if real[one].bid != shown[one].bid}


def test_history_is_the_worlds_own(venue: PolymarketVenue) -> None:
    one, true = next((o, t) for o, t in TRUE.items() if t.opens_at < NOW - 5 * DAY)
    found = run(venue.history(one, true.opens_at, true.opens_at + 2 * DAY))
    told = dict(WORLD.view(NOW).history(true.number, true.opens_at, true.opens_at + 2 * DAY))
    assert len(found) > 10
    assert {point.at: point.price for point in found}.items() <= told.items()
