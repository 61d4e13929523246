"""Logit fits, sandwich covariances and calibration against statsmodels and scipy."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize

from arena.stats.efficiency import binary_efficiency, efficiency_design, market_efficiency
from arena.stats.encompassing import binary_encompassing
from arena.stats.hc import HC, covariance, least_squares
from arena.stats.logit import fit, likelihood, log_odds
from arena.stats.true_odds import cox, true_odds
from arena.stats.wald import clustered, hc0

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
    ours = true_odds(p, came)
    assert ours.loglik_fitted == pytest.approx(theirs.llf, abs=1e-9)
    assert ours.loglik_constants == pytest.approx(theirs.llnull, abs=1e-6)
    assert ours.coefficients == pytest.approx(np.asarray(theirs.params).T, rel=1e-6, abs=1e-8)
    assert ours.se == pytest.approx(np.asarray(theirs.bse).T, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_binary_efficiency_is_two_logits_of_statsmodels(seed: int) -> None:
    model, market, came = yes_no(200, seed)
    event = np.arange(200) // 4
    small = sm.add_constant(log_odds(market, 1e-6))
    large = np.column_stack([small, log_odds(model, 1e-6)])
    full, base = (sm.Logit(came, x).fit(disp=0, tol=1e-12) for x in (large, small))
    ours = binary_efficiency(model, market, came, event=event)
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


@pytest.mark.parametrize("seed", range(3))
def test_cox_and_the_weight_are_statsmodels_glm_with_an_offset(seed: int) -> None:
    model, market, came = yes_no(180, seed)
    binomial = sm.families.Binomial()
    ours, theirs = log_odds(model, 1e-6), log_odds(market, 1e-6)
    line = sm.GLM(came, sm.add_constant(ours), family=binomial).fit(tol=1e-12)
    large = sm.GLM(came, np.ones(180), family=binomial, offset=ours).fit(tol=1e-12)
    found = cox(model, came)
    assert (found.intercept, found.slope) == pytest.approx(tuple(line.params), rel=1e-6)
    assert found.se == pytest.approx(tuple(line.bse), rel=1e-6)
    assert found.in_the_large == pytest.approx(large.params[0], abs=1e-8)
    share = sm.GLM(came, ours - theirs, family=binomial, offset=theirs).fit(tol=1e-12)
    weight = binary_encompassing(model, market, came).weight
    assert (weight.value, weight.se) == pytest.approx((share.params[0], share.bse[0]), rel=1e-6)


@pytest.mark.parametrize("kind", [HC.CONST, HC.HC0, HC.HC1, HC.HC2, HC.HC3])
def test_least_squares_is_that_of_statsmodels(kind: HC) -> None:
    rng = np.random.default_rng(4)
    x = np.column_stack([np.ones(60), rng.standard_normal((60, 3))])
    y = x @ [1.0, 0.5, 0.0, -1.0] + rng.standard_normal(60) * (1 + np.abs(x[:, 1]))
    word = "nonrobust" if kind is HC.CONST else kind.value
    theirs = sm.OLS(y, x).fit(cov_type=word)
    ours = least_squares(x, y)
    assert ours.coefficients == pytest.approx(theirs.params, abs=1e-12)
    assert covariance(ours, kind) == pytest.approx(theirs.cov_params(), abs=1e-13)
