import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.clock import HandClock
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
from arena.venues.recorded import Listing, RecordedVenue, Recording

T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
NAMES = tuple(MarketId(name) for name in ("rain", "snow", "hail"))
RAIN, SNOW, HAIL = NAMES


def at(hours: float) -> datetime:
    return T0 + timedelta(hours=hours)


def market(name: MarketId = RAIN, question: str = "?") -> Market:
    return Market(name, VenueId("v"), EventId(name), question)


def listing(first: float, last: float, name: MarketId = RAIN, question: str = "?") -> Listing:
    return Listing(market(name, question), at(first), at(last))


def quote(paid: str, hours: float, name: MarketId = RAIN) -> Quote:
    return Quote(name, price(paid), price(paid), at(hours))


def status(state: State, hours: float, name: MarketId = RAIN) -> Status:
    outcome = YES_WINS if state is State.RESOLVED else None
    return Status(name, state, at(hours), outcome)


def listed(recording: Recording, hours: float) -> Sequence[Market]:
    return asyncio.run(RecordedVenue(recording, HandClock(at(hours))).catalogue()).markets


def quoted(recording: Recording, hours: float) -> Mapping[MarketId, Quote]:
    return asyncio.run(RecordedVenue(recording, HandClock(at(hours))).quotes(NAMES))


def told(recording: Recording, hours: float) -> Mapping[MarketId, Status]:
    return asyncio.run(RecordedVenue(recording, HandClock(at(hours))).statuses(NAMES))


def test_a_market_is_listed_from_its_start_until_before_its_end() -> None:
    recording = Recording((listing(1, 3),))
    assert [len(listed(recording, h)) for h in (0.9, 1, 2.9, 3)] == [0, 1, 1, 0]


def test_the_newest_listing_says_what_a_market_is() -> None:
    recording = Recording((listing(2, 4, question="new"), listing(1, 4, question="old")))
    assert [m.question for m in listed(recording, 1)] == ["old"]
    assert [m.question for m in listed(recording, 2)] == ["new"]


def test_markets_come_in_the_order_in_which_they_were_first_listed() -> None:
    recording = Recording((listing(1, 9, SNOW), listing(1, 9), listing(0, 9, HAIL)))
    assert [m.id for m in listed(recording, 1)] == [HAIL, SNOW, RAIN]


def test_a_market_that_is_closed_or_resolved_is_not_listed() -> None:
    recording = Recording(
        (listing(0, 9), listing(0, 9, SNOW), listing(0, 9, HAIL)),
        statuses=(
            status(State.OPEN, 0),
            status(State.RESOLVED, 1, SNOW),
            status(State.HALTED, 1, HAIL),
        ),
    )
    assert [m.id for m in listed(recording, 0)] == [RAIN, SNOW, HAIL]
    assert [m.id for m in listed(recording, 1)] == [RAIN]


def test_the_newest_status_so_far_is_given() -> None:
    recording = Recording(statuses=(status(State.RESOLVED, 2), status(State.OPEN, 1)))
    assert told(recording, 0.5) == {}
    assert told(recording, 1)[RAIN].state is State.OPEN
    assert told(recording, 2)[RAIN].outcome == YES_WINS


def test_a_market_that_nobody_recorded_is_left_out() -> None:
    venue = RecordedVenue(Recording(), HandClock(T0))
    assert asyncio.run(venue.quotes([RAIN])) == {}
    assert asyncio.run(venue.statuses([RAIN])) == {}
    assert venue.moments() == ()


def test_one_venue_follows_its_clock() -> None:
    clock = HandClock(at(0))
    venue = RecordedVenue(Recording((listing(1, 2),)), clock)
    before = asyncio.run(venue.catalogue()).markets
    clock.at = at(1)
    assert (before, len(asyncio.run(venue.catalogue()).markets)) == ((), 1)


def test_every_moment_of_change_is_given_once_and_in_order() -> None:
    recording = Recording((listing(1, 4),), (quote("0.3", 3),), (status(State.OPEN, 1),))
    venue = RecordedVenue(recording, HandClock(T0))
    assert venue.moments() == (at(1), at(3), at(4))


def test_the_markets_of_a_recording_are_as_they_were_last_listed() -> None:
    recording = Recording(
        (listing(2, 3, question="new"), listing(1, 2, question="old"), listing(3, 4, SNOW))
    )
    assert [(m.id, m.question) for m in recording.markets] == [(RAIN, "new"), (SNOW, "?")]


hours = st.integers(0, 12)
names = st.sampled_from(NAMES)
listings = st.builds(lambda a, b, n: listing(min(a, b), max(a, b), n), hours, hours, names)
quotes = st.builds(lambda p, h, n: quote(f"0.{p}", h, n), st.integers(1, 9), hours, names)
statuses = st.builds(
    status, st.sampled_from([State.OPEN, State.CLOSED_PENDING, State.RESOLVED]), hours, names
)
recordings = st.builds(
    Recording,
    st.lists(listings, max_size=8).map(tuple),
    st.lists(quotes, max_size=8).map(tuple),
    st.lists(statuses, max_size=8).map(tuple),
)


def answers(recording: Recording, when: float) -> tuple[object, ...]:
    return listed(recording, when), quoted(recording, when), told(recording, when)


@settings(deadline=None)
@given(recordings, recordings, st.integers(0, 12))
def test_an_answer_does_not_depend_on_what_comes_later(
    recording: Recording, other: Recording, now: int
) -> None:
    mixed = Recording(
        recording.listings + tuple(x for x in other.listings if x.from_ > at(now)),
        recording.quotes + tuple(q for q in other.quotes if q.at > at(now)),
        recording.statuses + tuple(s for s in other.statuses if s.at > at(now)),
    )
    assert answers(mixed, now) == answers(recording, now)


@settings(deadline=None)
@given(recordings, st.integers(0, 12))
def test_the_newest_fact_is_the_one_that_a_plain_search_finds(
    recording: Recording, now: int
) -> None:
    newest = {}
    for fact in sorted(recording.quotes, key=lambda q: q.at):
        if fact.at <= at(now):
            newest[fact.market] = fact
    assert quoted(recording, now) == newest


@settings(deadline=None)
@given(recordings, st.integers(1, 24))
def test_between_two_moments_nothing_changes(recording: Recording, half_hours: int) -> None:
    now, before = half_hours / 2, half_hours / 2 - 0.5
    changes = RecordedVenue(recording, HandClock(T0)).moments()
    if not any(at(before) < moment <= at(now) for moment in changes):
        assert answers(recording, now) == answers(recording, before)
