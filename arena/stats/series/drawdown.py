"""The drawdown of a path of returns."""

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.columns import finite


def max_drawdown_compounded(returns: ArrayLike) -> float | None:
    """The largest loss from a peak of compounded wealth, as a negative share of the peak.

    Wealth is 1 before the first return, so that a first loss counts. 0 for a path that
    never fell; None without returns.

    Raises:
        ValueError: A return is not finite, or loses more than all.

    Source:
        Magdon-Ismail and Atiya (2004), Risk 17.

    >>> round(max_drawdown_compounded([-0.1, 0.2]), 12)
    -0.1
    """
    column = finite(returns)
    if np.any(column < -1):
        raise ValueError("a return loses more than all")
    if column.size == 0:
        return None
    wealth = np.concatenate([[1.0], np.cumprod(1 + column)])
    return float(np.min(wealth / np.maximum.accumulate(wealth)) - 1)
