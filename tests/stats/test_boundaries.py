"""Curves that are crossed at any time with a small probability."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.stats.boundaries import (
    gamma_exponential_bound,
    log_gamma_mixture,
    mixture_rho,
    normal_mixture_bound,
    poly_stitching_bound,
)
from tests.vectors import case, near

Curve = Callable[[float], NDArray[np.float64]]

TIMES = np.array([0.0, 0.5, 1, 5, 10, 50, 200, 10_000])


def test_uniform_boundaries_of_another_hand() -> None:
    known = case("13_anytime_valid", "uniform_boundaries")
    given, expected = known["inputs"], known["expected"]
    v = np.array(given["v"], dtype=float)
    both, one, v_opt = given["alpha_two_sided"], given["alpha_one_sided"], given["v_opt"]

    found = {
        "normal_mixture_two_sided": normal_mixture_bound(v, both, v_opt=v_opt, alpha_opt=both),
        "normal_mixture_one_sided": normal_mixture_bound(
            v, one, v_opt=v_opt, alpha_opt=one, two_sided=False
        ),
        "poly_stitching": poly_stitching_bound(v, one, v_min=v_opt, c=2),
    }
    for name, curve in found.items():
        assert near(curve.tolist(), list(expected[name].values()), known["tol"], relative=True)
    for c in (0.5, 1.0, 2.0):
        curve = gamma_exponential_bound(v, one, v_opt=v_opt, c=c, alpha_opt=one)
        wanted = [expected["gamma_exponential"][f"{at}_c{c}"] for at in v.tolist()]
        assert near(curve.tolist(), wanted, known["tol"], relative=True)


def test_a_mixture_bound_is_where_the_wealth_reaches_one_over_alpha() -> None:
    rho = mixture_rho(3.0, 0.04)
    bound = gamma_exponential_bound(TIMES, 0.02, v_opt=3, c=1.5, alpha_opt=0.02)
    wealth = log_gamma_mixture(bound, TIMES, rho=rho, c=1.5)
    assert np.allclose(wealth, np.log(50), rtol=0, atol=1e-9)


def test_wealth_never_jumps_where_the_closed_form_underflows() -> None:
    v = np.full(4000, 900.0)
    s = np.linspace(-902, 100, 4000)
    wealth = log_gamma_mixture(s, v, rho=1.3, c=1.0)
    assert np.all(np.isfinite(wealth))
    assert np.all(np.diff(wealth) >= -1e-9)
    assert np.max(np.diff(wealth)) < 0.3


def test_wealth_below_the_closed_form_is_the_bound() -> None:
    r, a = 0.5, 2.5
    low = log_gamma_mixture(np.array([-5.0]), np.array([2.0]), rho=r, c=1.0)
    edge = log_gamma_mixture(np.array([-2.5 + 1e-12]), np.array([2.0]), rho=r, c=1.0)
    assert low[0] == pytest.approx(edge[0], abs=1e-9)
    assert low[0] < -np.log(a)


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.001])
def test_every_curve_rises_with_time_and_with_confidence(alpha: float) -> None:
    curves: list[Curve] = [
        lambda a: normal_mixture_bound(TIMES, a, v_opt=10, alpha_opt=0.05),
        lambda a: normal_mixture_bound(TIMES, a, v_opt=10, alpha_opt=0.05, two_sided=False),
        lambda a: gamma_exponential_bound(TIMES, a, v_opt=10, c=2, alpha_opt=0.05),
        lambda a: poly_stitching_bound(TIMES, a, v_min=10, c=2),
    ]
    for curve in curves:
        assert np.all(np.diff(curve(alpha)) >= 0)
        assert np.all(curve(alpha / 2) > curve(alpha))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: mixture_rho(0, 0.05),
        lambda: mixture_rho(1, 1.0),
        lambda: normal_mixture_bound(np.array([-1.0]), 0.05, v_opt=1, alpha_opt=0.05),
        lambda: normal_mixture_bound(np.array([np.nan]), 0.05, v_opt=1, alpha_opt=0.05),
        lambda: gamma_exponential_bound(TIMES, 0.0, v_opt=1, c=1, alpha_opt=0.05),
        lambda: gamma_exponential_bound(TIMES, 0.05, v_opt=1, c=0, alpha_opt=0.05),
        lambda: poly_stitching_bound(TIMES, 0.05, v_min=1, epochs=(1.0, 2.0)),
    ],
)
def test_nonsense_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"level|time|scale|stitching"):
        wrong()
