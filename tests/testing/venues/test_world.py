from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.market import State
from tests.present import some
from tests.standins.venues.world import DAYS_SHOWN, StandInWorld
from tests.testing.venues.moments import (
    AT,
    HOUR,
    OPEN,
    RESOLVED,
    TWO_SIDED,
    VIEW,
    WORLD,
    found,
    moment_of,
)


def test_the_same_seed_gives_the_same_view() -> None:
    again = StandInWorld(seed=1, events_per_day=8).view(AT)
    assert again == VIEW
    assert StandInWorld(seed=2, events_per_day=8).view(AT) != VIEW


def test_what_was_looked_at_before_changes_nothing() -> None:
    world = StandInWorld(seed=1, events_per_day=8)
    for hours in (0, 400, 30, 60):
        world.view(AT + hours * HOUR)
    assert world.view(AT) == VIEW


def test_a_view_does_not_change_within_an_hour() -> None:
    assert WORLD.view(AT + timedelta(minutes=39)).markets == VIEW.markets
    assert WORLD.view(AT + HOUR).markets != VIEW.markets


def test_numbers_are_unique_and_above_zero() -> None:
    numbers = [m.number for m in VIEW.markets]
    assert len(set(numbers)) == len(numbers)
    assert min(numbers) > 0


def test_a_view_goes_back_sixty_days_and_not_ahead() -> None:
    opened = [m.opens_at for m in VIEW.markets]
    assert max(opened) <= AT
    assert AT - min(opened) > timedelta(days=DAYS_SHOWN - 1)


def test_what_is_older_than_a_view_is_still_found() -> None:
    much_later = WORLD.view(AT + timedelta(days=400))
    old = VIEW.markets[0].number
    assert old not in {m.number for m in much_later.markets}
    assert found(much_later, old).outcome == WORLD.truth(old)


def test_what_has_not_opened_is_not_found() -> None:
    assert VIEW.find(TWO_SIDED.number + 10**7) is None
    before = WORLD.view(TWO_SIDED.opens_at - HOUR)
    assert before.find(TWO_SIDED.number) is None


@given(st.integers(min_value=-(10**30), max_value=10**30))
def test_a_number_is_found_as_itself_or_not_at_all(number: int) -> None:
    market = VIEW.find(number)
    assert market is None or market.number == number


def test_the_markets_of_an_event_are_found_together() -> None:
    market = next(m for m in OPEN if m.siblings > 2)
    event = VIEW.event(market.event_number)
    assert market in event
    assert len(event) == market.siblings
    assert {m.event_title for m in event} == {market.event_title}
    assert len({m.label for m in event}) == len(event)


def test_a_market_that_stands_alone_has_no_label_and_its_question_as_title() -> None:
    assert (TWO_SIDED.label, TWO_SIDED.event_title) == ("", TWO_SIDED.question)


def test_at_most_one_of_exclusive_markets_is_yes() -> None:
    events = {m.event_number for m in RESOLVED if m.exclusive}
    for event in some(events):
        truths = [WORLD.truth(number).truth for number in WORLD.numbers(event)]
        assert truths.count(1) <= 1


def test_an_outcome_comes_with_resolved_and_only_with_it() -> None:
    for market in some(VIEW.markets):
        is_resolved = market.state is State.RESOLVED
        assert (market.outcome is not None) == is_resolved == (market.resolved_at is not None)


def test_every_state_and_ending_is_met_with() -> None:
    courses = [WORLD.course(m.number) for m in VIEW.markets]
    states = {stage.state for course in courses for stage in course}
    assert states == set(State) - {State.UNKNOWN}
    verdicts = {course[-1].outcome.verdict for course in courses if course[-1].outcome}
    assert len(verdicts) == 4
    assert any(sum(s.state is State.RESOLVED for s in course) > 1 for course in courses)


def test_a_view_shows_the_stage_that_its_course_tells() -> None:
    view, market = moment_of(State.DISPUTED)
    assert market.state is State.DISPUTED
    stage = next(s for s in view.course(market.number) if s.state is State.DISPUTED)
    before = found(WORLD.view(stage.at - HOUR), market.number)
    assert before.state is not State.DISPUTED


def test_prices_stand_still_after_the_close() -> None:
    market = next(m for m in RESOLVED if m.closed_at)
    assert market.closed_at is not None
    at_close = found(WORLD.view(market.closed_at), market.number)
    assert (at_close.bids, at_close.asks, at_close.last) == (
        market.bids,
        market.asks,
        market.last,
    )


def test_volume_grows_until_the_close_and_that_of_a_day_ends_with_it() -> None:
    later = found(WORLD.view(AT + HOUR), TWO_SIDED.number)
    assert later.volume >= TWO_SIDED.volume >= TWO_SIDED.volume_24h
    over = next(m for m in RESOLVED if m.closed_at and AT - m.closed_at > timedelta(days=2))
    assert over.volume_24h == 0 < over.volume


def test_history_is_hourly_and_ends_with_the_view() -> None:
    past = VIEW.history(TWO_SIDED.number, AT - 3 * HOUR, AT + 9 * HOUR)
    times = [at for at, _ in past]
    assert times == [datetime(2026, 11, 5, hour, tzinfo=UTC) for hour in (8, 9, 10)]


def test_a_market_that_is_none_has_no_truth_and_no_history() -> None:
    assert VIEW.history(5, AT - HOUR, AT) == ()
    with pytest.raises(KeyError):
        WORLD.truth(5)


def test_a_change_of_a_view_lasts_for_its_hour() -> None:
    bent = VIEW.changed([replace(TWO_SIDED, bids=())])
    assert found(bent, TWO_SIDED.number).bids == ()
    assert found(bent.earlier(timedelta(minutes=5)), TWO_SIDED.number).bids == ()
    assert found(bent.earlier(HOUR), TWO_SIDED.number).bids != ()
    assert VIEW.find(TWO_SIDED.number) == TWO_SIDED


def test_a_day_has_at_least_one_event() -> None:
    with pytest.raises(ValueError, match="1 to 9999 events"):
        StandInWorld(1, 0)
