"""Adjusted p-values against statsmodels."""

import gc

import numpy as np
import pytest

from arena.stats.comparisons.multiple import bh, bonferroni, holm

multitest = pytest.importorskip(
    "statsmodels.stats.multitest", reason="the verify group is not installed"
)

METHODS = {
    "bonferroni": bonferroni,
    "holm": holm,
    "fdr_bh": bh,
}


@pytest.fixture(scope="module", autouse=True)
def _objects_of_earlier_tests() -> None:
    """Leave them out of the collections of garbage, of which each of Holm's calls makes one."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("m", [1, 2, 3, 7, 40])
def test_adjusted_p_values_are_those_of_statsmodels(method: str, m: int) -> None:
    rng = np.random.default_rng(m)
    for p in (rng.random(m), rng.random(m) ** 4, rng.integers(0, 4, m) / 10):
        _, theirs, _, _ = multitest.multipletests(p, method=method)
        assert METHODS[method](p) == pytest.approx(theirs, abs=1e-12)
