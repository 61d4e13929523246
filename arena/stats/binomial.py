"""Quantiles of binomial counts."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrik

from arena.stats.columns import level_of

Floats = NDArray[np.float64]


def count_ends(n: ArrayLike, p: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """The `(1 - level) / 2` and `(1 + level) / 2` quantiles of a binomial count.

    Args:
        n: Trials, at least 0, of any shape.
        p: The probability of each, in [0, 1].
        level: The share of the distribution between the two, at least.

    Raises:
        ValueError: A count is negative or not whole, a probability is not in [0, 1], or the
            level is not in (0, 1).

    >>> [int(end) for end in count_ends(10, 0.3, 0.9)]
    [1, 5]
    """
    level_of(level)
    trials, chance = np.broadcast_arrays(
        np.asarray(n, dtype=np.float64), np.asarray(p, dtype=np.float64)
    )
    if not (np.all(trials >= 0) and np.all(trials == np.rint(trials))):
        raise ValueError("counts are whole numbers from 0")
    if not (np.all(chance >= 0) and np.all(chance <= 1)):
        raise ValueError("a probability lies in [0, 1]")
    return (
        _quantile((1 - level) / 2, trials, chance),
        _quantile((1 + level) / 2, trials, chance),
    )


def _quantile(at: float, n: Floats, p: Floats) -> Floats:
    """The least count whose distribution function reaches `at`."""
    inside = (p > 0) & (p < 1) & (n > 0)
    some, chance = np.where(inside, n, 1.0), np.where(inside, p, 0.5)
    rough = bdtrik(at, some, chance)  # NaN for a chance of less than 1e-16: 0 or 1 of them
    above = np.clip(np.ceil(np.where(np.isnan(rough), 1.0, rough)), 0, some)
    below = np.maximum(above - 1, 0)
    counts = np.where(bdtr(below, some.astype(np.intp), chance) >= at, below, above)
    return np.where(inside, counts, np.where(p == 1, n, 0.0))
