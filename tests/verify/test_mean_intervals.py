"""Clustered standard errors against statsmodels."""

import numpy as np
import pytest

from arena.stats.mean_intervals import ClusterCorrection, interval, mean_test
from tests.stats.intervals import ends
from tests.vectors import near

sm = pytest.importorskip("statsmodels.api", reason="the verify group is not installed")
stats = pytest.importorskip("scipy.stats")


def _sample(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    events, days = rng.integers(0, 14, 150), rng.integers(0, 9, 150)
    x = np.column_stack([np.ones(150), rng.standard_normal((150, 2))])
    y = x @ [0.3, 1.0, -0.5] + rng.standard_normal(14)[events] + rng.standard_normal(150)
    return x, y, events, days


@pytest.mark.parametrize("seed", range(5))
def test_the_clustered_mean_is_a_regression_on_ones(seed: int) -> None:
    _, y, events, _ = _sample(seed)
    oracle = sm.OLS(y, np.ones(y.size)).fit(
        cov_type="cluster", cov_kwds={"groups": events}, use_t=True
    )
    found = mean_test(y, events, kind=ClusterCorrection.CR1)
    told = [found.estimate, found.se, found.statistic, found.p]
    expected = [oracle.params[0], oracle.bse[0], oracle.tvalues[0], oracle.pvalues[0]]
    assert near(told, expected, 1e-10)


def test_without_events_it_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random((2, 35))
    oracle = stats.ttest_rel(one, other)
    found = mean_test(one - other, range(35))
    assert near([found.statistic, found.p], [oracle.statistic, oracle.pvalue], 1e-10)
    expected = oracle.confidence_interval(0.95)
    found_ends = ends(interval(one - other, range(35)).interval)
    assert found_ends == pytest.approx([expected.low, expected.high])
