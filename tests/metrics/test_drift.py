"""Answers to probes, from a file to each contestant's drift."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.metrics.insights.drift import ProbeAnswers, ProbeDrift, drifts
from arena.scoring.table import Factor
from arena.sheets.reading import read_probes
from tests.present import present

WEEK = np.timedelta64(7, "D")


def answers(seed: int, moved: float) -> ProbeAnswers:
    """Twenty questions, ten first answers, and two a week; from week 2 on they lie off."""
    rng = np.random.default_rng(seed)
    week = np.repeat(np.arange(6), [200, 40, 40, 40, 40, 40])
    question = np.tile(np.arange(20), len(week) // 20)
    odds = rng.normal(0, 1, 20)[question] + rng.normal(0, 0.3, len(week))
    odds += moved * (week >= 2)
    return ProbeAnswers(
        Factor(("ada",), np.zeros(len(week), np.intp)),
        Factor(tuple(f"q{n}" for n in range(20)), question),
        np.datetime64("2026-01-05T12:00", "us") + week * WEEK,
        1 / (1 + np.exp(-odds)),
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
