"""What a path of returns lost on its way: downside deviation, drawdown, and their ratios."""

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.columns import finite
from arena.stats.spread import ROUNDING


def downside_deviation(returns: ArrayLike, target: float = 0.0) -> float | None:
    """Root mean square of what falls short of a target, over all n; None without returns.

    Raises:
        ValueError: A return is not finite.

    Source:
        Sortino and van der Meer (1991), Journal of Portfolio Management 17.
    """
    column = finite(returns)
    if column.size == 0:
        return None
    return float(np.sqrt(np.mean(np.minimum(column - target, 0.0) ** 2)))


def sortino(returns: ArrayLike, target: float = 0.0) -> float | None:
    """Mean above the target over the downside deviation; None if nothing fell short.

    Raises:
        ValueError: A return is not finite.

    Source:
        Sortino and van der Meer (1991), Journal of Portfolio Management 17.
    """
    column = finite(returns)
    deviation = downside_deviation(column, target)
    if deviation is None or deviation <= ROUNDING:
        return None
    return (float(column.mean()) - target) / deviation


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


def max_drawdown_additive(gains: ArrayLike) -> float | None:
    """The largest fall of the running sum from its peak, in the gains' own unit, positive.

    The sum is 0 before the first gain; None without gains.

    Raises:
        ValueError: A gain is not finite.

    Source:
        Magdon-Ismail and Atiya (2004), Risk 17.
    """
    column = finite(gains)
    if column.size == 0:
        return None
    path = np.concatenate([[0.0], np.cumsum(column)])
    return float(np.max(np.maximum.accumulate(path) - path))


def annual_return(returns: ArrayLike, periods: float) -> float | None:
    """The compounded return of a year of that many periods; None without returns.

    Raises:
        ValueError: A return is not finite, or loses more than all.
    """
    column = finite(returns)
    if np.any(column < -1):
        raise ValueError("a return loses more than all")
    if column.size == 0:
        return None
    return float(np.prod(1 + column) ** (periods / column.size) - 1)


def calmar(returns: ArrayLike, periods: float = 252) -> float | None:
    """Compounded annual return over the maximum drawdown; None if the path never fell.

    Args:
        returns: (n,) returns a period.
        periods: How many periods make a year.

    Raises:
        ValueError: A return is not finite, or loses more than all.

    Source:
        Young (1991), Futures 20.
    """
    deepest = max_drawdown_compounded(returns)
    gained = annual_return(returns, periods)
    if deepest is None or gained is None or deepest >= -ROUNDING:
        return None
    return gained / -deepest
