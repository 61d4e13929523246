from typing import Any

import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.difficulty import Gauge, Panel, panel, two_way
from arena.scoring.mixed import Variances, predict, reml
from tests.vectors import case, near


def known() -> tuple[Any, Panel]:
    found = case("12_two_way_fixed_effects", "lmer_crossed_random_effects_8x60")
    given = found["inputs"]
    return found, panel(given["agent"], given["question"], given["brier"])


def test_lmer_crossed_random_effects_8x60_has_the_same_variances_and_predictions() -> None:
    vector, scores = known()
    found = reml(scores)
    assert found.variances is not None
    best = predict(scores, found.variances)
    assert best is not None
    ours = {
        "intercept": best.intercept,
        "var_agent": found.variances.agent,
        "var_question": found.variances.question,
        "var_resid": found.variances.residual,
        "blup_agent": best.effect.tolist(),
        "blup_agent_sd": best.sd.tolist(),
        "blup_question": best.difficulty.tolist(),
        "reml": found.criterion,
    }
    assert near(ours, vector["expected"], 1e-8, relative=True)


def test_given_the_variances_the_predictions_agree_to_the_last_digits() -> None:
    vector, scores = known()
    want = vector["expected"]
    given = Variances(want["var_agent"], want["var_question"], want["var_resid"])
    found = predict(scores, given)
    assert found is not None
    assert near(found.effect.tolist(), want["blup_agent"], 4e-15)
    assert near(found.difficulty.tolist(), want["blup_question"], 4e-15)
    assert np.all(found.full_sd > found.sd)


def test_a_newcomer_is_shrunk_more_than_an_old_hand() -> None:
    rng = np.random.default_rng(1)
    score = rng.random(40)
    agent, question = [0] * 40 + [1] * 40 + [2], [*range(40), *range(40), 0]
    scores = panel(agent, question, [*score, *(score + 0.1), score[0] - 0.3])
    found = predict(scores, Variances(0.01, 0.1, 0.05))
    fixed = two_way(scores, Gauge.MEAN)
    assert found is not None
    assert fixed is not None
    kept = (found.effect - found.effect[0])[1:] / (fixed.effect - fixed.effect[0])[1:]
    assert 0 < kept[1] < 0.3
    assert 0.8 < kept[0] < 1
    assert found.sd[2] > found.sd[1]


def test_large_variances_of_effects_shrink_nothing() -> None:
    _, scores = known()
    found, fixed = predict(scores, Variances(1e7, 1e7, 1.0)), two_way(scores, Gauge.MEAN)
    assert found is not None
    assert fixed is not None
    assert found.effect - found.effect.mean() == pytest.approx(fixed.effect, abs=1e-5)


def test_variances_of_zero_shrink_all_the_way() -> None:
    _, scores = known()
    found = predict(scores, Variances(0, 0, 1))
    assert found is not None
    assert found.intercept == pytest.approx(scores.score.mean())
    assert not found.effect.any()
    assert not found.difficulty.any()
    assert not found.sd.any()


def test_contestants_who_differ_by_noise_only_have_no_variance() -> None:
    score = np.tile([[0.1, 0.3], [0.3, 0.1]], (2, 20))
    agent, question = np.indices(score.shape)
    found = reml(panel(agent.ravel(), question.ravel(), score.ravel()))
    assert found.variances is not None
    assert found.variances.agent == 0
    assert found.state is State.OK


@pytest.mark.parametrize(
    ("score", "state"),
    [([0.1, 0.2], State.TOO_FEW), ([0.1] * 10, State.DEGENERATE)],
)
def test_some_scores_have_no_variances_to_estimate(score: list[float], state: State) -> None:
    found = reml(panel([0] * len(score), range(len(score)), score))
    assert (found.variances, found.criterion, found.state) == (None, None, state)


def test_no_scores_predict_nothing() -> None:
    assert predict(panel([], [], []), Variances(1, 1, 1)) is None


@pytest.mark.parametrize(
    "bad", [(-1, 0, 1), (0, 0, 0), (np.nan, 0, 1), (0, np.nan, 1), (np.inf, 0, 1)]
)
def test_what_is_no_variance_is_refused(bad: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="variances are 0 or more"):
        Variances(*bad)
