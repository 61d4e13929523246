"""The Sharpe ratio per bet or per period, and how sure it is."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, ndtr, ndtri

from arena.records.estimate import Estimate, Interval, State
from arena.stats.columns import Floats, finite, level_of, no_spread

_NODES: Final = 2_000
_STEPS: Final = 100
_CLOSE: Final = 1e-14


class SharpeInterval(StrEnum):
    """Where the uncertainty of a Sharpe ratio comes from."""

    MERTENS = "Mertens"  # independent, of any shape
    LO = "Lo"  # independent and normal
    NONCENTRAL_T = "noncentral t"  # exact for independent normal values


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


def moments(values: ArrayLike, risk_free: float = 0.0) -> Moments | None:
    """Moments of values less a risk-free rate; None for fewer than 2 or without spread.

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
    return Moments(n, mean - risk_free, sd, skew, kurtosis)


def sharpe_ratio(values: ArrayLike, risk_free: float = 0.0) -> float | None:
    """Mean less the risk-free rate, over the standard deviation (n - 1); not annualised.

    None for fewer than two values, and where their spread is only rounding.

    Raises:
        ValueError: A value is not finite.

    Source:
        Sharpe (1994), Journal of Portfolio Management 21.

    >>> sharpe_ratio([0.01] * 10) is None
    True
    """
    sample = moments(values, risk_free)
    return None if sample is None else sample.sharpe


def lo_error(sharpe: float, n: int, *, small_sample: bool = False) -> float:
    """The standard error for independent normal values: sqrt((1 + SR^2 / 2) / n).

    With `small_sample` the squared ratio is over n - 1, as R's SharpeR has it.

    Raises:
        ValueError: n is below 2.

    Source:
        Lo (2002), Financial Analysts Journal 58.
    """
    _enough(n)
    within = sharpe**2 / 2 * (n / (n - 1) if small_sample else 1.0)
    return float(np.sqrt((1 + within) / n))


def mertens_error(sample: Moments, *, unbiased: bool = False) -> float:
    """The standard error for independent values of any shape.

    With `unbiased`, skewness and kurtosis are corrected for the sample size, as R's SharpeR
    has it; below 4 values they stay as they are.

    Source:
        Mertens (2002), Comments on variance of the IID estimator in Lo (2002); Opdyke
        (2007), Journal of Asset Management 8.
    """
    skew, excess, n = sample.skew, sample.kurtosis - 3, sample.n
    if unbiased and n > 3:  # noqa: PLR2004  the corrections divide by n - 3
        skew *= float(np.sqrt(n * (n - 1))) / (n - 2)
        excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6)
    shape = 1 - skew * sample.sharpe + (excess + 3 - 1) / 4 * sample.sharpe**2
    return float(np.sqrt(shape / n))


def sharpe(
    values: ArrayLike,
    level: float = 0.95,
    kind: SharpeInterval = SharpeInterval.MERTENS,
    *,
    risk_free: float = 0.0,
) -> Estimate:
    """The ratio with its standard error and interval, of values that are independent.

    A ratio describes a series; it is not the test of whether its mean is above 0.

    Args:
        values: (n,) values, one an independent unit.
        level: Confidence in (0, 1).
        kind: How the interval is made. `se` is Lo's except for MERTENS.
        risk_free: Taken from each value.

    Returns:
        EMPTY without values; SINGLE for one, DEGENERATE without spread, without a ratio.

    Raises:
        ValueError: A value is not finite, or the level is not in (0, 1).
    """
    level_of(level)
    kind = SharpeInterval(kind)
    column = finite(values)
    n = column.size
    sample = moments(column, risk_free)
    if sample is None:
        return Estimate(
            None, n, n, state=(State.EMPTY, State.SINGLE, State.DEGENERATE)[min(n, 2)]
        )
    ratio = sample.sharpe
    se = mertens_error(sample) if kind is SharpeInterval.MERTENS else lo_error(ratio, n)
    interval = (
        noncentral_t_interval(ratio, n, level)
        if kind is SharpeInterval.NONCENTRAL_T
        else normal_interval(ratio, se, level, kind)
    )
    return Estimate(ratio, n, n, se, interval=interval)


def normal_interval(
    sharpe: float, se: float, level: float = 0.95, method: str = "normal"
) -> Interval:
    """The ratio, and normal quantiles of its standard error to both sides."""
    room = se * float(ndtri((1 + level_of(level)) / 2))
    return Interval(sharpe - room, sharpe + room, level, method)


def noncentral_t_interval(sharpe: float, n: int, level: float = 0.95) -> Interval:
    """The exact interval for independent normal values.

    Raises:
        ValueError: n is below 2, or the level is not in (0, 1).

    Source:
        Johnson and Welch (1940), Biometrika 31, on the noncentral t.
    """
    _enough(n)
    level_of(level)
    root = float(np.sqrt(n))
    low, high = (
        _noncentrality(sharpe * root, n - 1, tail) / root
        for tail in ((1 + level) / 2, (1 - level) / 2)
    )
    return Interval(low, high, level, SharpeInterval.NONCENTRAL_T)


def _spreads(df: int) -> tuple[Floats, Floats]:
    """Values of sqrt(chi2 / df), and how probable each is."""
    ends = np.log(gammaincinv(df / 2, [1e-18, 1 - 1e-16]) / (df / 2)) / 2
    logs = np.linspace(ends[0], ends[1] + 0.1 / np.sqrt(df), _NODES)
    density = np.exp(df * logs - df / 2 * np.expm1(2 * logs))
    return np.exp(logs), density / density.sum()


def _tail_and_slope(z: Floats, weights: Floats) -> tuple[float, float]:
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return float(weights @ ndtr(z)), -float(weights @ density)


def _noncentrality(t: float, df: int, p: float) -> float:
    """Where P(T <= t) is p: Newton's steps kept inside of a bracket."""
    spreads, weights = _spreads(df)
    room = 40 + 10 * abs(t)
    low, high = t - room, t + room
    delta = t
    for _ in range(_STEPS):
        value, slope = _tail_and_slope(t * spreads - delta, weights)
        low, high = (delta, high) if value > p else (low, delta)
        step = delta - (value - p) / slope if slope else low
        following = step if low < step < high else (low + high) / 2
        if abs(following - delta) <= _CLOSE * max(1.0, abs(delta)):
            return following
        delta = following
    return delta


def _enough(n: int) -> None:
    if n < 2:  # noqa: PLR2004  one value says nothing about spread
        raise ValueError("a ratio needs two values at least")


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
