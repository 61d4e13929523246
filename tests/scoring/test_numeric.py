from math import inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from arena.scoring.numeric import (
    crps_of_cdf,
    crps_of_normal,
    crps_of_quantiles,
    crps_of_sample,
    density_log_terms,
    pinball,
)

RNG = np.random.default_rng(11)
numbers = st.floats(-100, 100)


def test_a_single_number_scores_its_distance() -> None:
    assert crps_of_sample([[3.0]], [5.0]).tolist() == [2]
    assert crps_of_sample([[3.0, 3.0]], [5.0], fair=True).tolist() == [2]
    assert crps_of_normal(3.0, 0.0, [5.0, 1.0]).tolist() == [2, 2]


@given(draws=st.lists(numbers, min_size=2, max_size=12), y=numbers)
def test_the_score_of_a_sample_is_the_double_sum(draws: list[float], y: float) -> None:
    x = np.array(draws)
    m, off, spread = x.size, np.abs(x - y).mean(), np.abs(x[:, None] - x).sum()
    plain, fair = (crps_of_sample([x], [y], fair=f).item() for f in (False, True))
    assert plain == pytest.approx(off - spread / (2 * m**2), abs=1e-10)
    assert fair == pytest.approx(off - spread / (2 * m * (m - 1)), abs=1e-10)


def test_a_large_sample_a_normal_its_cdf_and_its_quantiles_score_alike() -> None:
    y = np.array([-1.3, 0.0, 0.4, 2.5])
    exact = crps_of_normal(0.0, 1.0, y)
    assert exact[1] == pytest.approx((sqrt(2) - 1) / sqrt(pi), abs=1e-15)
    levels = (np.arange(4000) + 0.5) / 4000
    quantiles = np.tile(ndtri(levels), (4, 1))
    assert crps_of_quantiles(quantiles, levels, y) == pytest.approx(exact, abs=1e-3)
    assert crps_of_sample(quantiles, y) == pytest.approx(exact, abs=1e-3)
    points = np.linspace(-9, 9, 3001)
    assert crps_of_cdf(points, np.tile(ndtr(points), (4, 1)), y) == pytest.approx(
        exact, abs=1e-5
    )


def test_the_fair_score_does_not_depend_on_the_number_of_draws() -> None:
    y = RNG.normal(size=20_000)
    few = crps_of_sample(RNG.normal(size=(20_000, 2)), y, fair=True).mean()
    plain = crps_of_sample(RNG.normal(size=(20_000, 2)), y).mean()
    truth = crps_of_normal(0.0, 1.0, y).mean()
    assert few == pytest.approx(truth, abs=0.02)
    assert plain > truth + 0.2


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


def test_pinball_is_least_at_the_quantile() -> None:
    y = RNG.exponential(size=4001)
    grid = np.sort(y)
    losses = [pinball(np.full((y.size, 1), q), [0.8], y).mean() for q in grid[::20]]
    assert grid[::20][int(np.argmin(losses))] == pytest.approx(np.quantile(y, 0.8), abs=0.02)


def test_a_density_may_score_below_0_and_0_infinitely_badly() -> None:
    assert density_log_terms([2.0, 0.0]).tolist() == [-log(2), inf]
    assert density_log_terms([0.0], floor=0.01).tolist() == [-log(0.01)]


def test_what_is_no_numeric_forecast_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        crps_of_sample([[np.nan]], [0.0])
    with pytest.raises(ValueError, match="too small"):
        crps_of_sample([[1.0]], [0.0], fair=True)
    with pytest.raises(ValueError, match="too small"):
        crps_of_sample(np.empty((1, 0)), [0.0])
    with pytest.raises(ValueError, match="one outcome"):
        crps_of_sample([[1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="not negative"):
        crps_of_normal(0.0, -1.0, [0.0])
    with pytest.raises(ValueError, match="and rise"):
        crps_of_cdf([0.0, 0.0], [[0.0, 1.0]], [0.0])
    with pytest.raises(ValueError, match="rises within"):
        crps_of_cdf([0.0, 1.0], [[0.6, 0.5]], [0.0])
    with pytest.raises(ValueError, match="rises within"):
        crps_of_cdf([0.0, 1.0], [[0.5, 1.5]], [0.0])
    with pytest.raises(ValueError, match="one point"):
        crps_of_cdf([0.0, 0.5, 1.0], [[0.5, 1.0]], [0.0])
    with pytest.raises(ValueError, match="a level"):
        pinball([[1.0]], [1.0], [0.0])
    with pytest.raises(ValueError, match="at least one quantile"):
        crps_of_quantiles(np.empty((1, 0)), [], [0.0])
    with pytest.raises(ValueError, match="not negative"):
        density_log_terms([-1.0])
    with pytest.raises(ValueError, match="a floor"):
        density_log_terms([1.0], floor=0.0)


def test_no_forecast_has_no_score() -> None:
    assert crps_of_sample(np.empty((0, 3)), []).size == 0
    assert crps_of_normal([], [], []).size == 0
    assert crps_of_cdf([0.0, 1.0], np.empty((0, 2)), []).size == 0
