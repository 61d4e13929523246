"""The simulated venue shows what is known at its clock's moment and nothing later.

Quotes of the simulated world stand around the fair price, on a grid, inside [0, 1].
The prices of the simulated world are fair: martingales that share a stick of length 1.
The simulated world: calibrated, exclusive where it says so, and full of incidents.
"""

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.records.market import VOIDED, Market, MarketId, Quote, State, Status, VenueId
from arena.records.settings import VenueSettings
from arena.venues.simulated import SimulatedVenue, from_settings, venue, world
from arena.venues.simulated.world import (
    CENT,
    HALF_CENT,
    LOOK_BACK,
    Ending,
    SimulatedBook,
    SimulatedEvent,
    SimulatedMarket,
    World,
    binary_paths,
    break_stick,
    event_paths,
    quote,
)
from tests.present import present, some
from tests.sizes import size

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


def test_every_listed_market_has_a_quote() -> None:
    markets, quotes, _ = look(build())
    assert list(quotes) == [market.id for market in markets]


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
    for offer in some(look(venue)[1].values()):
        value = present(venue.signal(offer.market, timedelta(0)))
        if offer.at == START:
            assert offer.bid is None or float(offer.bid) <= value
            assert offer.ask is None or value <= float(offer.ask)


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
        ("seed", True),
        ("events_per_day", 0),
        ("events_per_day", 1001),
    ],
)
def test_a_wrong_option_is_refused_with_the_known_ones(option: tuple[str, object]) -> None:
    with pytest.raises(ArenaError, match=option[0]) as caught:
        build(option)
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)
    assert "seed, events_per_day" in caught.value.hint


AT = datetime(2026, 1, 5, tzinfo=UTC)
BOOKS = st.builds(
    SimulatedBook,
    tick=st.sampled_from([CENT, HALF_CENT]),
    spread=st.integers(1, 40),
    bid_depth=st.just((500, 600, 700)),
    ask_depth=st.just((800, 900, 1000)),
    volume=st.integers(0, 10**6),
    hours=st.integers(1, 400),
)


@given(BOOKS, st.floats(0, 1))
def test_the_fair_price_lies_between_bid_and_ask(book: SimulatedBook, value: float) -> None:
    seen = quote(MarketId("m"), book, value, 0, AT)
    assert (seen.bid, seen.ask) != (None, None)
    assert seen.bid is None or 0 < float(seen.bid) <= value + 1e-12
    assert seen.ask is None or value - 1e-12 <= float(seen.ask) < 1


@given(BOOKS, st.floats(0, 1))
def test_every_price_is_on_the_grid(book: SimulatedBook, value: float) -> None:
    seen = quote(MarketId("m"), book, value, 0, AT)
    prices = [level.price for level in (*seen.bids, *seen.asks)]
    assert all(int(p.scaleb(6)) % book.tick == 0 for p in prices)


@given(BOOKS, st.floats(0, 1))
def test_depth_starts_at_the_best_price_and_gets_worse(
    book: SimulatedBook, value: float
) -> None:
    seen = quote(MarketId("m"), book, value, 0, AT)
    bids, asks = [level.price for level in seen.bids], [level.price for level in seen.asks]
    assert bids[:1] == ([] if seen.bid is None else [seen.bid])
    assert asks[:1] == ([] if seen.ask is None else [seen.ask])
    assert bids == sorted(set(bids), reverse=True)
    assert asks == sorted(set(asks))


def test_a_pause_holds_the_book_at_its_first_hour() -> None:
    book = SimulatedBook(CENT, 2, (1,), (1,), 0, 10, pause=(3, 6))
    assert [book.stopped(step) for step in (2, 3, 5, 6)] == [None, 3, 3, None]


ROWS = size(8_000, 20_000)


def test_the_expected_price_never_moves() -> None:
    starts = np.full(ROWS, 0.4)
    paths = binary_paths(starts, 48, 48, np.random.default_rng(2))
    moves = paths - paths[:, :1]
    errors = moves[:, 1:].std(axis=0) / np.sqrt(ROWS)
    assert (abs(moves[:, 1:].mean(axis=0)) < 4 * errors).all()


def test_a_price_does_not_move_on_average_wherever_it_has_got_to() -> None:
    paths = binary_paths(np.zeros(ROWS), 48, 48, np.random.default_rng(3))
    moves = paths[:, 47] - paths[:, 24]
    for low in some(np.arange(0, 1, 0.2)):
        here = moves[(paths[:, 24] >= low) & (paths[:, 24] < low + 0.2)]
        assert abs(here.mean()) < 4 * here.std() / np.sqrt(here.size)


def test_the_last_price_leaves_something_to_chance() -> None:
    last = binary_paths(np.zeros(ROWS), 48, 48, np.random.default_rng(4))[:, -1]
    assert ((last > 0.05) & (last < 0.95)).mean() > 0.5


@given(st.integers(1, 6), st.integers(1, 30), st.integers(0, 2**32))
def test_the_prices_of_one_event_add_up_to_one(outcomes: int, hours: int, seed: int) -> None:
    paths = event_paths(outcomes, hours, hours + 5, np.random.default_rng(seed))
    assert paths.shape == (max(outcomes, 2), hours + 1)
    assert paths.sum(axis=0) == pytest.approx(np.ones(hours + 1))
    assert (paths >= 0).all()


def test_a_stick_is_broken_from_what_is_left() -> None:
    shares = break_stick(np.array([[0.5], [0.5]]))
    assert shares[:, 0] == pytest.approx([0.5, 0.25, 0.25])


def test_every_outcome_of_a_stick_is_a_martingale() -> None:
    rng = np.random.default_rng(5)
    moves = np.array(
        [
            (paths := event_paths(4, 20, 24, rng))[:, -1] - paths[:, 0]
            for _ in range(size(1000, 4000))
        ]
    )
    errors = moves.std(axis=0) / np.sqrt(len(moves))
    assert (abs(moves.mean(axis=0)) < 4 * errors).all()


FIRST = datetime(2026, 1, 5, tzinfo=UTC)
BEGIN = FIRST.toordinal()
SIM = VenueId("sim")


@cache
def many() -> tuple[SimulatedEvent, ...]:
    """Thousands of events, for what is true on average."""
    world = World(SIM, seed=11, events_per_day=100)
    return tuple(
        event for day in range(BEGIN, BEGIN + size(16, 30)) for event in world.day(day)
    )


@cache
def sixty_days() -> tuple[SimulatedEvent, ...]:
    """What a demonstration of sixty days meets with the default options."""
    world = World(SIM, **venue.DEFAULTS)
    return tuple(event for day in range(BEGIN, BEGIN + 60) for event in world.day(day))


def one_each() -> Iterator[tuple[SimulatedEvent, SimulatedMarket]]:
    """One market of each event, so that they are independent of one another."""
    for n, event in enumerate(many()):
        yield event, event.markets[n % len(event.markets)]


def decided() -> Iterator[SimulatedMarket]:
    for event, market in one_each():
        if event.life.ending not in {Ending.VOID, Ending.FRACTION}:
            yield market


def truth(market: SimulatedMarket) -> int:
    outcome = present(market.turns[-1].outcome)
    assert outcome.truth is not None
    return outcome.truth


def off_by(moves: npt.NDArray[np.float64]) -> float:
    """How many standard errors the mean is away from 0."""
    return float(abs(moves.mean()) / (moves.std() / np.sqrt(moves.size)))


def bins(at: float) -> Iterator[tuple[float, float, float]]:
    """Mean price, mean outcome and its standard error, by price at this part of a life."""
    markets = list(decided())
    prices = np.array([m.value(int(at * (len(m.values) - 1))) for m in markets])
    truths = np.array([truth(m) for m in markets])
    for low in np.arange(0, 1, 0.1):
        here = (prices >= low) & (prices < low + 0.1)
        p = prices[here]
        yield p.mean(), truths[here].mean(), np.sqrt((p * (1 - p)).sum()) / p.size


@pytest.mark.parametrize("hours", [1, 6, 24])
def test_a_price_does_not_move_on_average(hours: int) -> None:
    moves = [m.value(12 + hours) - m.value(12) for _, m in one_each()]
    assert off_by(np.array(moves)) < 4


def test_a_price_does_not_move_on_average_up_to_an_early_close() -> None:
    early = [m for event, m in one_each() if event.life.close < event.life.hint]
    assert len(early) > size(100, 200)
    assert off_by(np.array([m.values[-1] - m.values[0] for m in early])) < 4


@pytest.mark.parametrize("at", [0.0, 0.5, 1.0])
def test_outcomes_come_true_as_often_as_the_price_said(at: float) -> None:
    for price, share, error in some(bins(at)):
        assert abs(share - price) < 4 * error


def test_exactly_one_of_several_outcomes_comes_true() -> None:
    for event in some(many()):
        if len(event.markets) > 1 and event.life.ending in {Ending.PLAIN, Ending.CHANGED}:
            assert sum(truth(market) for market in event.markets) == 1


def test_a_tie_pays_two_outcomes_half() -> None:
    tied = [e for e in many() if len(e.markets) > 1 and e.life.ending is Ending.FRACTION]
    assert tied
    for event in tied:
        paid = [m.turns[-1].outcome for m in event.markets]
        assert sorted(str(o.verdict) for o in paid if o is not None)[:2] == ["FRACTION"] * 2
        assert sum(present(o.yes_pays) for o in paid if o is not None) == 1


def test_only_several_outcomes_exclude_each_other() -> None:
    for event in some(many()[:300]):
        assert len(event.markets) in {1, 3, 4, 5}
        for market in event.markets:
            assert market.market.exclusive is (len(event.markets) > 1)
            assert market.market.event == event.id


def test_a_change_of_mind_ends_with_another_outcome() -> None:
    changed = [e for e in many() if e.life.ending is Ending.CHANGED and len(e.markets) == 1]
    assert changed
    for event in changed:
        first, last = event.markets[0].turns[-2:]
        assert (first.state, last.state) == (State.RESOLVED, State.RESOLVED)
        assert first.outcome != last.outcome
        assert 24 <= last.step - first.step <= 72


def test_a_void_event_is_void_in_all_its_markets() -> None:
    void = [e for e in many() if e.life.ending is Ending.VOID]
    assert void
    assert all(m.turns[-1].outcome == VOIDED for e in void for m in e.markets)


def test_no_event_outlives_its_bounds() -> None:
    for event in some(many()):
        assert event.life.close <= event.life.hint <= world.LONGEST < 24 * LOOK_BACK
        assert all(m.turns[-1].step - event.life.close <= 4 * 24 for m in event.markets)


@pytest.mark.parametrize("ending", list(Ending))
def test_sixty_days_bring_every_ending(ending: Ending) -> None:
    assert any(event.life.ending is ending for event in sixty_days())


def test_sixty_days_bring_every_state_but_the_unknown() -> None:
    states = {t.state for e in sixty_days() for m in e.markets for t in m.turns}
    assert states == set(State) - {State.UNKNOWN}


def test_markets_of_one_event_ask_different_questions() -> None:
    for event in some(many()):
        assert len({m.market.question for m in event.markets}) == len(event.markets)


def test_a_world_with_more_events_holds_those_of_one_with_fewer() -> None:
    assert World(SIM, 1, 6).day(BEGIN)[:4] == World(SIM, 1, 4).day(BEGIN)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "sim",
        "sim-",
        "sim-1-1",
        "sim-739256-1-9",
        "sim-739256-5-1",
        "sim-0739256-1-1",
        "sim-739256-1-1 ",
        "sim-739256-1-1\n",
        "sim-\N{ARABIC-INDIC DIGIT SEVEN}39256-1-1",
        "other-739256-1-1",
        "sim-9999999-1-1",
    ],
)
def test_a_name_that_no_market_has_finds_none(name: str) -> None:
    later = FIRST + timedelta(days=30)
    assert World(SIM, 1, 4).find(MarketId(name), later) is None


def test_a_market_is_found_by_its_id() -> None:
    market = World(SIM, 1, 4).day(BEGIN)[1].markets[0]
    found = World(SIM, 1, 4).find(market.market.id, FIRST + timedelta(days=900))
    assert found == market


def test_a_market_is_found_by_its_words_while_it_may_be_open() -> None:
    world = World(SIM, 1, 4)
    for event in some(world.day(BEGIN)):
        for one in event.markets:
            words, closes_at = one.market.question, one.market.closes_at
            assert closes_at is not None
            assert world.worded(words, closes_at, one.opens_at) == one
            assert world.worded(words, closes_at, one.opens_at - timedelta(hours=1)) is None
            assert world.worded(words, closes_at + timedelta(hours=1), one.opens_at) is None
            assert world.worded(f"{words}?", closes_at, one.opens_at) is None
            assert world.worded(words, closes_at, FIRST + timedelta(days=900)) is None
