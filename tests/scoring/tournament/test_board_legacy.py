"""The worked example of Metaculus tournament scoring (2022), cell by cell."""

from collections.abc import Sequence
from dataclasses import replace
from math import e, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scoring.tournament.board import (
    BITS,
    PUBLISHED,
    Horizon,
    RelativeScoreVariant,
    periods,
    relative_scores,
    score_question,
    score_tournament,
    take,
    time_average,
)
from arena.scoring.tournament.records import (
    Coverage,
    Crowd,
    Period,
    TimedForecast,
    Tournament,
    TournamentRule,
)
from arena.scoring.tournament.standing import covering, panel_of
from tests.scoring.tournament.example import (
    KINDS,
    Days,
    example,
    question,
    spread_of_days,
    yes_no,
)
from tests.vectors import near, source

RULES = Tournament((), coverage=Coverage.GIVEN)
ONE = yes_no({"A": [None, 0.8, 0.8, None], "B": [0.4, 0.4, 0.4, 0.4]})


def test_weights_of_coverage_are_spread_over_their_days() -> None:
    asked = replace(ONE, coverage=spread_of_days((0.1, 0.2, 0.3, 0.4)))
    found = score_question(RULES, asked)
    assert found.coverage == pytest.approx((0.5, 1.0))


def test_a_part_of_a_period_has_a_part_of_its_weight() -> None:
    asked = replace(
        ONE, coverage=(Period(0.0, 4.0, 1.0),), forecasts=(TimedForecast("A", 1.5, 0.5),)
    )
    assert score_question(RULES, asked).coverage == pytest.approx((2.5 / 4,))


def test_an_early_close_does_not_scale_the_weights_up() -> None:
    asked = replace(ONE, coverage=spread_of_days((0.25,) * 4), closed=2.0)
    assert score_question(RULES, asked).coverage == pytest.approx((0.25, 0.5))


def test_without_a_hidden_period_there_is_no_coverage_of_it() -> None:
    with pytest.raises(ValueError, match="question rain: nothing says until when"):
        score_tournament(Tournament((ONE,), coverage=Coverage.HIDDEN))


def test_without_weights_there_is_no_coverage_by_them() -> None:
    with pytest.raises(ValueError, match="no weights of coverage"):
        periods(ONE, Coverage.GIVEN)


def test_scores_are_zero_before_the_first_forecast_and_after_a_withdrawal() -> None:
    asked = replace(ONE, community=(TimedForecast("", 0.0, 0.4),))
    found = score_question(Tournament(()), asked)
    assert [t.scores[0] for t in found.intervals] == pytest.approx([0, log(2), 0])


def test_where_nothing_is_known_of_the_community_a_forecast_is_the_community() -> None:
    asked = replace(ONE, community=(TimedForecast("", 2.0, 0.4), TimedForecast("", 3.0, None)))
    found = score_question(Tournament(()), asked)
    assert [t.community for t in found.intervals] == [None, None, 0.4, None]
    assert found.scores[0] == pytest.approx(log(2) / 4)


def test_certainty_is_confined() -> None:
    sure = (TimedForecast("A", 0.0, 0.0), TimedForecast("B", 0.0, 1.0))
    asked = replace(ONE, forecasts=sure, community=(TimedForecast("", 0.0, 0.5),))
    found = score_question(Tournament(()), asked)
    assert found.scores == pytest.approx((log(0.001 / 0.5), log(0.999 / 0.5)))


def test_who_is_alone_is_the_community() -> None:
    found = score_tournament(Tournament((yes_no({"A": [0.9] * 4}),), pool=100.0))
    assert (found.entries[0].score, found.entries[0].prize) == (0.0, 100.0)


def test_copying_the_median_is_paid_for_coverage_alone() -> None:
    found = score_tournament(replace(example(), aggregates=(Crowd(),)))
    copy = next(entry for entry in found.entries if not entry.included)
    assert (copy.score, copy.take) == (0.0, copy.coverage)


def test_the_code_of_the_platform_averages_until_the_early_close() -> None:
    closed = replace(question("q3"), community=(TimedForecast("", 0.0, 0.2),))
    rows = score_question(Tournament((), rule=TournamentRule.RELATIVE_LEGACY), closed)
    assert rows.scores[0] == pytest.approx(2 * log(0.3 / 0.2) / log(2) / 3)
    assert rows.coverage[0] == pytest.approx(2 / 3)


def test_the_code_of_the_platform_takes_the_recency_weighted_median() -> None:
    days: Days = {"A": [0.1] * 3, "B": [None, 0.3, 0.3], "C": [None, None, 0.9]}
    rows = score_question(
        Tournament((), rule=TournamentRule.RELATIVE_LEGACY), yes_no(days, days=3)
    ).intervals
    assert [t.community for t in rows] == pytest.approx([0.1, 0.2, 0.3])


def test_a_question_that_closed_as_it_opened_has_no_time_to_average_over() -> None:
    panel = panel_of(replace(ONE, closed=0.0))
    assert time_average(panel, np.ones(panel.p.shape), Horizon.ACTUAL).tolist() == [0, 0]
    assert not panel.stands.any()


def test_a_score_without_a_finite_take_is_refused() -> None:
    with pytest.raises(ValueError, match="no finite take"):
        take(1000.0, 1.0)


scores_ = st.floats(-5, 5)


@settings(max_examples=60)
@given(scores_, st.floats(0, 1), scores_)
def test_a_take_multiplies_where_scores_add(a: float, coverage: float, b: float) -> None:
    assert take(a + b, coverage) == pytest.approx(take(a, coverage) * e**b)


@settings(max_examples=60)
@given(st.lists(st.floats(0, 4), min_size=1, max_size=5))
def test_the_columns_of_a_panel_share_the_whole_weight(times: list[float]) -> None:
    asked = replace(ONE, forecasts=tuple(TimedForecast("A", at, 0.5) for at in times))
    weights = spread_of_days((0.4, 0.3, 0.2, 0.1))
    assert covering(panel_of(asked), weights).sum() == pytest.approx(1)


@settings(max_examples=40)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_each_question_score_is_best_expected_from_the_truth(
    truth: float, other: float, median: float
) -> None:
    def expected(p: float) -> float:
        total = 0.0
        for chance, outcome in ((truth, 1), (1 - truth, 0)):
            said, crowd = TimedForecast("A", 0.0, p), TimedForecast("", 0.0, median)
            asked = replace(ONE, outcome=outcome, forecasts=(said,), community=(crowd,))
            total += chance * score_question(Tournament(()), asked).scores[0]
        return total

    assert expected(truth) >= expected(other) - 1e-12
    assert expected(truth) < inf


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
    assert near(takes(PUBLISHED), takes(BITS), 1e-12)
