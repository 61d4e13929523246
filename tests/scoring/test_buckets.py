from math import log

import numpy as np
import pytest
from scipy import integrate

from arena.scoring.buckets import (
    bucket_of,
    bucket_probability,
    height_at,
    standard_cdf,
    with_uniform,
)
from arena.scoring.relative import baseline_bucket, baseline_density

FLAT = np.linspace(0, 1, 201)


def test_no_density_is_lower_than_the_uniform_share() -> None:
    x = np.linspace(0, 1, 1001)
    heights = with_uniform(2 * x)
    assert heights.min() == 0.01
    assert integrate.trapezoid(heights, x) == pytest.approx(1)


def test_a_flat_distribution_scores_0_against_the_baseline() -> None:
    given, inside = bucket_probability(standard_cdf([FLAT]), [0.3])
    assert baseline_bucket(given, inside=inside) == pytest.approx([0], abs=1e-9)
    assert baseline_density(height_at([FLAT], [0.3])) == pytest.approx([0], abs=1e-9)


def test_an_open_bound_keeps_some_mass_beyond_it() -> None:
    wide = standard_cdf(0.1 + 0.8 * FLAT, open_low=True, open_high=True)
    assert wide[[0, -1]] == pytest.approx([0.988 * 0.1 + 0.001, 0.988 * 0.9 + 0.011])
    given, inside = bucket_probability([wide, wide], [-5.0, 5.0])
    assert not inside.any()
    assert given == pytest.approx([0.0998, 0.0998])


def test_a_closed_bound_keeps_none() -> None:
    for low, high in ((False, False), (True, False), (False, True)):
        found = standard_cdf(0.1 + 0.8 * FLAT, open_low=low, open_high=high)
        assert (found[0] == 0, found[-1] == pytest.approx(1)) == (not low, not high)
        assert np.diff(found).min() >= 0.01 / 200


def test_the_least_bucket_is_a_hundredth_of_a_flat_one() -> None:
    step = (FLAT >= 0.5).astype(float)
    given, _ = bucket_probability([standard_cdf(step)], [0.9])
    assert given == pytest.approx([0.01 / 200])
    assert baseline_bucket(given, inside=True) == pytest.approx([50 * log(0.01)])


def test_a_bucket_holds_its_upper_edge() -> None:
    edges = np.arange(201) / 200
    assert bucket_of(edges, 200).tolist() == [1, *range(1, 201)]
    assert bucket_of([-1e-9, 1 + 1e-9, -np.inf], 200).tolist() == [0, 201, 0]


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(ValueError, match="rises within"):
        standard_cdf([0.5, 0.4])
    with pytest.raises(ValueError, match="rises within"):
        standard_cdf([0.5, np.nan])
    with pytest.raises(ValueError, match="two points"):
        standard_cdf([0.5])
    with pytest.raises(ValueError, match="some mass"):
        standard_cdf([0.5, 0.5])
    with pytest.raises(ValueError, match="each has one value"):
        bucket_probability([FLAT], [0.1, 0.2])
    with pytest.raises(ValueError, match="lies somewhere"):
        bucket_of(np.nan, 4)
    with pytest.raises(ValueError, match="at least one bucket"):
        bucket_of(0.5, 0)
    with pytest.raises(ValueError, match="no density"):
        height_at([FLAT], [2.0])
    with pytest.raises(ValueError, match="not negative"):
        with_uniform([-1.0])
    with pytest.raises(ValueError, match="a share"):
        with_uniform([1.0], share=2)
