"""Sharpe ratios against scipy's moments, and against simulation."""

from math import sqrt

import numpy as np
import pytest

from arena.stats.sharpe import mertens_error, moments
from tests.present import present

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("seed", range(4))
def test_moments_are_scipys(seed: int) -> None:
    x = np.random.default_rng(seed).exponential(size=40)
    found = present(moments(x))
    expected = [x.std(ddof=1), stats.skew(x), stats.kurtosis(x, fisher=False)]
    assert np.allclose([found.sd, found.skew, found.kurtosis], expected)


def test_the_error_is_that_of_simulated_ratios() -> None:
    skewed = np.random.default_rng(1).exponential(size=(6000, 100))
    ratios = skewed.mean(axis=1) / skewed.std(axis=1, ddof=1)
    whole = present(moments(skewed.ravel()))
    assert ratios.std() == pytest.approx(mertens_error(whole) * sqrt(6000), rel=0.15)
