"""Our scores against scikit-learn, scoringrules and NumPy's plain formulas, on random rows."""

import numpy as np
import pytest

from arena.scoring.logarithmic import Clip, log_loss, log_loss_options
from arena.scoring.numeric import (
    crps_of_cdf,
    crps_of_normal,
    crps_of_quantiles,
    crps_of_sample,
    pinball,
)
from arena.scoring.proper import BrierConvention, brier, brier_options, brier_terms
from arena.scoring.rps import rps_terms

WHY = "the verify group is not installed"
metrics = pytest.importorskip("sklearn.metrics", reason=WHY)
rules = pytest.importorskip("scoringrules", reason=WHY)

N = 5000


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2026)


@pytest.mark.parametrize("shape", [0.1, 1.0, 5.0])
def test_yes_no_scores(rng: np.random.Generator, shape: float) -> None:
    p = np.clip(rng.beta(shape, shape, N), 1e-12, 1 - 1e-12)
    y, w = (rng.random(N) < p).astype(int), rng.exponential(size=N)
    assert brier(p, y).value == pytest.approx(metrics.brier_score_loss(y, p), rel=1e-12)
    weighted = metrics.brier_score_loss(y, p, sample_weight=w)
    assert brier(p, y, weights=w).value == pytest.approx(weighted, rel=1e-12)
    assert brier_terms(p, y) == pytest.approx(rules.brier_score(y, p), abs=1e-15)
    loss = log_loss(p, y, clip=Clip.NONE).value
    assert loss == pytest.approx(metrics.log_loss(y, p), rel=1e-10)
    weighted = metrics.log_loss(y, p, sample_weight=w)
    found = log_loss(p, y, clip=Clip.NONE, weights=w).value
    assert found == pytest.approx(weighted, rel=1e-10)
    terms = rules.log_score(y, p)
    assert loss == pytest.approx(np.mean(terms), rel=1e-10)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_scores_of_options(rng: np.random.Generator, k: int) -> None:
    p = rng.dirichlet(np.full(k, 0.7), N)
    y = (rng.random((N, 1)) > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
    labels = list(range(k))
    for convention, half in ((BrierConvention.SUM, False), (BrierConvention.HALF, True)):
        theirs = metrics.brier_score_loss(y, p, labels=labels, scale_by_half=half)
        found = brier_options(p, y, convention=convention).value
        assert found == pytest.approx(theirs, rel=1e-12)
    theirs = metrics.log_loss(y, p, labels=labels)
    found = log_loss_options(p, y, clip=Clip("machine", np.finfo(float).eps)).value
    assert found == pytest.approx(theirs, rel=1e-10)
    order = tuple(map(str, labels))
    # theirs counts the options from 1, and does not divide
    assert rps_terms(p, y, order=order, normalised=False) == pytest.approx(
        rules.rps_score(y + 1, p), abs=1e-12
    )


def test_crps_of_samples_and_normals(rng: np.random.Generator) -> None:
    y, draws = rng.normal(size=300), rng.normal(size=(300, 25))
    assert crps_of_sample(draws, y) == pytest.approx(rules.crps_ensemble(y, draws), abs=1e-12)
    fair = rules.crps_ensemble(y, draws, estimator="fair")
    assert crps_of_sample(draws, y, fair=True) == pytest.approx(fair, abs=1e-12)
    mean, sd = rng.normal(size=300), rng.exponential(size=300)
    assert crps_of_normal(mean, sd, y) == pytest.approx(
        rules.crps_normal(y, mean, sd), abs=1e-12
    )


def test_pinball_and_quantiles(rng: np.random.Generator) -> None:
    levels = np.linspace(0.05, 0.95, 19)
    y = rng.normal(size=300)
    said = np.sort(rng.normal(size=(300, 19)), axis=1)
    assert crps_of_quantiles(said, levels, y) == pytest.approx(
        rules.crps_quantile(y, said, levels), abs=1e-12
    )
    for k in (0, 9, 18):
        theirs = metrics.mean_pinball_loss(y, said[:, k], alpha=levels[k])
        assert pinball(said, levels, y)[:, k].mean() == pytest.approx(theirs, abs=1e-12)


def test_crps_of_a_straight_distribution(rng: np.random.Generator) -> None:
    low, high = rng.normal(size=300), rng.exponential(size=300) + 0.1
    y = low + high * rng.random(300)
    points = np.column_stack([low, low + high])
    cdf = np.tile([0.0, 1.0], (300, 1))
    theirs = rules.crps_uniform(y, low, low + high)
    assert crps_of_cdf(points, cdf, y) == pytest.approx(theirs, abs=1e-12)
