from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.difficulty import (
    Errors,
    Gauge,
    ScorePanel,
    TwoWay,
    compare,
    effect_covariance,
    panel,
    two_way,
)
from tests.vectors import case, near


def fitted(found: ScorePanel, gauge: Gauge = Gauge.FIRST) -> TwoWay:
    fit = two_way(found, gauge)
    assert fit is not None
    return fit


def selective() -> tuple[Mapping[str, Any], TwoWay]:
    known = case("12_two_way_fixed_effects", "selective_betting_5x40")
    given = known["inputs"]
    return known, fitted(panel(given["agent"], given["question"], given["brier"]))


def free(covariance: np.ndarray | None) -> list[list[float]]:
    assert covariance is not None
    assert not covariance[0].any()
    found: list[list[float]] = covariance[1:, 1:].tolist()
    return found


def test_selective_betting_5x40_is_adjusted_as_by_forecastbench() -> None:
    known, fit = selective()
    ours = {
        "agent_effect_ref0": fit.effect.tolist(),
        "question_effect_gauge_agent0": fit.difficulty.tolist(),
        "rss": fit.rss,
        "raw_mean": fit.raw.tolist(),
        "vcov_agent_effects": free(effect_covariance(fit, Errors.CLASSICAL)),
        "vcov_cluster_question_HC0": free(effect_covariance(fit, Errors.HC0)),
        "vcov_cluster_question_HC1": free(effect_covariance(fit, Errors.HC1)),
    }
    expected = {key: known["expected"][key] for key in ours}
    assert near(ours, expected, known["tol"], relative=True)


def test_who_only_takes_easy_questions_gains_nothing() -> None:
    _, fit = selective()
    assert np.argsort(fit.raw).tolist() == [0, 1, 3, 2, 4]
    assert np.argsort(fit.effect).tolist() == [3, 1, 0, 2, 4]


def test_gauges_differ_by_a_constant() -> None:
    found = selective()[1].panel
    first, mean = fitted(found), fitted(found, Gauge.MEAN)
    whole = fitted(found, Gauge.ALL_QUESTIONS)
    assert mean.effect.mean() == pytest.approx(0, abs=1e-15)
    assert whole.difficulty.mean() == pytest.approx(0, abs=1e-15)
    for other in (mean, whole):
        assert np.ptp(other.effect - first.effect) == pytest.approx(0, abs=1e-14)
        expected = other.effect[found.agent] + other.difficulty[found.question]
        same = first.effect[found.agent] + first.difficulty[found.question]
        assert expected == pytest.approx(same)


def test_all_questions_is_the_plain_mean_where_everybody_answered_everything() -> None:
    score = np.random.default_rng(1).random((4, 30))
    agent, question = np.indices(score.shape)
    fit = fitted(panel(agent.ravel(), question.ravel(), score.ravel()), Gauge.ALL_QUESTIONS)
    assert fit.effect == pytest.approx(score.mean(axis=1))
    assert fit.effect == pytest.approx(fit.raw)


def test_contestants_without_a_chain_of_shared_questions_are_not_compared() -> None:
    fit = fitted(panel([5, 7, 7, 9, 2], [0, 0, 1, 1, 4], [0.1, 0.2, 0.3, 0.1, 0.9]))
    assert fit.panel.agents.tolist() == [2, 5, 7, 9]
    assert fit.panel.group.tolist() == [0, 1, 1, 1]
    assert fit.panel.groups == 2
    assert compare(fit, (2, 7)).state is State.NOT_ESTIMABLE
    assert compare(fit, (3, 7)).state is State.NOT_ESTIMABLE
    assert fit.of(3) is None


def test_groups_reach_through_chains() -> None:
    links = [(a, q) for q in range(5) for a in (q, q + 1)]
    agent, question = zip(*links, strict=True)
    assert panel(agent, question, np.zeros(10)).groups == 1


def test_a_difference_has_the_interval_of_its_clusters() -> None:
    _, fit = selective()
    found = compare(fit, (0, 3), cluster=fit.panel.question // 2)
    assert found.value == pytest.approx(0.0514905898)
    assert (found.events, found.df) == (20, 19)
    assert found.interval is not None
    assert found.interval.low < 0.0514905898 < found.interval.high
    classical = compare(fit, (0, 3), errors=Errors.CLASSICAL)
    assert classical.df == fit.df == 70
    assert classical.se == pytest.approx(np.sqrt(0.00013240664444332), rel=1e-6)


def test_errors_need_more_than_one_cluster_and_degrees_of_freedom() -> None:
    _, fit = selective()
    one = np.zeros(len(fit.panel.score), dtype=int)
    assert effect_covariance(fit, cluster=one) is None
    assert compare(fit, (0, 3), cluster=one).state is State.TOO_FEW
    two = one + (np.arange(len(one)) % 2)
    assert effect_covariance(fit, cluster=two) is not None
    exact = fitted(panel([0, 1], [0, 0], [0.1, 0.2]))
    assert exact.df == 0
    assert effect_covariance(exact, Errors.CLASSICAL) is None


def test_a_difference_without_noise_is_degenerate() -> None:
    score = np.add.outer([0.1, 0.3], np.linspace(0, 0.5, 6))
    agent, question = np.indices(score.shape)
    fit = fitted(panel(agent.ravel(), question.ravel(), score.ravel()))
    found = compare(fit, (1, 0))
    assert found.value == pytest.approx(0.2)
    assert (found.state, found.se) == (State.DEGENERATE, None)


def test_no_scores_have_no_effects() -> None:
    found = panel([], [], [])
    assert found.groups == 0
    assert two_way(found) is None


def test_a_bad_column_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        panel([0], [0], [np.nan])
    with pytest.raises(ValueError, match="one code"):
        panel([0, 1], [0], [0.1])
