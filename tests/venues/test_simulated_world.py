"""The simulated world: calibrated, exclusive where it says so, and full of incidents."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from arena.records.market import VOIDED, MarketId, State, VenueId
from arena.venues.simulated import venue, world
from arena.venues.simulated.world import (
    LOOK_BACK,
    Ending,
    SimulatedEvent,
    SimulatedMarket,
    World,
)
from tests.present import present, some
from tests.sizes import size

FIRST = datetime(2026, 1, 5, tzinfo=UTC)
DAY = FIRST.toordinal()
SIM = VenueId("sim")


@cache
def many() -> tuple[SimulatedEvent, ...]:
    """Thousands of events, for what is true on average."""
    world = World(SIM, seed=11, events_per_day=100)
    return tuple(event for day in range(DAY, DAY + size(16, 30)) for event in world.day(day))


@cache
def sixty_days() -> tuple[SimulatedEvent, ...]:
    """What a demonstration of sixty days meets with the default options."""
    world = World(SIM, **venue.DEFAULTS)
    return tuple(event for day in range(DAY, DAY + 60) for event in world.day(day))


def one_each() -> Iterator[tuple[SimulatedEvent, SimulatedMarket]]:
    """One market of each event, so that they are independent of one another."""
    for n, event in enumerate(many()):
        yield event, event.markets[n % len(event.markets)]


def decided() -> Iterator[SimulatedMarket]:
    for event, market in one_each():
        if event.life.ending not in {Ending.VOID, Ending.FRACTION}:
            yield market


def truth(market: SimulatedMarket) -> int:
    outcome = market.turns[-1].outcome
    assert outcome is not None
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


def test_prices_of_an_event_with_several_outcomes_add_up_to_one() -> None:
    for event in some(many()[:300]):
        if len(event.markets) > 1:
            sums = np.sum([m.values for m in event.markets], axis=0)
            assert sums == pytest.approx(np.ones(event.life.close + 1))


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
    assert World(SIM, 1, 6).day(DAY)[:4] == World(SIM, 1, 4).day(DAY)


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
    market = World(SIM, 1, 4).day(DAY)[1].markets[0]
    found = World(SIM, 1, 4).find(market.market.id, FIRST + timedelta(days=900))
    assert found == market


def test_a_market_is_found_by_its_words_while_it_may_be_open() -> None:
    world = World(SIM, 1, 4)
    for event in some(world.day(DAY)):
        for one in event.markets:
            words, closes_at = one.market.question, one.market.closes_at
            assert closes_at is not None
            assert world.worded(words, closes_at, one.opens_at) == one
            assert world.worded(words, closes_at, one.opens_at - timedelta(hours=1)) is None
            assert world.worded(words, closes_at + timedelta(hours=1), one.opens_at) is None
            assert world.worded(f"{words}?", closes_at, one.opens_at) is None
            assert world.worded(words, closes_at, FIRST + timedelta(days=900)) is None
