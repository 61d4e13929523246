"""Tests of equal losses, long-run variances and power against other implementations."""

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.records.estimate import Sided
from arena.stats.comparisons.power import (
    Guess,
    PowerPlan,
    events_for_t,
    power_of_t,
)
from arena.stats.diebold_mariano import dm_newey_west, dm_textbook
from arena.stats.longrun import autocovariances

Floats = NDArray[np.float64]

REASON = "the verify group is not installed"
tsa = pytest.importorskip("statsmodels.tsa.stattools", reason=REASON)
linear = pytest.importorskip("statsmodels.regression.linear_model", reason=REASON)
planned = pytest.importorskip("statsmodels.stats.power", reason=REASON)
dieboldmariano = pytest.importorskip("dieboldmariano", reason=REASON)


def errors(n: int, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, n), rng.normal(0, 1.1, n)


@pytest.mark.parametrize(("n", "seed"), [(15, 1), (64, 2), (300, 3)])
def test_newey_west_is_that_of_statsmodels(n: int, seed: int) -> None:
    a, b = errors(n, seed)
    zero = np.zeros(n)
    for lags in (None, 0, 3):
        theirs = tsa.diebold_mariano_test(zero, a, b, lags=lags, horizon=1, harvey_adj=False)
        ours = dm_newey_west(a**2 - b**2, lags)
        assert ours.test.statistic == pytest.approx(theirs.statistic, rel=1e-10)
        assert ours.test.p == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("horizon", [1, 2, 5])
def test_the_textbook_form_is_that_of_dieboldmariano(seed: int, horizon: int) -> None:
    a, b = errors(50, seed)
    statistic, p = dieboldmariano.dm_test(
        [0.0] * 50, a.tolist(), b.tolist(), h=horizon, variance_estimator="acf"
    )
    ours = dm_textbook(a**2 - b**2, horizon)
    assert ours.test.statistic == pytest.approx(statistic, rel=1e-9)
    assert ours.test.p == pytest.approx(p, rel=1e-6)


def test_autocovariances_are_those_of_statsmodels() -> None:
    x = np.random.default_rng(1).standard_normal(60).cumsum()
    assert autocovariances(x, 20) == pytest.approx(tsa.acovf(x, nlag=20, fft=False))


@pytest.mark.parametrize("sided", [Sided.TWO, Sided.GREATER])
@pytest.mark.parametrize("effect", [0.1, 0.5, 1.2])
def test_the_power_of_a_t_test_is_that_of_statsmodels(sided: Sided, effect: float) -> None:
    word = {Sided.TWO: "two-sided", Sided.GREATER: "larger"}[sided]
    theirs = planned.TTestPower()
    plan, guess = PowerPlan(sided=sided), Guess(effect, 1.0)
    for n in (5, 30, 200):
        expected = theirs.power(effect, n, 0.05, alternative=word)
        assert power_of_t(guess, n, plan) == pytest.approx(expected, abs=1e-7)
    needed = theirs.solve_power(effect, None, 0.05, 0.8, word)
    assert events_for_t(guess, plan) == np.ceil(needed)
