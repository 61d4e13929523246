from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from arena.scoring.difficulty import (
    ScorePanel,
    TwoWay,
    bootstrap_effects,
    effect_covariance,
    panel,
    two_way,
    weighted_effects,
)
from arena.scoring.table import Floats
from tests.present import present, some
from tests.vectors import case, near


def selective() -> tuple[Mapping[str, Any], TwoWay]:
    known = case("12_two_way_fixed_effects", "selective_betting_5x40")
    given = known["inputs"]
    return known, present(two_way(panel(given["agent"], given["question"], given["brier"])))


def free(covariance: np.ndarray | None) -> list[list[float]]:
    assert not present(covariance)[0].any()
    found: list[list[float]] = present(covariance)[1:, 1:].tolist()
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


def test_contestants_without_a_chain_of_shared_questions_are_not_compared() -> None:
    found = panel([5, 7, 7, 9, 2], [0, 0, 1, 1, 4], [0.1, 0.2, 0.3, 0.1, 0.9])
    assert found.agents.tolist() == [2, 5, 7, 9]
    assert (found.group.tolist(), found.groups) == ([0, 1, 1, 1], 2)


def test_groups_reach_through_chains() -> None:
    links = [(a, q) for q in range(5) for a in (q, q + 1)]
    agent, question = zip(*links, strict=True)
    assert panel(agent, question, np.zeros(10)).groups == 1


def test_errors_need_more_than_one_cluster_and_degrees_of_freedom() -> None:
    _, fit = selective()
    one = np.zeros(len(fit.panel.score), dtype=int)
    assert effect_covariance(fit, cluster=one) is None
    assert effect_covariance(fit, cluster=one + (np.arange(len(one)) % 2)) is not None
    exact = present(two_way(panel([0, 1], [0, 0], [0.1, 0.2])))
    assert exact.df == 0
    assert effect_covariance(exact) is None


def test_no_scores_have_no_effects() -> None:
    found = panel([], [], [])
    assert found.groups == 0
    assert two_way(found) is None


RNG = np.random.default_rng(8)
AGENT, QUESTION = np.nonzero(RNG.random((5, 60)) < 0.6)
EVENT = QUESTION // 3
SCORE = 0.1 * AGENT + RNG.random(60)[QUESTION] + 0.1 * RNG.standard_normal(len(AGENT))
PANEL = panel(AGENT, QUESTION, SCORE)


def around_mean(table: ScorePanel) -> Floats:
    """Effects less their mean, of contestants who are all connected."""
    effects = present(two_way(table)).effect
    return np.asarray(effects - effects.mean())


def test_weights_count_whole_events_as_copies_would() -> None:
    weights = RNG.integers(1, 4, size=(3, 20))
    found = weighted_effects(PANEL, EVENT, weights)
    for effects, row in some(zip(found.effects, weights, strict=True)):
        copies = np.repeat(np.arange(len(SCORE)), row[EVENT])
        turn = np.concatenate([np.arange(k) for k in row[EVENT]])
        fit = panel(AGENT[copies], QUESTION[copies] + 60 * turn, SCORE[copies])
        assert effects == pytest.approx(around_mean(fit), abs=1e-12)


def test_weights_of_one_are_the_fit_itself() -> None:
    found = weighted_effects(PANEL, EVENT, np.ones((1, 20)))
    assert found.effects[0] == pytest.approx(around_mean(PANEL), abs=1e-13)


def test_the_scale_of_weights_says_nothing() -> None:
    weights = RNG.random((4, 20))
    first = weighted_effects(PANEL, EVENT, weights)
    second = weighted_effects(PANEL, EVENT, 1e6 * weights)
    assert first.effects == pytest.approx(second.effects, abs=1e-11)


def test_resampled_events_spread_around_the_fit() -> None:
    found = bootstrap_effects(PANEL, EVENT, np.random.default_rng(1), 400)
    low, high = np.quantile(found.effects, (0.005, 0.995), axis=0)
    assert (found.dropped, found.effects.shape) == (0, (400, 5))
    effects = around_mean(PANEL)
    assert np.all((low < effects) & (effects < high))


def test_replicates_without_the_connecting_event_are_dropped() -> None:
    # events 0 and 1 belong to one contestant each; only event 2 has both
    found = panel([0, 0, 1, 1, 0, 1], [0, 1, 2, 3, 4, 4], [0.1, 0.2, 0.1, 0.4, 0.3, 0.6])
    event = [0, 0, 1, 1, 2, 2]
    weights = [[1, 1, 1], [2, 1, 0], [0, 0, 3]]
    drawn = weighted_effects(found, event, weights)
    assert drawn.dropped == 1
    assert drawn.effects[:, 1] - drawn.effects[:, 0] == pytest.approx([0.3, 0.3])


def test_events_may_be_numbered_with_gaps() -> None:
    one = bootstrap_effects(PANEL, EVENT, np.random.default_rng(2), 30)
    other = bootstrap_effects(PANEL, 3 * EVENT + 2, np.random.default_rng(2), 30)
    assert one.effects == pytest.approx(other.effects, abs=1e-12)


def test_no_scores_have_no_replicates() -> None:
    found = bootstrap_effects(panel([], [], []), [], np.random.default_rng(3), 5)
    assert found.effects.size == 0


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: weighted_effects(PANEL, EVENT, np.ones(20)), "row a replicate"),
        (lambda: weighted_effects(PANEL, EVENT, np.ones((1, 3))), "column an event"),
        (lambda: weighted_effects(PANEL, EVENT, -np.ones((1, 20))), "0 or more"),
        (lambda: weighted_effects(PANEL, AGENT, np.ones((1, 5))), "one event"),
        (lambda: bootstrap_effects(PANEL, EVENT, RNG, 0), "one replicate"),
        (lambda: panel([0], [0], [np.nan]), "finite"),
        (lambda: panel([0, 1], [0], [0.1]), "one code"),
    ],
)
def test_what_cannot_be_weighted_is_refused(call: Callable[[], object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()
