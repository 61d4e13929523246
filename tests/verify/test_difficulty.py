"""Adjusted scores beside regressions with dummies, and a mixed model, of statsmodels."""

import numpy as np
import pytest

pytest.importorskip("statsmodels", reason="the verify group is not installed")

from statsmodels.regression.linear_model import OLS

from arena.metrics.claims.adjusted import adjusted_brier
from arena.scoring.difficulty import ScorePanel, effect_covariance, panel, two_way
from arena.scoring.table import Factor
from tests.metrics.rounds import equals, rounds
from tests.present import present

AGENTS, QUESTIONS = 5, 24


def unbalanced(seed: int) -> ScorePanel:
    rng = np.random.default_rng(seed)
    agent, question = np.nonzero(rng.random((AGENTS, QUESTIONS)) < 0.6)
    difficulty = rng.normal(0.2, 0.15, QUESTIONS)
    noise = rng.normal(0, 0.05, len(agent))
    return panel(agent, question, difficulty[question] + 0.05 * agent + noise)


def dummies(found: ScorePanel) -> np.ndarray:
    """The first contestant is the reference; every question has a column."""
    agent = found.agent[:, None] == np.arange(1, len(found.agents))
    question = found.question[:, None] == np.arange(len(found.questions))
    return np.column_stack((agent, question)).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_effects_are_those_of_a_regression_with_dummies(seed: int) -> None:
    found = unbalanced(seed)
    fit = present(two_way(found))
    theirs = OLS(found.score, dummies(found)).fit()
    others = len(found.agents) - 1
    first = fit.effect[0]
    assert fit.effect[1:] - first == pytest.approx(theirs.params[:others], abs=1e-12)
    assert fit.difficulty + first == pytest.approx(theirs.params[others:], abs=1e-12)
    assert fit.df == theirs.df_resid


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("nested", [True, False])
def test_clustered_errors_are_those_of_statsmodels(seed: int, *, nested: bool) -> None:
    found = unbalanced(seed)
    day = np.random.default_rng(seed).integers(9, size=len(found.score))
    cluster = found.question // 3 if nested else day
    theirs = OLS(found.score, dummies(found)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": True}
    )
    fit = present(two_way(found))
    ours = effect_covariance(fit, cluster)
    others = len(found.agents) - 1
    assert present(ours)[1:, 1:] == pytest.approx(
        theirs.cov_params()[:others, :others], abs=1e-14
    )


@pytest.mark.parametrize("seed", range(3))
def test_adjusted_scores_are_those_of_a_regression_with_dummies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, outcome = equals(rng, 30, 4)
    p[rng.random(p.shape) < 0.3] = np.nan
    whole = rounds(p, outcome)
    market = Factor(whole.market.names, whole.market.codes).in_order()
    who = np.eye(4)[whole.contestant.codes]
    question = np.eye(len(market.names))[market.codes]
    theirs = OLS((whole.p - whole.outcome) ** 2, np.hstack([who, question[:, 1:]])).fit()
    hard = np.concatenate([[0.0], theirs.params[4:]])
    expected = theirs.params[:4] + hard.mean()
    found = adjusted_brier(whole, whole.contestant, 0.95)
    assert [one.value for one in found] == pytest.approx(expected.tolist(), abs=1e-10)
