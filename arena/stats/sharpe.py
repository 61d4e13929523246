"""The Sharpe ratio per bet or per period, and how sure it is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from arena.records.estimate import Estimate, Interval, State
from arena.stats.columns import finite, level_of, no_spread


@dataclass(frozen=True, slots=True)
class Moments:
    """`sd` with n - 1; `skew` and `kurtosis` (3 for a normal) with n."""

    n: int
    mean: float
    sd: float
    skew: float
    kurtosis: float

    @property
    def sharpe(self) -> float:
        """Mean over standard deviation."""
        return self.mean / self.sd


def moments(values: ArrayLike) -> Moments | None:
    """Moments of values; None for fewer than 2 or without spread.

    Raises:
        ValueError: A value is not finite.
    """
    column = finite(values)
    n = column.size
    if n < 2:  # noqa: PLR2004  one value says nothing about spread
        return None
    mean, sd = float(column.mean()), float(column.std(ddof=1))
    if no_spread(sd, mean):
        return None
    away = (column - mean) / float(column.std())
    skew, kurtosis = float(np.mean(away**3)), float(np.mean(away**4))
    return Moments(n, mean, sd, skew, kurtosis)


def sharpe_ratio(values: ArrayLike) -> float | None:
    """Mean over the standard deviation (n - 1); not annualised.

    None for fewer than two values, and where their spread is only rounding.

    Raises:
        ValueError: A value is not finite.

    Source:
        Sharpe (1994), Journal of Portfolio Management 21.

    >>> sharpe_ratio([0.01] * 10) is None
    True
    """
    sample = moments(values)
    return None if sample is None else sample.sharpe


def mertens_error(sample: Moments) -> float:
    """The standard error for independent values of any shape.

    Source:
        Mertens (2002), Comments on variance of the IID estimator in Lo (2002); Opdyke
        (2007), Journal of Asset Management 8.
    """
    excess = sample.kurtosis - 3
    shape = 1 - sample.skew * sample.sharpe + (excess + 3 - 1) / 4 * sample.sharpe**2
    return float(np.sqrt(shape / sample.n))


def sharpe(values: ArrayLike, level: float = 0.95) -> Estimate:
    """The ratio with Mertens' standard error and a normal interval, of independent values.

    A ratio describes a series; it is not the test of whether its mean is above 0.

    Args:
        values: (n,) values, one an independent unit.
        level: Confidence in (0, 1).

    Returns:
        EMPTY without values; SINGLE for one, DEGENERATE without spread, without a ratio.

    Raises:
        ValueError: A value is not finite, or the level is not in (0, 1).
    """
    level_of(level)
    column = finite(values)
    n = column.size
    sample = moments(column)
    if sample is None:
        return Estimate(
            None, n, n, state=(State.EMPTY, State.SINGLE, State.DEGENERATE)[min(n, 2)]
        )
    se = mertens_error(sample)
    room = se * float(ndtri((1 + level) / 2))
    interval = Interval(sample.sharpe - room, sample.sharpe + room, level, "Mertens")
    return Estimate(sample.sharpe, n, n, se, interval=interval)


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
