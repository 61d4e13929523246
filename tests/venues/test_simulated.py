"""The simulated venue shows what is known at its clock's moment and nothing later."""

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.records.market import Market, MarketId, Quote, State, Status, VenueId
from arena.records.settings import VenueSettings
from arena.venues.simulated import SimulatedVenue, from_settings
from tests.present import some

START = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DIGEST = "from tests.venues.test_simulated import digest; print(digest())"

Seen = tuple[Sequence[Market], Mapping[MarketId, Quote], Mapping[MarketId, Status]]


def build(*options: tuple[str, object], at: datetime = START) -> SimulatedVenue:
    return from_settings(VenueSettings(VenueId("sim"), "simulated", options), HandClock(at))


def look(venue: SimulatedVenue, ids: Sequence[MarketId] = ()) -> Seen:
    """Ask the venue for all it shows, about its open markets or about these."""

    async def ask() -> Seen:
        markets = (await venue.catalogue()).markets
        wanted = ids or [market.id for market in markets]
        return markets, await venue.quotes(wanted), await venue.statuses(wanted)

    return asyncio.run(ask())


def walk(times: int, every: timedelta, ids: Sequence[MarketId] = ()) -> Iterator[Seen]:
    """Look again and again at one venue while its clock moves on."""
    clock = HandClock(START)
    venue = from_settings(VenueSettings(VenueId("sim"), "simulated"), clock)
    for _ in range(times):
        yield look(venue, ids)
        clock.at += every


def ids_of_the_first_days(days: int = 3) -> list[MarketId]:
    return sorted({market.id for markets, _, _ in walk(days, DAY) for market in markets})


def digest() -> str:
    """Say in one word everything that is shown at some moments."""
    ids = ids_of_the_first_days()
    shown = list(walk(3, timedelta(hours=97), ids))
    return hashlib.sha256(repr(shown).encode()).hexdigest()


def test_markets_come_in_the_order_of_their_ids() -> None:
    ids = [market.id for market in look(build())[0]]
    assert ids == sorted(set(ids))
    assert 30 <= len(ids) <= 60


def test_listed_markets_are_open() -> None:
    markets, _, statuses = look(build())
    assert {statuses[market.id].state for market in markets} == {State.OPEN}


def test_every_listed_market_has_a_quote() -> None:
    markets, quotes, _ = look(build())
    assert list(quotes) == [market.id for market in markets]


def test_ids_begin_with_the_venue_and_name_day_event_and_outcome() -> None:
    market = look(build())[0][0]
    assert market.id.startswith(f"{market.event}-")
    assert market.event.startswith("sim-739")


def test_two_simulated_venues_share_no_market() -> None:
    clock = HandClock(START)
    other = from_settings(VenueSettings(VenueId("more"), "simulated"), clock)
    ids = {market.id for market in look(build())[0]}
    assert not ids & {market.id for market in look(other)[0]}


def test_a_market_closes_no_later_than_its_hint() -> None:
    markets, _, _ = look(build())
    hints = [market.closes_at for market in markets if market.closes_at is not None]
    assert len(hints) == len(markets)
    assert all(START < hint <= START + 14 * DAY for hint in hints)


def test_a_quote_is_of_this_moment_or_of_the_books_last() -> None:
    ages = [
        states[quote.market].at - quote.at
        for _, quotes, states in walk(60, timedelta(hours=23))
        for quote in quotes.values()
    ]
    stale = [age for age in ages if age]
    assert timedelta(0) < min(stale) <= max(stale) <= DAY
    assert len(stale) < len(ages) / 20


def test_a_stale_quote_keeps_its_time_and_prices() -> None:
    kept = 0
    for one, other in pairwise(walk(24 * 6, HOUR)):
        for market, before in one[1].items():
            after = other[1].get(market)
            if after is not None and after.at < other[2][market].at - HOUR:
                assert after == before
                kept += 1
    assert kept


def test_some_quotes_are_one_sided() -> None:
    quotes = [quote for _, quotes, _ in walk(20, DAY) for quote in quotes.values()]
    one_sided = [quote for quote in quotes if quote.mid is None]
    assert 0 < len(one_sided) < len(quotes) / 5


def test_a_halted_market_is_not_listed_and_keeps_its_last_quote() -> None:
    halts = 0
    for markets, quotes, statuses in walk(24 * 3, HOUR * 6, ids_of_the_first_days(15)):
        listed = {market.id for market in markets}
        for i in (i for i, status in statuses.items() if status.state is State.HALTED):
            assert i not in listed
            assert quotes[i].at < statuses[i].at
            halts += 1
    assert halts


def test_a_closed_market_has_no_quote_but_a_status_for_ever() -> None:
    ids = [market.id for market in look(build())[0]]
    _, quotes, statuses = look(build(at=START + 1000 * DAY), ids)
    assert not quotes
    assert {statuses[i].state for i in ids} == {State.RESOLVED}


def test_a_market_that_has_not_opened_is_unknown() -> None:
    later = look(build(at=START + 3 * DAY))[0]
    unborn = [m.id for m in later if m.opens_at is not None and m.opens_at > START]
    assert unborn
    _, quotes, statuses = look(build(), unborn)
    assert not quotes
    assert not statuses
    assert {build().signal(market, 9 * DAY) for market in unborn} == {None}


def test_what_is_shown_does_not_depend_on_what_was_asked_before() -> None:
    ids, clock = ids_of_the_first_days(), HandClock(START)
    venue = from_settings(VenueSettings(VenueId("sim"), "simulated"), clock)
    fresh = look(venue, ids)
    clock.at = START + 200 * DAY
    look(venue, ids)
    clock.at = START
    assert look(venue, ids) == fresh


def test_what_was_said_of_the_past_stays_true() -> None:
    """Only the state of a market and its book change: it is never described anew."""
    first = {market.id: market for market in look(build())[0]}
    later = {m.id: m for m in look(build(at=START + DAY))[0]}
    assert all(first[i] == later[i] for i in some(first) if i in later)


def test_some_markets_close_before_their_hint() -> None:
    last: dict[MarketId, tuple[datetime, datetime]] = {}
    for markets, _, statuses in walk(40, HOUR * 12):
        for market in markets:
            if market.closes_at is not None:
                last[market.id] = (statuses[market.id].at, market.closes_at)
    assert any(hint - seen > DAY for seen, hint in last.values() if seen < START + 10 * DAY)


def test_a_signal_is_the_fair_price_to_come() -> None:
    venue, later = build(), build(at=START + timedelta(hours=5))
    for market in some(look(venue)[0]):
        assert venue.signal(market.id, timedelta(hours=5)) == later.signal(
            market.id, timedelta(0)
        )


def test_a_signal_never_tells_the_outcome() -> None:
    venue = build()
    for market in some(look(venue)[0]):
        far, further = (venue.signal(market.id, d * DAY) for d in (30, 300))
        assert far is not None
        assert far == further
        assert 0 < far < 1


def test_a_signal_of_this_moment_lies_inside_a_fresh_quote() -> None:
    venue = build()
    for quote in some(look(venue)[1].values()):
        value = venue.signal(quote.market, timedelta(0))
        assert value is not None
        if quote.at == START:
            assert quote.bid is None or float(quote.bid) <= value
            assert quote.ask is None or value <= float(quote.ask)


def test_a_signal_does_not_look_back() -> None:
    with pytest.raises(ValueError, match="ahead"):
        build().signal(MarketId("sim-739256-1-1"), timedelta(hours=-1))


def test_the_clock_may_be_in_any_time_zone() -> None:
    there = START.astimezone(timezone(timedelta(hours=-11)))
    assert look(build(at=there)) == look(build())


def test_another_process_in_another_place_sees_the_same_world() -> None:
    env = {**os.environ, "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "4711"}
    there = subprocess.run(  # noqa: S603 (our own interpreter and our own words)
        [sys.executable, "-c", DIGEST],
        env=env,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == digest()


def test_the_seed_names_the_world() -> None:
    one, other = (look(build(("seed", seed)))[0] for seed in (1, 2))
    assert one == look(build())[0]
    assert one != other


def test_more_events_a_day_are_more_markets() -> None:
    assert len(look(build(("events_per_day", 12)))[0]) > 2 * len(look(build())[0])


@pytest.mark.parametrize(
    "option",
    [
        ("sede", 1),
        ("seed", "1"),
        ("seed", True),
        ("events_per_day", 0),
        ("events_per_day", 1001),
        ("events_per_day", 2.5),
    ],
)
def test_a_wrong_option_is_refused_with_the_known_ones(option: tuple[str, object]) -> None:
    with pytest.raises(ArenaError, match=option[0]) as caught:
        build(option)
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)
    assert "seed, events_per_day" in caught.value.hint
