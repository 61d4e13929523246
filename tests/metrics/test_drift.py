"""Answers to probes, from a file to each contestant's drift.

A drift of half a logit is found within three weeks, and false alarms are rare.
"""

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from arena.errors import ArenaError
from arena.metrics.insights.drift import (
    ALARM,
    YEAR,
    DriftSeries,
    ProbeAnswers,
    ProbeDrift,
    drift,
    drifts,
)
from arena.scoring.table import Factor
from arena.sheets.reading import read_probes
from tests.metrics.rounds import numbered
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
    trials = size(20, 200)
    series = [weeks(seed, since + 2, 0.5, since) for seed in range(trials)]
    found = sum(one.wealth.e[since - 1 :].max() >= ALARM for one in series)
    assert found >= 0.9 * trials


def test_a_year_without_a_change_raises_an_alarm_at_most_once_in_twenty() -> None:
    trials = size(25, 400)
    alarms = sum(weeks(seed, YEAR).wealth.e.max() >= ALARM for seed in range(trials))
    assert alarms <= 0.05 * trials + 2 * np.sqrt(0.05 * 0.95 * trials)


def test_the_bets_win_nothing_on_average_without_a_change() -> None:
    trials = size(100, 300)
    ends = [weeks(seed, 2).wealth.e[-1] for seed in range(trials)]
    assert np.mean(ends) == pytest.approx(1.0, abs=4 * np.std(ends) / np.sqrt(trials))


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


def answers(seed: int, moved: float) -> ProbeAnswers:
    """Twenty questions, ten first answers, and two a week; from week 2 on they lie off."""
    rng = np.random.default_rng(seed)
    week = np.repeat(np.arange(6), [200, 40, 40, 40, 40, 40])
    question = np.tile(np.arange(20), len(week) // 20)
    odds = rng.normal(0, 1, 20)[question] + rng.normal(0, 0.3, len(week))
    return ProbeAnswers(
        Factor(("ada",), np.zeros(len(week), np.intp)),
        Factor(numbered("q", 20), question),
        np.datetime64("2026-01-05T12:00", "us") + week * np.timedelta64(7, "D"),
        expit(odds + moved * (week >= 2)),
    )


def only(drifted: tuple[ProbeDrift, ...]) -> ProbeDrift:
    (own,) = drifted
    return own


def test_a_drift_is_dated_by_the_first_day_of_its_alarm() -> None:
    own = only(drifts(answers(1, 0.5)))
    assert date(2026, 1, 19) <= present(own.alarm) <= date(2026, 2, 2)
    assert (own.questions, len(own.looks)) == (20, 5)
    assert own.looks[0].distance < own.looks[-1].distance


def test_without_a_drift_there_is_no_alarm() -> None:
    assert [only(drifts(answers(seed, 0.0))).alarm for seed in range(20)].count(None) >= 19


def test_a_new_day_changes_no_earlier_one() -> None:
    every = answers(1, 0.5)
    early = every.at < every.at.max()
    before = ProbeAnswers(
        every.contestant.take(early),
        every.question.take(early),
        every.at[early],
        every.p[early],
    )
    assert only(drifts(before)).looks == only(drifts(every)).looks[:-1]


def test_no_answers_are_of_nobody() -> None:
    nothing = np.zeros(0, np.intp)
    empty = ProbeAnswers(
        Factor((), nothing), Factor((), nothing), np.zeros(0, "datetime64[us]"), np.zeros(0)
    )
    assert drifts(empty) == ()


def test_a_file_of_answers_is_read_with_repeated_ones(tmp_path: Path) -> None:
    file = tmp_path / "probes.csv"
    file.write_text(
        "contestant,question,at,p\n"
        "ada,q1,2026-01-05,0.3\nada,q1,2026-01-05,0.3\nada,q1,2026-01-12,1.3\n"
        "ada,q1,,0.4\nada,q1,2026-01-12,40%\n",
        "utf-8",
    )
    read, left_out = read_probes(file)
    assert read.p.tolist() == [0.3, 0.3, 0.4]
    assert left_out == {"at_missing": 1, "p_out_of_range": 1}


def test_a_file_without_a_column_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "probes.csv"
    file.write_text("contestant,p\nada,0.3\n", "utf-8")
    with pytest.raises(ArenaError, match="market, at") as error:
        read_probes(file)
    assert error.value.code == "insights.probes"
