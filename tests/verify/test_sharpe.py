"""Sharpe ratios against scipy's noncentral t and moments, and against simulation."""

from math import sqrt

import numpy as np
import pytest

from arena.stats.sharpe import lo_error, mertens_error, moments
from tests.present import present

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("seed", range(4))
def test_moments_are_scipys(seed: int) -> None:
    x = np.random.default_rng(seed).exponential(size=40)
    found = present(moments(x))
    expected = [x.std(ddof=1), stats.skew(x), stats.kurtosis(x, fisher=False)]
    assert np.allclose([found.sd, found.skew, found.kurtosis], expected)
    skew, excess = stats.skew(x, bias=False), stats.kurtosis(x, bias=False)
    shape = 1 - skew * found.sharpe + (excess + 2) / 4 * found.sharpe**2
    assert mertens_error(found, unbiased=True) == pytest.approx(sqrt(shape / 40))


def test_the_errors_are_those_of_simulated_ratios() -> None:
    rng = np.random.default_rng(1)
    normal = rng.standard_normal((6000, 100)) + 0.5
    skewed = rng.exponential(size=(6000, 100))
    by_rows = [x.mean(axis=1) / x.std(axis=1, ddof=1) for x in (normal, skewed)]
    assert by_rows[0].std() == pytest.approx(lo_error(0.5, 100), rel=0.05)
    whole = present(moments(skewed.ravel()))
    assert by_rows[1].std() == pytest.approx(mertens_error(whole) * sqrt(6000), rel=0.15)
