"""Diebold and Mariano's test for every pair of contestants at once.

The long-run variance of a difference is O_ii + O_jj - 2 O_ij, where O is the long-run
covariance of all losses: one matrix serves every pair.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from arena.records.estimate import State, Test
from arena.stats.difference import cube_root_lags, hln_factor
from arena.stats.longrun import bartlett, bartlett_weights
from arena.stats.spread import ROUNDING, no_spread

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

CANCELLED: Final = 1e-6
NAME: Final = "Diebold-Mariano, Newey-West, all pairs"


@dataclass(frozen=True, slots=True, eq=False)
class AllPairs:
    """Two-sided tests of all k(k-1)/2 pairs of columns, (k(k-1)/2,) each.

    Pair r compares `first[r]` with `second[r]`, and `mean[r]` is the first one's loss less
    the second one's. `variance` is that of this mean, 0 for a pair in `flat` that differs
    by a constant or not at all. Such a pair has NaN in `statistic`, and in `p` a 1 if the
    two are equal and NaN if not; `test` has None in their place.
    """

    n: int
    first: Whole
    second: Whole
    mean: Floats
    variance: Floats
    statistic: Floats
    p: Floats
    df: tuple[float, ...]
    flat: NDArray[np.bool_]

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.mean)

    def test(self, pair: int) -> Test:
        """One pair's test as a record."""
        mean, p = float(self.mean[pair]), float(self.p[pair])
        if self.flat[pair]:
            none = None if np.isnan(p) else p
            return Test(NAME, self.n, self.n, mean, p=none, state=State.DEGENERATE)
        t = float(self.statistic[pair])
        return Test(NAME, self.n, self.n, mean, mean / t if t else None, t, self.df, p)


def dm_all_pairs(
    losses: Floats, bandwidth: int | None = None, *, horizon: int | None = None
) -> AllPairs:
    """Compare all contestants with each other on the same questions.

    Args:
        losses: (n, k), a row a question in the order of time, a column a contestant.
        bandwidth: Lags of the Bartlett window; otherwise the cube root of n.
        horizon: Steps ahead, for the small-sample factor and t with n - 1 degrees of
            freedom; otherwise the normal distribution without a factor.

    Raises:
        ValueError: A loss is missing or infinite, there are fewer than two questions, or
            the bandwidth or the horizon does not fit n. Compare contestants who answered
            different questions by `arena.stats.pairs`.

    Source:
        Diebold and Mariano (1995), Journal of Business and Economic Statistics 13; Newey
        and West (1987), Econometrica 55.
    """
    table = np.asarray(losses, np.float64)
    if table.ndim != 2 or len(table) < 2:  # noqa: PLR2004
        raise ValueError(f"losses are two or more questions by contestants, not {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("a loss is missing or infinite: every contestant answers every row")
    n, k = table.shape
    lags = cube_root_lags(n) if bandwidth is None else bandwidth
    if not 0 <= lags < n:
        raise ValueError(f"{n} questions have no lag of {lags}")
    factor = 1.0 if horizon is None else hln_factor(n, horizon)
    i, j = np.triu_indices(k, 1)
    mean = table.mean(axis=0)[i] - table.mean(axis=0)[j]
    variance, flat = _variances(table, lags, i, j)
    mean[flat] = (table[:, i[flat]] - table[:, j[flat]]).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(flat, np.nan, factor * mean / np.sqrt(variance))
    p = 2 * (ndtr(-np.abs(statistic)) if horizon is None else stdtr(n - 1, -np.abs(statistic)))
    p[flat & (np.abs(mean) <= ROUNDING)] = 1.0
    df = () if horizon is None else (float(n - 1),)
    return AllPairs(n, i, j, mean, variance, statistic, p, df, flat)


def _variances(
    table: Floats, lags: int, i: Whole, j: Whole
) -> tuple[Floats, NDArray[np.bool_]]:
    """Variance of each pair's mean difference, and whether the pair has no spread."""
    centred = table - table.mean(axis=0)
    n = len(table)
    now = centred.T @ centred
    total = now.copy()
    for lag, weight in enumerate(bartlett_weights(lags)[1:], start=1):
        later = centred[lag:].T @ centred[:-lag]
        total += weight * (later + later.T)
    own, both = np.diag(now), np.diag(total)
    spread = own[i] + own[j] - 2 * now[i, j]
    variance = (both[i] + both[j] - 2 * total[i, j]) / n**2
    flat = np.zeros(len(i), dtype=np.bool_)
    near = _close(spread, own, i, j) | _close(variance * n**2, both, i, j)
    near |= _still(spread / (n - 1), table.mean(axis=0)[i] - table.mean(axis=0)[j])
    for r in np.flatnonzero(near):
        d = table[:, i[r]] - table[:, j[r]]
        flat[r] = no_spread(float(d.std(ddof=1)), float(d.mean()))
        variance[r] = 0.0 if flat[r] else bartlett(d, lags) / n
    return variance, flat


def _still(squared: Floats, mean: Floats) -> NDArray[np.bool_]:
    """Where a standard deviation may be only rounding, as of two constant losses."""
    room = 10 * ROUNDING * np.maximum(1.0, np.abs(mean))
    still: NDArray[np.bool_] = squared <= room**2
    return still


def _close(difference: Floats, own: Floats, i: Whole, j: Whole) -> NDArray[np.bool_]:
    """Where a difference of large numbers has lost its digits: computed again by itself."""
    near: NDArray[np.bool_] = difference <= CANCELLED * (own[i] + own[j])
    return near
