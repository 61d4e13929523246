"""Many tests at once: p-values that say what the whole family allows.

Each function takes p-values in any order and gives the adjusted ones in the same order: an
adjusted p is the smallest level of the whole family at which that hypothesis would be
rejected. No test at all gives no p-value. NaN or a number outside [0, 1] is a ValueError.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from arena.stats.columns import Floats


def bonferroni(p: Floats) -> Floats:
    """Each p-value times their number: no false claim at all, whatever the dependence.

    Args:
        p: (m,) p-values; one row of nothing gives one row of nothing.

    Raises:
        ValueError: A p-value is NaN or outside [0, 1], or `p` is not one row of numbers.

    Source:
        Dunn (1961), Journal of the American Statistical Association 56.

    >>> bonferroni(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.12, 1.0]
    """
    p_values = _checked(p)
    return np.minimum(1.0, p_values * p_values.size)


def holm(p: Floats) -> Floats:
    """Bonferroni in steps, from the smallest p: never weaker, and as safe.

    Args:
        p: (m,) p-values; empty gives empty.

    Raises:
        ValueError: A p-value is NaN or outside [0, 1], or `p` is not one row of numbers.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.08, 0.6]
    """
    p_values = _checked(p)
    order = np.argsort(p_values, kind="stable")
    still = np.arange(p_values.size, 0, -1)
    return _unsorted(np.maximum.accumulate(np.minimum(1.0, p_values[order] * still)), order)


def shaffer(p: Floats, contestants: int) -> Floats:
    """Holm's steps for all pairs of contestants: some sets of equals cannot be.

    Once one pair differs, fewer of the others can be equal than are left: of three
    contestants, where one pair differs, at most one other pair is equal. A pair without a
    p-value may be one of the equal ones.

    Args:
        p: (m,) p-values, of at most all pairs.
        contestants: How many there are.

    Raises:
        ValueError: A p-value is NaN or outside [0, 1], or there are more than pairs.

    Source:
        Shaffer (1986), Journal of the American Statistical Association 81.

    >>> shaffer(np.array([0.01, 0.04, 0.6]), 3).round(6).tolist()
    [0.03, 0.04, 0.6]
    """
    p_values = _checked(p)
    pairs, m = pairs_of(contestants), p_values.size
    if m > pairs:
        raise ValueError(f"{m} p-values of {contestants} contestants")
    possible, done = np.array(sorted(_equal_pairs(contestants))), np.arange(m)
    equal = possible[np.searchsorted(possible, pairs - done, side="right") - 1]
    still = np.minimum(equal, m - done)
    order = np.argsort(p_values, kind="stable")
    return _unsorted(np.maximum.accumulate(np.minimum(1.0, p_values[order] * still)), order)


@cache
def _equal_pairs(contestants: int) -> frozenset[int]:
    """The numbers of pairs that can be equal at the same time."""
    counts = {0}
    for group in range(1, contestants + 1):
        rest = _equal_pairs(contestants - group)
        counts |= {pairs_of(group) + more for more in rest}
    return frozenset(counts)


def bh(p: Floats) -> Floats:
    """The false discovery rate: of the claims made, the share expected to be wrong.

    For independent or positively dependent tests.

    Args:
        p: (m,) p-values; empty gives empty.

    Raises:
        ValueError: A p-value is NaN or outside [0, 1], or `p` is not one row of numbers.

    Source:
        Benjamini and Hochberg (1995), Journal of the Royal Statistical Society B 57.

    >>> bh(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.06, 0.6]
    """
    p_values = _checked(p)
    order = np.argsort(p_values, kind="stable")[::-1]
    ranks = np.arange(p_values.size, 0, -1)
    raised = np.minimum(1.0, p_values.size * p_values[order] / ranks)
    return _unsorted(np.minimum.accumulate(raised), order)


def level_of_each(alpha: float, tests: int) -> float:
    """Bonferroni's level of one test in a family of level alpha.

    Raises:
        ValueError: Alpha is not in (0, 1), or there is no test.

    >>> level_of_each(0.05, 4)
    0.0125
    """
    if not 0 < alpha < 1 or tests < 1:
        raise ValueError(f"no family of {tests} tests at {alpha}")
    return alpha / tests


def implied_number(alpha: float, each: float) -> int:
    """How many tests a level of each is Bonferroni's for.

    >>> implied_number(0.05, 0.005)
    10
    """
    return round(alpha / each)


def pairs_of(contestants: int) -> int:
    """The number of pairs of contestants.

    >>> pairs_of(6)
    15
    """
    return contestants * (contestants - 1) // 2


def _unsorted(adjusted: Floats, order: NDArray[np.intp]) -> Floats:
    back = np.empty_like(adjusted)
    back[order] = adjusted
    return back


def _checked(p: Floats) -> Floats:
    p_values = np.asarray(p, dtype=np.float64)
    if p_values.ndim != 1:
        raise ValueError(f"p-values come in one row, not in {p_values.ndim} dimensions")
    if not np.all((p_values >= 0) & (p_values <= 1)):
        raise ValueError("a p-value lies in [0, 1]")
    return p_values
