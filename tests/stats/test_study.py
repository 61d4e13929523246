import pytest

from arena.records.estimate import Sided
from arena.stats.comparisons.power import Guess, PowerPlan, from_effect, study

GUESS, PLAN = Guess(0.02, 0.15), PowerPlan(sided=Sided.GREATER)


def test_a_study_of_single_markets_is_the_plan_rounded_up() -> None:
    found = study(GUESS, PLAN)
    assert (found.events, found.markets, found.student) == (348, 348, 350)
    assert found.exact == pytest.approx(347.7688, abs=1e-4)
    assert found.anytime == (522, 870)
    assert (found.at_n, found.least_at_n) == (None, None)


def test_markets_that_always_move_together_save_no_event() -> None:
    found = study(GUESS, PLAN, size=5, icc=1)
    assert (found.events, found.markets) == (348, 1739)


def test_independent_markets_are_worth_an_event_each() -> None:
    found = study(GUESS, PLAN, size=5, icc=0)
    assert (found.events, found.markets) == (70, 348)
    assert found.student > found.events


def test_the_power_of_as_many_as_are_needed_is_the_plans() -> None:
    found = study(GUESS, PLAN, size=5, icc=0.3, n=study(GUESS, PLAN, size=5, icc=0.3).events)
    assert found.at_n == pytest.approx(0.8, abs=0.01)
    assert found.least_at_n == pytest.approx(0.02, rel=0.01)


def test_the_least_effect_of_an_agent_who_is_right_has_its_own_sigma() -> None:
    n = study(from_effect(0.02), PowerPlan()).events
    small = study(from_effect(0.02), PowerPlan(), n=n, chance=0.5)
    fewer = study(from_effect(0.02), PowerPlan(), n=n // 4, chance=0.5)
    assert small.least_at_n == pytest.approx(0.02, rel=0.01)
    assert fewer.least_at_n == pytest.approx(0.08, rel=0.01)


def test_no_effect_is_named_that_no_price_is_far_enough_away_for() -> None:
    assert study(from_effect(0.02), PowerPlan(), n=10, chance=0.5).least_at_n is None
    assert study(from_effect(0.02), PowerPlan(), n=10).least_at_n == pytest.approx(
        0.1253, abs=1e-4
    )
