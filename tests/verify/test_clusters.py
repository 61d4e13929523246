"""Clustered standard errors against statsmodels."""

import numpy as np
import pytest

from arena.records.estimate import Sided
from arena.stats.cluster_ols import (
    Correction,
    cluster_covariance,
    cluster_ols,
    two_way_covariance,
)
from arena.stats.clusters import Kind, mean_test
from arena.stats.pairs import all_pairs, paired, panel
from arena.stats.twoway import two_way_variance
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
    found = mean_test(y, events, kind=Kind.CR1)
    told = [found.estimate, found.se, found.statistic, found.p]
    expected = [oracle.params[0], oracle.bse[0], oracle.tvalues[0], oracle.pvalues[0]]
    assert near(told, expected, 1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_clustered_coefficients(seed: int) -> None:
    x, y, events, _ = _sample(seed)
    found = cluster_ols(x, y, events, Kind.CR0)
    plain = sm.OLS(y, x).fit(
        cov_type="cluster", cov_kwds={"groups": events, "use_correction": False}
    )
    corrected = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": events})
    left = y - x @ found.values
    both = cluster_covariance(x, left, events, Correction(count_coefficients=True))
    assert np.allclose(found.covariance, plain.cov_params(), rtol=1e-9, atol=1e-14)
    assert np.allclose(both, corrected.cov_params(), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_two_ways_without_corrections(seed: int) -> None:
    x, y, events, days = _sample(seed)
    groups = np.column_stack([events, days])
    oracle = sm.OLS(y, x).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    left = y - x @ cluster_ols(x, y, events).values
    found = two_way_covariance(x, left, events, days, Correction(Kind.CR0))
    assert np.allclose(found, oracle.cov_params(), rtol=1e-9, atol=1e-14)
    mean = sm.OLS(y, np.ones(y.size)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    variance = two_way_variance(y, events, days, Kind.CR0)
    assert np.isclose(variance, mean.cov_params()[0, 0], rtol=1e-9)


@pytest.mark.parametrize("sided", list(Sided))
def test_without_events_it_is_the_paired_t_test(sided: Sided) -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random((2, 35))
    oracle = stats.ttest_rel(one, other, alternative=sided.value)
    found = mean_test(one - other, range(35), sided=sided)
    assert near([found.statistic, found.p], [oracle.statistic, oracle.pvalue], 1e-10)
    band = paired(one, other).interval
    expected = stats.ttest_rel(one, other).confidence_interval(0.95)
    assert band is not None
    assert np.allclose([band.low, band.high], [expected.low, expected.high])


def test_pairs_with_gaps_are_regressions_of_common_questions() -> None:
    rng = np.random.default_rng(4)
    who, question = np.repeat(np.arange(4), 80), np.tile(np.arange(80), 4)
    keep = rng.random(320) < 0.8
    loss, who, question = rng.random(320)[keep], who[keep], question[keep]
    events = question // 3
    for pair in all_pairs(panel(loss, who, question, events), kind=Kind.CR1):
        at = [dict(zip(question[who == c], loss[who == c], strict=True)) for c in range(4)]
        common = sorted(at[pair.first].keys() & at[pair.second].keys())
        d = np.array([at[pair.first][q] - at[pair.second][q] for q in common])
        oracle = sm.OLS(d, np.ones(d.size)).fit(
            cov_type="cluster", cov_kwds={"groups": np.array(common) // 3}, use_t=True
        )
        expected = [oracle.bse[0], oracle.pvalues[0]]
        assert near([pair.test.se, pair.test.p], expected, 1e-10)
