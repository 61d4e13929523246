from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.special import ndtr

from arena.scoring.numeric import crps_of_cdf

RNG = np.random.default_rng(11)
numbers = st.floats(-100, 100)


def test_a_straight_distribution_scores_as_its_integral() -> None:
    uniform = [[0.0, 0.25, 1.0]]
    found = crps_of_cdf([0.0, 1.0, 4.0], uniform, [2.0]).item()
    x = np.linspace(0, 4, 400_001)
    gap = (np.interp(x, [0, 1, 4], uniform[0]) - (x >= 2)) ** 2
    assert found == pytest.approx(gap[:-1].mean() * 4, abs=1e-4)
    own_points = crps_of_cdf([[0.0, 1.0, 4.0]] * 2, uniform * 2, [2.0, 2.0])
    assert own_points == pytest.approx([found, found])


def test_beyond_the_range_only_the_range_counts() -> None:
    points, cdf = [0.0, 1.0], [[0.2, 0.9]]
    at_end = crps_of_cdf(points, cdf, [1.0]).item()
    assert crps_of_cdf(points, cdf, [7.0]).item() == at_end
    assert at_end == pytest.approx((0.04 + 0.18 + 0.81) / 3)


def test_what_is_no_numeric_forecast_is_refused() -> None:
    with pytest.raises(ValueError, match="and rise"):
        crps_of_cdf([0.0, 0.0], [[0.0, 1.0]], [0.0])
    with pytest.raises(ValueError, match="rises within"):
        crps_of_cdf([0.0, 1.0], [[0.6, 0.5]], [0.0])
    with pytest.raises(ValueError, match="rises within"):
        crps_of_cdf([0.0, 1.0], [[0.5, 1.5]], [0.0])
    with pytest.raises(ValueError, match="one point"):
        crps_of_cdf([0.0, 0.5, 1.0], [[0.5, 1.0]], [0.0])


def test_a_fine_cdf_of_the_normal_scores_as_its_formula() -> None:
    y = np.array([-1.3, 0.0, 0.4, 2.5])
    density = np.exp(-(y**2) / 2) / sqrt(2 * pi)
    exact = y * (2 * ndtr(y) - 1) + 2 * density - 1 / sqrt(pi)
    points = np.linspace(-9, 9, 3001)
    found = crps_of_cdf(points, np.tile(ndtr(points), (4, 1)), y)
    assert found == pytest.approx(exact, abs=1e-5)


def test_no_forecast_has_no_score() -> None:
    assert crps_of_cdf([0.0, 1.0], np.empty((0, 2)), []).size == 0
