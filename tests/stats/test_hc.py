import numpy as np
import pytest
from numpy.typing import NDArray

from arena.stats.hc import HC, covariance, least_squares
from arena.stats.wald import Sample, wald
from tests.vectors import case, near

Floats = NDArray[np.float64]


def test_every_covariance_of_r_sandwich() -> None:
    known = case("07_hc_wald_cluster", "n80_16clusters")
    given, expected = known["inputs"], known["expected"]
    x = np.column_stack([np.ones(80), np.array(given["X"])])
    fit = least_squares(x, np.array(given["y"], np.float64))
    assert near(fit.coefficients.tolist(), expected["coef"], known["tol"], relative=True)
    for kind in HC:
        found = covariance(fit, kind).tolist()
        assert near(found, expected[kind.value], known["tol"], relative=True)
    slopes, v = fit.coefficients[1:], covariance(fit, HC.HC3)[1:, 1:]
    f = wald(slopes, v, np.zeros(2), Sample(80, 80, fit.residual_df))
    chi2 = wald(slopes, v, np.zeros(2), Sample(80, 80))
    found_tests = {
        "wald_F": f.statistic,
        "wald_F_p": f.p,
        "wald_chi2": chi2.statistic,
        "wald_chi2_p": chi2.p,
    }
    tests = {key: expected[key] for key in found_tests}
    assert near(found_tests, tests, known["tol"], relative=True)


def test_outcomes_regressed_on_forecasts_have_constant_zero_and_slope_one() -> None:
    known = case("07_hc_wald_cluster", "mincer_zarnowitz_HC3")
    p = np.array(known["inputs"]["p"])
    fit = least_squares(
        np.column_stack([np.ones(p.size), p]), np.array(known["inputs"]["y"], np.float64)
    )
    v = covariance(fit)
    known_line = np.array([0.0, 1.0])
    chi2 = wald(fit.coefficients, v, known_line, Sample(p.size, p.size))
    f = wald(fit.coefficients, v, known_line, Sample(p.size, p.size, fit.residual_df))
    found = {
        "coef": fit.coefficients.tolist(),
        "V_HC3": v.tolist(),
        "wald_chi2": chi2.statistic,
        "wald_p": chi2.p,
        "F": f.statistic,
        "F_p": f.p,
    }
    assert near(found, known["expected"], known["tol"], relative=True)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([[1.0], [1.0]], [1.0]),
        ([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], [1.0, 2.0, 3.0]),
        ([[1.0, 2.0], [1.0, 3.0]], [1.0, 2.0]),
        ([[1.0], [np.nan]], [1.0, 2.0]),
        ([1.0, 2.0], [1.0, 2.0]),
    ],
)
def test_a_regression_without_an_answer_is_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match=r"regression|determine"):
        least_squares(np.array(x), np.array(y))


def test_a_row_that_decides_alone_has_no_leave_one_out_error() -> None:
    x = np.column_stack([np.ones(4), np.array([0.0, 0.0, 0.0, 1.0])])
    fit = least_squares(x, np.array([1.0, 2.0, 4.0, 3.0]))
    assert covariance(fit, HC.HC0).shape == (2, 2)
    with pytest.raises(ValueError, match="alone"):
        covariance(fit, HC.HC3)
