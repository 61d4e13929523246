"""The worked example of Metaculus tournament scoring (2022), cell by cell."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np
import pytest

from arena.scoring.tournament.board import score_question, score_tournament
from arena.scoring.tournament.legacy import (
    BITS,
    MIXED,
    PUBLISHED,
    RelativeScoreVariant,
    periods,
    relative_scores,
    take,
    time_average,
)
from arena.scoring.tournament.prizes import prize_shares
from arena.scoring.tournament.records import Coverage, TimedForecast
from arena.scoring.tournament.standing import by_day, covering, panel_of
from tests.scoring.tournament.example import KINDS, example, question
from tests.vectors import near, source

NAMES = ("A", "B", "C", "bot")


def all_of(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    """A number for everybody: the source has 0 for who did not forecast."""
    return dict.fromkeys(NAMES, 0.0) | dict(zip(names, values, strict=True))


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize(
    ("name", "vector"),
    [
        ("q1", "s003.q1.relative_log"),
        ("q2", "s003.q2.relative_log"),
        ("q3", "s003.q3.relative_log"),
    ],
)
def test_every_day_and_every_question_of_the_example(
    name: str, vector: str, *, given: bool
) -> None:
    held = source(vector)
    tournament = example(given=given)
    asked = question(name, given=given)
    found = score_question(tournament, asked)
    hidden = score_question(replace(tournament, coverage=Coverage.HIDDEN), asked)
    days = list(zip(*(day.scores for day in found.days), strict=True))
    told = {
        "daily": dict.fromkeys(NAMES, [0.0] * 4) | dict(zip(found.names, days, strict=True)),
        "question_score": all_of(found.names, found.scores),
        "coverage_all": all_of(found.names, found.coverage),
        "coverage_hidden": all_of(hidden.names, hidden.coverage),
    }
    assert near(told, held["expected"], held["tol"])


def takes(form: RelativeScoreVariant) -> dict[str, float]:
    """The takes of the example by a variant of the rules."""
    score, cover = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
    for name in KINDS:
        asked = question(name)
        result = score_question(example(), asked)
        panel = panel_of(asked)
        middle = np.array([t.community for t in result.intervals], dtype=np.float64)
        scores = relative_scores(panel, panel.p, middle, form)
        means = time_average(panel, scores, form.horizon)
        parts = panel.stands @ covering(panel, periods(asked, Coverage.ALL))
        for f, who in enumerate(panel.forecasters):
            score[who] += means[f]
            cover[who] += parts[f] / len(KINDS)
    return {who: take(score[who], cover[who], form) for who in NAMES}


def test_the_base_changes_nothing_if_the_take_changes_with_it() -> None:
    held = source("s003.base_invariance")
    in_bits, mixed = takes(BITS), takes(MIXED)
    order = ("B", "A", "bot", "C")
    shares = prize_shares([in_bits[n] for n in order]), prize_shares([mixed[n] for n in order])
    assert shares[0] is not None
    assert shares[1] is not None
    told = {
        "take_base2_exp2": in_bits,
        "share_B_base2_exp2": shares[0][0],
        "take_log2_with_e": mixed,
        "share_log2_with_e": dict(zip(order, shares[1], strict=True)),
    }
    assert near(told, held["expected"], held["tol"])
    assert near(takes(PUBLISHED), in_bits, 1e-12)


def test_a_bot_that_sees_the_median_all_the_time_earns_twice_as_much() -> None:
    held = source("s003.bot_full_visibility")
    questions = []
    for name in KINDS:
        asked = question(name, given=True)
        copied = tuple(TimedForecast("bot", said.at, said.value) for said in asked.community)
        others = tuple(s for s in asked.forecasts if s.forecaster != "bot")
        questions.append(replace(asked, forecasts=(*others, *copied)))
    found = score_tournament(replace(example(), questions=tuple(questions)))
    bot = next(e for e in found.entries if e.name == "bot")
    told = {"bot_coverage": bot.coverage, "bot_prize": bot.prize}
    assert near(told, held["expected"], held["tol"])
    assert bot.score == 0


def test_the_formulas_inside_the_text() -> None:
    held = source("s003.inline")
    found = score_tournament(example())
    a = next(e for e in found.entries if e.name == "A")
    first = found.questions[0]
    told = {
        "ln_0_8_over_0_4": float(_one(0.8, 0.4)),
        "A_day1": first.intervals[0].scores[0],
        "match": _one(0.55, 0.55),
        "A_take": a.take,
    }
    assert near(told, held["expected"], held["tol"])
    assert told["ln_0_8_over_0_4"] == pytest.approx(log(2))


def _one(p: float, median: float) -> float:
    """The relative score of one day."""
    asked = replace(
        question("q1"), close=1.0, hidden_until=None, forecasts=(TimedForecast("A", 0.0, p),)
    )
    asked = replace(asked, community=(TimedForecast("", 0.0, median),))
    return score_question(example(), asked).scores[0]


def test_days_of_another_length_are_means_of_what_is_in_them() -> None:
    panel = panel_of(question("q1"))
    scores = relative_scores(panel, panel.p, panel.p[0] * 0 + 0.5)
    edges, halves = by_day(panel, scores, 2.0)
    assert edges.tolist() == [0.0, 2.0, 4.0]
    assert halves[0, 0] == pytest.approx(scores[0, :2].mean())
