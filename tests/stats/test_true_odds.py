import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.true_odds import cox, true_odds
from tests.present import present
from tests.vectors import case, near


def test_cox_calibration_of_an_overconfident_forecaster() -> None:
    known = case("06_nyberg_mnlogit", "binary_overconfident")
    it = cox(np.array(known["inputs"]["p"]), np.array(known["inputs"]["y"]))
    found = {
        "intercept": it.intercept,
        "slope": it.slope,
        "se": it.se,
        "ll": it.loglik_fitted,
        "ll0": it.loglik_stated,
        "lr": it.test.statistic,
        "df": it.test.df[0],
        "p": it.test.p,
        "calib_in_the_large": it.in_the_large,
        "lr_citl": it.level_test.statistic,
        "lr_slope_given_int": it.slope_test.statistic,
    }
    assert near(found, known["expected"], known["tol"], relative=True)


def test_three_way_odds_that_are_too_cautious() -> None:
    known = case("06_nyberg_mnlogit", "three_way_underconfident")
    it = true_odds(np.array(known["inputs"]["P"]), np.array(known["inputs"]["y"]))
    assert it.coefficients is not None
    assert it.se is not None
    found = {
        "ll_restricted": it.loglik_stated,
        "ll_unrestricted": it.loglik_fitted,
        "lr": it.likelihood_ratio.statistic,
        "df": it.likelihood_ratio.df[0],
        "p": it.likelihood_ratio.p,
        "params": it.coefficients.tolist(),
        "bse": it.se.tolist(),
        "wald": it.wald.statistic,
        "wald_p": it.wald.p,
        "ll_intercepts_only": it.loglik_constants,
    }
    assert near(found, known["expected"], known["tol"], relative=True)


def test_two_outcomes_are_coxs_test() -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, 150)
    y = (rng.random(150) < p).astype(np.intp)
    whole, binary = true_odds(np.column_stack([1 - p, p]), y), cox(p, y)
    assert whole.likelihood_ratio.statistic == pytest.approx(binary.test.statistic, abs=1e-9)
    assert whole.coefficients is not None
    assert whole.coefficients[0] == pytest.approx([binary.intercept, binary.slope])


def test_the_reference_does_not_change_the_likelihood_ratio() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet([2, 3, 4], 200)
    y = rng.integers(0, 3, 200)
    found = [true_odds(p, y, reference=r).likelihood_ratio.statistic for r in range(3)]
    assert found == pytest.approx([found[0]] * 3, abs=1e-7)


def test_the_two_parts_of_the_likelihood_ratio_add_up() -> None:
    rng = np.random.default_rng(3)
    it = cox(rng.random(80), rng.integers(0, 2, 80))
    parts = present(it.level_test.statistic) + present(it.slope_test.statistic)
    assert parts == pytest.approx(it.test.statistic)


@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.2, 0.4, 0.6], [1, 1, 1]),
        ([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1]),
        ([0.5, 0.5, 0.5], [0, 1, 1]),
    ],
)
def test_without_spread_or_with_separation_there_is_no_calibration(
    p: list[float], y: list[int]
) -> None:
    it = cox(np.array(p), np.array(y))
    assert (it.test.state, it.slope, it.test.p) == (State.NOT_ESTIMABLE, None, None)
    rows = np.column_stack([1 - np.array(p), p])
    assert true_odds(rows, np.array(y)).wald.state is State.NOT_ESTIMABLE


def test_no_forecast_is_no_test() -> None:
    none = np.empty(0, np.intp)
    assert cox(np.empty(0), none).test.state is State.EMPTY
    assert true_odds(np.empty((0, 3)), none).likelihood_ratio.state is State.EMPTY
