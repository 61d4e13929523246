"""A drift of half a logit is found within three weeks, and false alarms are rare."""

import numpy as np
import pytest

from arena.metrics.insights.drift import ALARM, YEAR, DriftSeries, drift
from tests.present import present
from tests.sizes import size

QUESTIONS, FIRST, WEEKLY, NOISE = 20, 10, 2, 0.3


def weeks(seed: int, many: int, moved: float = 0.0, since: int = 1) -> DriftSeries:
    """Weekly answers, which from one week on lie to one side or the other of the first ones."""
    rng = np.random.default_rng(seed)
    middle, side = rng.normal(0, 1, QUESTIONS), rng.choice([-1, 1], QUESTIONS)
    counts = [FIRST, *[WEEKLY] * many]
    week = np.repeat(np.arange(many + 1), counts)
    shift = moved * side * (week >= since)[:, None]
    odds = middle + shift + rng.normal(0, NOISE, (len(week), QUESTIONS))
    return drift(
        odds.ravel(),
        np.tile(np.arange(QUESTIONS), len(week)),
        np.repeat(week, QUESTIONS),
        rng.uniform(size=odds.size),
    )


@pytest.mark.parametrize("since", [1, 10, 30])
def test_half_a_logit_is_found_within_three_weeks(since: int) -> None:
    trials = size(40, 200)
    series = [weeks(seed, since + 2, 0.5, since) for seed in range(trials)]
    found = sum(one.wealth.e[since - 1 :].max() >= ALARM for one in series)
    assert found >= 0.9 * trials


def test_a_year_without_a_change_raises_an_alarm_at_most_once_in_twenty() -> None:
    trials = size(60, 400)
    alarms = sum(weeks(seed, YEAR).wealth.e.max() >= ALARM for seed in range(trials))
    assert alarms <= 0.05 * trials + 2 * np.sqrt(0.05 * 0.95 * trials)


def test_the_bets_win_nothing_on_average_without_a_change() -> None:
    ends = [weeks(seed, 2).wealth.e[-1] for seed in range(300)]
    assert np.mean(ends) == pytest.approx(1.0, abs=4 * np.std(ends) / np.sqrt(300))


def test_the_distance_is_that_from_the_mean_of_the_first_answers() -> None:
    odds = np.array([0.0, 0.4, 1.2, 0.2])
    series = drift(odds, np.zeros(4, np.intp), np.array([0, 0, 7, 9]), np.full(4, 0.5))
    assert series.distance.tolist() == pytest.approx([1.0, 0.0])
    assert series.moment.tolist() == [7, 9]
    assert present(series.replicates) == pytest.approx(0.4)


def test_answers_that_never_change_are_no_evidence() -> None:
    odds, chance = np.zeros(400), np.random.default_rng(1).uniform(size=400)
    week = np.arange(400) // 40
    series = drift(odds, np.tile(np.arange(10), 40), week, chance)
    assert series.wealth.e.max() < ALARM
    assert series.distance.tolist() == [0.0] * 9


def test_every_year_starts_anew() -> None:
    series = weeks(1, YEAR + 1, 0.5, since=YEAR - 5)
    assert series.wealth.e[YEAR - 1] > ALARM
    assert series.wealth.e[YEAR] < series.wealth.e[YEAR - 1]


def test_one_first_answer_a_question_is_no_null() -> None:
    series = drift(np.arange(6.0), np.tile([0, 1, 2], 2), np.repeat([0, 1], 3), np.zeros(6))
    assert (series.questions, series.replicates, len(series.moment)) == (0, None, 0)


def test_no_answer_is_no_series() -> None:
    nothing = np.zeros(0, np.intp)
    series = drift(np.zeros(0), nothing, nothing, np.zeros(0))
    assert (series.questions, len(series.distance)) == (0, 0)
