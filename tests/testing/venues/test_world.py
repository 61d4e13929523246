from arena.records.market import State
from tests.present import some
from tests.standins.venues.world import StandInWorld
from tests.testing.venues.moments import (
    AT,
    RESOLVED,
    VIEW,
    WORLD,
)


def test_the_same_seed_gives_the_same_view() -> None:
    again = StandInWorld(seed=1, events_per_day=8).view(AT)
    assert again == VIEW
    assert StandInWorld(seed=2, events_per_day=8).view(AT) != VIEW


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
