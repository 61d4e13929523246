"""Curves that are crossed at any time with a small probability."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.stats.boundaries import (
    gamma_exponential_bound,
    log_gamma_mixture,
    mixture_rho,
)

Curve = Callable[[float], NDArray[np.float64]]

TIMES = np.array([0.0, 0.5, 1, 5, 10, 50, 200, 10_000])


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


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: mixture_rho(0, 0.05),
        lambda: mixture_rho(1, 1.0),
        lambda: gamma_exponential_bound(TIMES, 0.0, v_opt=1, c=1, alpha_opt=0.05),
        lambda: gamma_exponential_bound(TIMES, 0.05, v_opt=1, c=0, alpha_opt=0.05),
    ],
)
def test_nonsense_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"level|time|scale"):
        wrong()
