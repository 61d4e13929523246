"""Resampling against scipy and arch."""

import numpy as np
import pytest

from arena.stats.bootstrap import (
    BootstrapMethod,
    BootstrapOptions,
    cluster_bootstrap,
    cluster_jackknife,
    sign_flip,
)
from arena.stats.replicates import basic, bca, percentile
from tests.stats.intervals import ends

stats = pytest.importorskip("scipy.stats")
arch = pytest.importorskip("arch.bootstrap", reason="the verify group is not installed")


@pytest.mark.parametrize("level", [0.8, 0.9, 0.99])
@pytest.mark.parametrize("seed", range(4))
def test_intervals_from_the_replicates_of_scipy(seed: int, level: float) -> None:
    x = np.random.default_rng(seed).exponential(size=23)
    theta, jackknife = float(x.mean()), cluster_jackknife(x, np.ones(23))
    for method in ("percentile", "basic", "bca"):
        oracle = stats.bootstrap(
            (x,),
            np.mean,
            n_resamples=700,
            confidence_level=level,
            method=method,
            rng=np.random.default_rng(seed),
        )
        replicates = oracle.bootstrap_distribution
        found = {
            "percentile": percentile(replicates, level),
            "basic": basic(replicates, theta, level),
            "bca": bca(replicates, theta, jackknife, level),
        }[method]
        assert np.allclose(ends(found), list(oracle.confidence_interval), rtol=1e-10)


@pytest.mark.parametrize(
    "method", [BootstrapMethod.PERCENTILE, BootstrapMethod.BASIC, BootstrapMethod.BCA]
)
def test_rows_of_their_own_are_resampled_as_scipy_does(method: BootstrapMethod) -> None:
    x = np.random.default_rng(1).exponential(size=60)
    oracle = stats.bootstrap(
        (x,), np.mean, n_resamples=20_000, method=method.lower(), rng=np.random.default_rng(2)
    )
    options = BootstrapOptions(method, draws=20_000)
    found = cluster_bootstrap(x, range(60), np.random.default_rng(3), options)
    low, high = oracle.confidence_interval
    assert ends(found.interval) == pytest.approx([low, high], abs=0.03 * (high - low))
    assert found.se == pytest.approx(oracle.standard_error, rel=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_signs_flipped_as_scipy_permutes_them(seed: int) -> None:
    d = np.random.default_rng(seed).standard_normal(10) + 0.3
    oracle = stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False
    )
    found = sign_flip(d, np.random.default_rng(0))
    assert found.p == pytest.approx(oracle.pvalue)
