"""Logit fits, sandwich covariances and calibration against statsmodels and scipy."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize

from arena.stats.regression.efficiency import (
    efficiency_design,
    market_efficiency,
    two_sided,
)
from arena.stats.regression.encompassing import true_odds
from arena.stats.regression.logit import fit, likelihood, log_odds
from arena.stats.regression.wald import clustered, hc0

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

sm = pytest.importorskip("statsmodels.api", reason="the verify group is not installed")


def rows(n: int, seed: int) -> tuple[Floats, Floats, Whole]:
    rng = np.random.default_rng(seed)
    market, model = rng.dirichlet([3, 2, 3], n), rng.dirichlet([3, 2, 3], n)
    mixed = (market + model) / 2
    came = (mixed.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return model, market, np.minimum(came, 2)


def yes_no(n: int, seed: int) -> tuple[Floats, Floats, Whole]:
    rng = np.random.default_rng(seed)
    market = rng.uniform(0.05, 0.95, n)
    model = np.clip(market + rng.normal(0, 0.15, n), 0.02, 0.98)
    return model, market, (rng.random(n) < (market + model) / 2).astype(np.intp)


@pytest.mark.parametrize("seed", range(4))
def test_three_way_odds_are_statsmodels_mnlogit(seed: int) -> None:
    p, _, came = rows(250, seed)
    x = sm.add_constant(np.log(p[:, 1:] / p[:, :1]))
    theirs = sm.MNLogit(came, x).fit(disp=0, method="newton", tol=1e-12)
    stated = theirs.model.loglike(np.eye(2, 3, 1).T)
    assert true_odds(p, came).statistic == pytest.approx(2 * (theirs.llf - stated), abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_binary_efficiency_is_two_logits_of_statsmodels(seed: int) -> None:
    model, market, came = yes_no(200, seed)
    event = np.arange(200) // 4
    small = sm.add_constant(log_odds(market, 1e-6))
    large = np.column_stack([small, log_odds(model, 1e-6)])
    full, base = (sm.Logit(came, x).fit(disp=0, tol=1e-12) for x in (large, small))
    ours = market_efficiency(
        two_sided(model), two_sided(market), came, reference=0, event=event
    )
    assert ours.test.statistic == pytest.approx(2 * (full.llf - base.llf), abs=1e-8)
    assert ours.beta == pytest.approx(full.params, rel=1e-6)
    assert ours.wald["model"].statistic == pytest.approx(full.tvalues[2] ** 2, rel=1e-6)
    white = sm.Logit(came, large).fit(disp=0, tol=1e-12, cov_type="HC0")
    assert ours.wald["hc0"].statistic == pytest.approx(white.tvalues[2] ** 2, rel=1e-6)
    design = efficiency_design(
        np.column_stack([1 - model, model]),
        np.column_stack([1 - market, market]),
        came,
        reference=0,
    )
    own = fit(design)
    theirs = sm.Logit(came, large).fit(
        disp=0,
        tol=1e-12,
        cov_type="cluster",
        cov_kwds={"groups": event, "use_correction": False},
    )
    assert clustered(own, design.x, event) * 49 / 50 == pytest.approx(
        theirs.cov_params(), rel=1e-6
    )
    assert hc0(own, design.x) == pytest.approx(white.cov_params(), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_own_log_odds_are_fitted_as_by_a_general_search(seed: int) -> None:
    model, market, came = rows(150, seed)
    design = efficiency_design(model, market, came, reference=1)

    def loss(beta: Floats) -> float:
        return -likelihood(design, beta)[0]

    found = optimize.minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-6})
    ours = market_efficiency(model, market, came)
    assert ours.loglik_full == pytest.approx(-found.fun, abs=1e-7)
    assert ours.beta == pytest.approx(found.x, abs=1e-3)
