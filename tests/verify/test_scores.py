"""Our scores against scikit-learn, scoringrules and NumPy's plain formulas, on random rows."""

import numpy as np
import pytest

from arena.scoring.logarithmic import Clip, log_option_terms, log_terms
from arena.scoring.proper import brier_option_terms, brier_terms, rps_terms

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
    y = (rng.random(N) < p).astype(int)
    assert brier_terms(p, y).mean() == pytest.approx(metrics.brier_score_loss(y, p), rel=1e-12)
    assert brier_terms(p, y) == pytest.approx(rules.brier_score(y, p), abs=1e-15)
    loss = log_terms(p, y, clip=Clip.NONE).mean()
    assert loss == pytest.approx(metrics.log_loss(y, p), rel=1e-10)
    terms = rules.log_score(y, p)
    assert loss == pytest.approx(np.mean(terms), rel=1e-10)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_scores_of_options(rng: np.random.Generator, k: int) -> None:
    p = rng.dirichlet(np.full(k, 0.7), N)
    y = (rng.random((N, 1)) > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
    labels = list(range(k))
    theirs = metrics.brier_score_loss(y, p, labels=labels, scale_by_half=False)
    assert brier_option_terms(p, y).mean() == pytest.approx(theirs, rel=1e-12)
    theirs = metrics.log_loss(y, p, labels=labels)
    found = log_option_terms(p, y, clip=Clip("machine", np.finfo(float).eps)).mean()
    assert found == pytest.approx(theirs, rel=1e-10)
    order = tuple(map(str, labels))
    # theirs counts the options from 1, and does not divide
    assert rps_terms(p, y, order=order, normalised=False) == pytest.approx(
        rules.rps_score(y + 1, p), abs=1e-12
    )
