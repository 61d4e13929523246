import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from arena.records.estimate import Sided
from arena.stats.comparisons.power import (
    Guess,
    PowerPlan,
    calibrated_sigma,
    design_effect,
    detectable,
    detectable_calibrated,
    events_for_t,
    events_needed,
    from_effect,
    information,
    power_at,
    power_of_t,
    study,
    z_sum,
)
from tests.vectors import near, source

ONE, TWO = PowerPlan(sided=Sided.GREATER), PowerPlan()

plans = st.builds(
    PowerPlan,
    alpha=st.floats(0.001, 0.2),
    power=st.floats(0.3, 0.99),
    sided=st.sampled_from(Sided),
    comparisons=st.integers(1, 20),
    deff=st.floats(0.5, 5),
)
guesses = st.builds(Guess, effect=st.floats(0.005, 0.5), sigma=st.floats(0.05, 0.6))


def test_ten_comparisons_need_nearly_twice_as_many() -> None:
    ten = PowerPlan(sided=Sided.GREATER, comparisons=10)
    assert (z_sum(ten) / z_sum(ONE)) ** 2 == pytest.approx(1.89, abs=0.005)


def test_a_hundred_events_show_a_correct_deviation_of_28_points_or_of_14() -> None:
    assert detectable_calibrated(100, TWO) ** 0.5 == pytest.approx(0.28, abs=0.001)
    assert events_needed(information(0.14), TWO) == pytest.approx(100, abs=1)


def test_the_sample_size_of_ten_forecasts_that_hardly_differ() -> None:
    assert events_needed(Guess(0.00085, 0.03091), TWO) == pytest.approx(10_379, abs=1)


@given(guess=guesses, plan=plans)
def test_as_many_events_as_are_needed_have_the_power(guess: Guess, plan: PowerPlan) -> None:
    n = events_needed(guess, plan)
    cut = norm.isf(plan.alpha / plan.comparisons / 2)
    wrong = norm.sf(2 * cut + norm.ppf(plan.power)) if plan.sided is Sided.TWO else 0.0
    assert plan.power - 1e-9 <= power_at(guess, n, plan) <= plan.power + wrong + 1e-9


@given(guess=guesses, plan=plans)
def test_what_is_detectable_needs_as_many_events(guess: Guess, plan: PowerPlan) -> None:
    n = events_needed(guess, plan)
    assert detectable(guess.sigma, n, plan) == pytest.approx(guess.effect)


@pytest.mark.parametrize("sided", Sided)
def test_students_test_needs_the_least_whole_number_that_suffices(sided: Sided) -> None:
    plan, guess = PowerPlan(sided=sided), Guess(0.5, 1.0)
    n = events_for_t(guess, plan)
    assert power_of_t(guess, n, plan) >= 0.8 > power_of_t(guess, n - 1, plan)
    assert n > events_needed(guess, plan)


def test_the_textbooks_t_test_of_half_a_standard_deviation_needs_34() -> None:
    assert events_for_t(Guess(0.5, 1.0), TWO) == 34


def test_students_test_never_needs_fewer_than_a_known_spread() -> None:
    for effect in (0.3, 0.02, 0.0009, 1e-6):
        guess = from_effect(effect)
        assert events_for_t(guess, TWO) >= events_needed(guess, TWO)


def test_a_large_effect_needs_at_least_two_events_for_a_spread() -> None:
    assert events_for_t(Guess(1.0, 0.01), TWO) == 2


def test_markets_of_one_event_count_for_less() -> None:
    assert design_effect(4, 0) == 1
    assert design_effect(4, 1) == 4


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        (PowerPlan, (0.0,)),
        (PowerPlan, (0.05, 1.0)),
        (PowerPlan, (0.5, 0.4)),
        (PowerPlan, (0.05, 0.8, Sided.TWO, 0)),
        (PowerPlan, (0.05, 0.8, Sided.TWO, 1, 0.0)),
        (Guess, (0.0, 1.0)),
        (Guess, (0.1, np.nan)),
        (from_effect, (2.0,)),
        (calibrated_sigma, (0.0,)),
        (design_effect, (0.5, 0.1)),
        (design_effect, (2, 1.5)),
        (design_effect, (1e13, 0.1)),
        (events_needed, (Guess(1e-9, 1.0), PowerPlan())),
        (power_at, (Guess(0.1, 0.1), 0, PowerPlan())),
        (detectable, (0.1, 0, PowerPlan())),
        (detectable_calibrated, (0, PowerPlan())),
    ],
)
def test_what_cannot_be_planned_is_refused(kind: type, args: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        kind(*args)


def test_the_published_numbers_of_events() -> None:
    known = source("ext.power")
    effects = (0.02, 0.01)

    def model(effect: float) -> dict[str, float]:
        guess = from_effect(effect)
        return {
            "delta": effect**0.5,
            "sigma_at_p_half": guess.sigma,
            "n_one_sided": events_needed(guess, ONE),
            "n_two_sided": events_needed(guess, TWO),
        }

    found = {
        "one_sided_sigma0_15": [events_needed(Guess(e, 0.15), ONE) for e in effects],
        "two_sided_sigma0_15": [events_needed(Guess(e, 0.15), TWO) for e in effects],
        "calibrated_agent_model": {
            key: model(float(key)) for key in known["expected"]["calibrated_agent_model"]
        },
    }
    assert near(found, {key: known["expected"][key] for key in found}, known["tol"])


@pytest.mark.parametrize(
    ("delta", "brier", "slope"),
    [
        (0.03, (6870, 8721), (1717, 2180)),
        (0.05, (2473, 3140), (618, 785)),
        (0.1, (618, 785), (155, 196)),
    ],
)
def test_following_the_deviation_takes_a_quarter_of_the_events(
    delta: float, brier: tuple[int, int], slope: tuple[int, int]
) -> None:
    guesses = from_effect(delta**2), information(delta)
    for guess, expected in zip(guesses, (brier, slope), strict=True):
        found = tuple(round(events_needed(guess, plan)) for plan in (ONE, TWO))
        assert found == expected


def test_a_long_shot_needs_fewer() -> None:
    ratio = events_needed(from_effect(0.0025, 0.1), TWO) / events_needed(
        from_effect(0.0025), TWO
    )
    assert ratio == pytest.approx(0.36)


GUESS, PLAN = Guess(0.02, 0.15), PowerPlan(sided=Sided.GREATER)


def test_a_study_of_single_markets_is_the_plan_rounded_up() -> None:
    found = study(GUESS, PLAN)
    assert (found.events, found.markets, found.student) == (348, 348, 350)
    assert found.exact == pytest.approx(347.7688, abs=1e-4)
    assert found.anytime == (522, 870)
    assert (found.at_n, found.least_at_n) == (None, None)


def test_a_study_has_an_event_and_a_market_at_least() -> None:
    found = study(Guess(0.5, 1e-9), PLAN)
    assert (found.events, found.markets, found.anytime) == (1, 1, (1, 1))


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
