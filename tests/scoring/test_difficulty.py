from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from arena.scoring.difficulty import ScorePanel, TwoWay, effect_covariance, panel, two_way
from tests.vectors import case, near


def fitted(found: ScorePanel) -> TwoWay:
    fit = two_way(found)
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
        "agent_effect_ref0": (fit.effect - fit.effect[0]).tolist(),
        "question_effect_gauge_agent0": (fit.difficulty + fit.effect[0]).tolist(),
        "raw_mean": fit.raw.tolist(),
        "vcov_cluster_question_HC1": free(effect_covariance(fit)),
    }
    expected = {key: known["expected"][key] for key in ours}
    assert near(ours, expected, known["tol"], relative=True)


def test_who_only_takes_easy_questions_gains_nothing() -> None:
    _, fit = selective()
    assert np.argsort(fit.raw).tolist() == [0, 1, 3, 2, 4]
    assert np.argsort(fit.effect).tolist() == [3, 1, 0, 2, 4]


def test_all_questions_is_the_plain_mean_where_everybody_answered_everything() -> None:
    score = np.random.default_rng(1).random((4, 30))
    agent, question = np.indices(score.shape)
    fit = fitted(panel(agent.ravel(), question.ravel(), score.ravel()))
    assert fit.effect == pytest.approx(score.mean(axis=1))
    assert fit.effect == pytest.approx(fit.raw)


def test_contestants_without_a_chain_of_shared_questions_are_not_compared() -> None:
    fit = fitted(panel([5, 7, 7, 9, 2], [0, 0, 1, 1, 4], [0.1, 0.2, 0.3, 0.1, 0.9]))
    assert fit.panel.agents.tolist() == [2, 5, 7, 9]
    assert fit.panel.group.tolist() == [0, 1, 1, 1]
    assert fit.panel.groups == 2


def test_groups_reach_through_chains() -> None:
    links = [(a, q) for q in range(5) for a in (q, q + 1)]
    agent, question = zip(*links, strict=True)
    assert panel(agent, question, np.zeros(10)).groups == 1


def test_errors_need_more_than_one_cluster_and_degrees_of_freedom() -> None:
    _, fit = selective()
    one = np.zeros(len(fit.panel.score), dtype=int)
    assert effect_covariance(fit, cluster=one) is None
    assert effect_covariance(fit, cluster=one + (np.arange(len(one)) % 2)) is not None
    exact = fitted(panel([0, 1], [0, 0], [0.1, 0.2]))
    assert exact.df == 0
    assert effect_covariance(exact) is None


def test_no_scores_have_no_effects() -> None:
    found = panel([], [], [])
    assert found.groups == 0
    assert two_way(found) is None


def test_a_bad_column_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        panel([0], [0], [np.nan])
    with pytest.raises(ValueError, match="one code"):
        panel([0, 1], [0], [0.1])
