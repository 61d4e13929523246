"""Adjusted scores beside regressions with dummies, and a mixed model, of statsmodels."""

import numpy as np
import pytest

pytest.importorskip("statsmodels", reason="the verify group is not installed")

import pandas as pd
from statsmodels.regression.linear_model import OLS
from statsmodels.regression.mixed_linear_model import MixedLM

from arena.scoring.difficulty import (
    Errors,
    Gauge,
    Panel,
    effect_covariance,
    panel,
    two_way,
)
from arena.scoring.mixed import predict, reml

AGENTS, QUESTIONS = 5, 24


def unbalanced(seed: int) -> Panel:
    rng = np.random.default_rng(seed)
    agent, question = np.nonzero(rng.random((AGENTS, QUESTIONS)) < 0.6)
    difficulty = rng.normal(0.2, 0.15, QUESTIONS)
    noise = rng.normal(0, 0.05, len(agent))
    return panel(agent, question, difficulty[question] + 0.05 * agent + noise)


def dummies(found: Panel) -> np.ndarray:
    """The first contestant is the reference; every question has a column."""
    agent = found.agent[:, None] == np.arange(1, len(found.agents))
    question = found.question[:, None] == np.arange(len(found.questions))
    return np.column_stack((agent, question)).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_effects_are_those_of_a_regression_with_dummies(seed: int) -> None:
    found = unbalanced(seed)
    fit = two_way(found, Gauge.FIRST)
    theirs = OLS(found.score, dummies(found)).fit()
    others = len(found.agents) - 1
    assert fit is not None
    assert fit.effect[1:] == pytest.approx(theirs.params[:others], abs=1e-12)
    assert fit.difficulty == pytest.approx(theirs.params[others:], abs=1e-12)
    assert fit.rss == pytest.approx(theirs.ssr, abs=1e-12)
    assert fit.df == theirs.df_resid
    classical = effect_covariance(fit, Errors.CLASSICAL)
    assert classical is not None
    assert classical[1:, 1:] == pytest.approx(theirs.cov_params()[:others, :others], abs=1e-14)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("small", [True, False])
def test_clustered_errors_are_those_of_statsmodels(
    seed: int, *, nested: bool, small: bool
) -> None:
    found = unbalanced(seed)
    day = np.random.default_rng(seed).integers(9, size=len(found.score))
    cluster = found.question // 3 if nested else day
    theirs = OLS(found.score, dummies(found)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": small}
    )
    fit = two_way(found)
    assert fit is not None
    ours = effect_covariance(fit, Errors.HC1 if small else Errors.HC0, cluster)
    others = len(found.agents) - 1
    assert ours is not None
    assert ours[1:, 1:] == pytest.approx(theirs.cov_params()[:others, :others], abs=1e-14)


@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:Random effects covariance is singular")
def test_restricted_variances_are_those_of_a_mixed_model() -> None:
    found = unbalanced(1)
    frame = pd.DataFrame({"y": found.score, "a": found.agent, "q": found.question})
    theirs = MixedLM.from_formula(
        "y ~ 1",
        frame,
        groups=np.ones(len(frame)),
        re_formula="0",
        vc_formula={"a": "0 + C(a)", "q": "0 + C(q)"},
    ).fit(reml=True)
    estimated = reml(found).variances
    assert estimated is not None
    best = predict(found, estimated)
    assert best is not None
    assert estimated.agent == pytest.approx(theirs.vcomp[0], rel=1e-3)
    assert estimated.question == pytest.approx(theirs.vcomp[1], rel=1e-3)
    assert estimated.residual == pytest.approx(theirs.scale, rel=1e-3)
    assert best.intercept == pytest.approx(theirs.fe_params.iloc[0], abs=1e-6)
    assert best.intercept_se == pytest.approx(theirs.bse_fe.iloc[0], rel=1e-3)


def test_predictions_are_those_of_the_whole_covariance_matrix() -> None:
    found = unbalanced(2)
    estimated = reml(found).variances
    assert estimated is not None
    best = predict(found, estimated)
    assert best is not None
    agent = (found.agent[:, None] == np.arange(len(found.agents))).astype(float)
    question = (found.question[:, None] == np.arange(len(found.questions))).astype(float)
    n = len(found.score)
    whole = estimated.residual * np.eye(n)
    whole += estimated.agent * agent @ agent.T + estimated.question * question @ question.T
    inverse = np.linalg.inv(whole)
    mean = inverse.sum(axis=0) @ found.score / inverse.sum()
    left = inverse @ (found.score - mean)
    assert best.intercept == pytest.approx(mean, abs=1e-12)
    assert best.effect == pytest.approx(estimated.agent * agent.T @ left, abs=1e-12)
    assert best.difficulty == pytest.approx(estimated.question * question.T @ left, abs=1e-12)
    centred = inverse - np.outer(inverse.sum(axis=0), inverse.sum(axis=0)) / inverse.sum()
    known = estimated.agent - estimated.agent**2 * np.diag(agent.T @ inverse @ agent)
    unknown = estimated.agent - estimated.agent**2 * np.diag(agent.T @ centred @ agent)
    assert best.sd == pytest.approx(np.sqrt(known), abs=1e-10)
    assert best.full_sd == pytest.approx(np.sqrt(unknown), abs=1e-10)


def test_the_restricted_criterion_is_minus_twice_the_log_likelihood() -> None:
    found = unbalanced(3)
    ours = reml(found)
    assert ours.variances is not None
    agent = found.agent[:, None] == found.agent
    question = found.question[:, None] == found.question
    n = len(found.score)
    whole = ours.variances.residual * np.eye(n)
    whole += ours.variances.agent * agent + ours.variances.question * question
    inverse = np.linalg.inv(whole)
    left = found.score - inverse.sum(axis=0) @ found.score / inverse.sum()
    expected = np.linalg.slogdet(whole)[1] + np.log(inverse.sum()) + left @ inverse @ left
    expected += (n - 1) * np.log(2 * np.pi)
    assert ours.criterion == pytest.approx(expected, abs=1e-9)
