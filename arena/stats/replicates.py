"""Intervals from bootstrap replicates that are given, and the jackknife: no chance in here.

The jackknife over groups of events is a standard error of whatever sums can be made into.
"""

from collections.abc import Callable
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from arena.records.estimate import Estimate, Interval, State
from arena.stats.columns import ROUNDING, Floats, finite, level_of, no_spread

GROUPS: Final = 20  # of events that are left out in turn
LEAST: Final = 3  # groups: the spread of two says nothing


def jackknife(
    sums: Floats,
    statistic: Callable[[Floats], float | None],
    size: tuple[int, int],
    *,
    level: float = 0.95,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    """Estimate a function of sums, leaving out one group of events after the other.

    Args:
        sums: (groups, ...) the sums over each group that has any row.
        statistic: From sums to the number; None where they do not allow one.
        size: How many rows and events the number is made from.
        level: Confidence of the t interval with groups - 1 degrees of freedom, in (0, 1).
        within: What the number is never outside of.

    Returns:
        EMPTY where all sums together allow no number; with the number and no interval,
        NOT_ESTIMABLE for fewer than three groups or where one may not be left out, and
        DEGENERATE where none makes a difference.

    Source:
        Tukey (1958), Annals of Mathematical Statistics 29.
    """
    total = sums.sum(axis=0)
    value = statistic(total) if len(sums) else None
    if value is None:
        return Estimate(None, *size, state=State.EMPTY)
    again = [statistic(total - own) for own in sums]
    left = np.array([other for other in again if other is not None])
    n = len(left)
    if n < max(LEAST, len(again)):
        return Estimate(value, *size, state=State.NOT_ESTIMABLE)
    se = sqrt((n - 1) / n * float(np.sum((left - left.mean()) ** 2)))
    if no_spread(se, value):
        return Estimate(value, *size, state=State.DEGENERATE)
    arm = float(stdtrit(n - 1, (1 + level) / 2)) * se
    bounds = Interval(value - arm, value + arm, level, f"jackknife, {n} groups of events")
    return Estimate(value, *size, se=se, df=n - 1.0, interval=bounds).within(*within)


CLOSE: Final = 1e-12


def quantiles(replicates: ArrayLike, at: ArrayLike) -> Floats:
    """Quantiles of replicates, straight between two of them (type 7).

    Args:
        replicates: (R,) finite numbers, one at least.
        at: Levels in (0, 1).

    Raises:
        ValueError: There is no replicate, or a number is not finite.

    Source:
        Hyndman and Fan (1996), American Statistician 50.
    """
    values = finite(replicates, "replicates")
    if values.size == 0:
        raise ValueError("there is no replicate")
    return np.asarray(np.quantile(values, np.asarray(at, dtype=np.float64)), dtype=np.float64)


def percentile(replicates: ArrayLike, level: float = 0.95) -> Interval:
    """The middle of the replicates.

    Source:
        Efron (1979), Annals of Statistics 7.
    """
    low, high = quantiles(replicates, _tails(level)).tolist()
    return Interval(low, high, level, "percentile")


def basic(replicates: ArrayLike, estimate: float, level: float = 0.95) -> Interval:
    """The middle of the replicates, mirrored at the estimate; also called reflected.

    Source:
        Hall (1992), The Bootstrap and Edgeworth Expansion; Davison and Hinkley (1997),
        equation 5.6.
    """
    low, high = quantiles(replicates, _tails(level)).tolist()
    twice = 2 * float(estimate)
    return Interval(twice - high, twice - low, level, "basic")


def median_bias(replicates: ArrayLike, estimate: float) -> float:
    """The normal quantile of the share of replicates below the estimate.

    Infinite where the estimate is outside of the replicates. Replicates that differ from
    the estimate by rounding are ties, and half of them are below.

    Source:
        Efron (1987), JASA 82.
    """
    values = finite(replicates, "replicates")
    same = np.abs(values - estimate) <= CLOSE * max(1.0, abs(estimate))
    below = np.count_nonzero((values < estimate) & ~same)
    return float(ndtri((below + np.count_nonzero(same) / 2) / values.size))


def acceleration(jackknife: ArrayLike) -> float | None:
    """How the spread changes with the estimate; None where no unit makes a difference.

    Args:
        jackknife: (G,) estimates, each without one of the units (rows, or events with all
            of their rows).

    Source:
        Efron (1987), JASA 82.
    """
    estimates = finite(jackknife, "jackknife estimates")
    if estimates.size == 0:
        return None
    u = estimates.mean() - estimates
    if float(np.abs(u).max()) <= ROUNDING * max(1.0, float(np.abs(estimates).max())):
        return None
    return float(np.sum(u**3) / (6 * np.sum(u**2) ** 1.5))


def adjusted_levels(z0: float, a: float, level: float = 0.95) -> tuple[float, float]:
    """The levels at which BCa reads the replicates.

    Source:
        Efron (1987), JASA 82.
    """
    shifted = z0 + ndtri(_tails(level))
    low, high = ndtr(z0 + shifted / (1 - a * shifted)).tolist()
    return low, high


def bca(
    replicates: ArrayLike,
    estimate: float,
    jackknife: ArrayLike,
    level: float = 0.95,
) -> Interval:
    """The percentile interval at levels moved for bias and for skewness.

    Where that is not defined (the estimate is outside of the replicates, or no unit makes
    a difference) it is the percentile interval, and the method says so.

    Args:
        replicates: (R,) bootstrap estimates.
        estimate: From the whole sample.
        jackknife: (G,) estimates without each unit in turn.
        level: Confidence in (0, 1).

    Raises:
        ValueError: There is no replicate, a number is not finite, or the level is wrong.

    Source:
        Efron (1987), JASA 82.
    """
    plain = percentile(replicates, level)
    z0, a = median_bias(replicates, estimate), acceleration(jackknife)
    if a is None or not np.isfinite(z0):
        return Interval(plain.low, plain.high, level, "percentile (BCa is not defined)")
    low, high = quantiles(replicates, adjusted_levels(z0, a, level)).tolist()
    return Interval(low, high, level, "BCa")


def studentised(
    replicates: ArrayLike,
    errors: ArrayLike,
    estimate: float,
    error: float,
    level: float = 0.95,
) -> Interval | None:
    """Bootstrap-t: the estimate less its error times quantiles of the replicates' t.

    Replicates without spread have no t and are left out; None if no replicate has one, or if
    all of them are the same, as for two units.

    Args:
        replicates: (R,) bootstrap estimates.
        errors: (R,) their standard errors.
        estimate: From the whole sample.
        error: Its standard error.
        level: Confidence in (0, 1).

    Raises:
        ValueError: Shapes differ, a number is not finite, or the level is wrong.

    Source:
        Efron (1982), The Jackknife, the Bootstrap and Other Resampling Plans; Hall (1988),
        Annals of Statistics 16.
    """
    level_of(level)
    values, spread = finite(replicates, "replicates"), finite(errors, "standard errors")
    if values.size != spread.size:
        raise ValueError("replicates and standard errors differ in number")
    some = spread > CLOSE * max(error, CLOSE)
    if not some.any():
        return None
    t = (values[some] - estimate) / spread[some]
    if float(np.ptp(t)) <= CLOSE:
        return None
    low, high = quantiles(t, _tails(level)).tolist()
    middle, spread_of = float(estimate), float(error)
    return Interval(middle - high * spread_of, middle - low * spread_of, level, "bootstrap-t")


def beyond(draws: Floats, observed: float) -> NDArray[np.bool_]:
    """Which draws are at least as far from 0; rounding makes no difference."""
    room = CLOSE * max(abs(observed), float(np.abs(draws).max(initial=0.0)))
    return np.asarray(np.abs(draws) >= abs(observed) - room)


def _tails(level: float) -> Floats:
    level_of(level)
    return np.array([(1 - level) / 2, (1 + level) / 2])
