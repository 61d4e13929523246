"""Intervals for a share: how often a thing may come true that did so `k` times of `n`."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrik, betaincinv

from arena.records.estimate import Estimate, Interval, State
from arena.stats.columns import level_of
from arena.stats.tails import critical

Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]


class Share(StrEnum):
    """A way to make an interval.

    WILSON is the default. CLOPPER_PEARSON covers at least as often as it says, at the price
    of width. WALD is the estimate and its standard error: too short, and a point at 0 and 1.
    """

    WILSON = "wilson"
    CLOPPER_PEARSON = "clopper-pearson"
    JEFFREYS = "jeffreys"
    AGRESTI_COULL = "agresti-coull"
    WALD = "wald"


def share_ends(
    k: ArrayLike, n: ArrayLike, level: float = 0.95, method: Share = Share.WILSON
) -> Ends:
    """Lower and upper ends for many shares at once, within [0, 1].

    Args:
        k: How often the thing came true; whole numbers of any shape.
        n: Of how many trials, each at least 1.
        level: Confidence in (0, 1).
        method: One of `Share`.

    Raises:
        ValueError: A number is not whole, `k` is not in [0, n], `n` is below 1, or the level
            is not in (0, 1).

    Source:
        Wilson (1927), JASA 22; Clopper and Pearson (1934), Biometrika 26; Brown, Cai and
        DasGupta (2001), Statistical Science 16, for the others.

    >>> low, high = share_ends(3, 10)
    >>> round(float(low), 6), round(float(high), 6)
    (0.107791, 0.603222)
    """
    level_of(level)
    yes, trials = np.broadcast_arrays(
        np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    )
    if not (np.all(yes == np.rint(yes)) and np.all(trials == np.rint(trials))):
        raise ValueError("counts are whole numbers")
    if not (np.all(trials >= 1) and np.all(yes >= 0) and np.all(yes <= trials)):
        raise ValueError("a share is of one trial or more, from none of them to all")
    return _ENDS[method](yes, trials, level)


def share(k: int, n: int, level: float = 0.95, method: Share = Share.WILSON) -> Estimate:
    """A share with its interval; trials are independent, and each is an event of its own.

    No trial at all is EMPTY.

    Raises:
        ValueError: As for `share_ends`.
    """
    if n == 0 and k == 0:
        return Estimate(None, 0, 0, state=State.EMPTY)
    low, high = share_ends(k, n, level, method)
    return Estimate(k / n, n, n, interval=Interval(float(low), float(high), level, method))


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
    found = np.where(bdtr(below, some.astype(np.intp), chance) >= at, below, above)
    return np.where(inside, found, np.where(p == 1, n, 0.0))


def _wilson(k: Floats, n: Floats, level: float) -> Ends:
    z = critical(1 - level)
    middle = (k + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(k * (n - k) / n + z**2 / 4) / (n + z**2)
    low = np.where(k == 0, 0.0, middle - half)
    return low, np.where(k == n, 1.0, middle + half)


def _agresti_coull(k: Floats, n: Floats, level: float) -> Ends:
    z = critical(1 - level)
    middle = (k + z**2 / 2) / (n + z**2)
    return _symmetric(middle, z * np.sqrt(middle * (1 - middle) / (n + z**2)))


def _wald(k: Floats, n: Floats, level: float) -> Ends:
    return _symmetric(k / n, critical(1 - level) * np.sqrt(k * (n - k) / n) / n)


def _clopper_pearson(k: Floats, n: Floats, level: float) -> Ends:
    tail = (1 - level) / 2
    low = betaincinv(np.where(k == 0, 1.0, k), n - k + 1, tail)
    high = betaincinv(k + 1, np.where(k == n, 1.0, n - k), 1 - tail)
    return np.where(k == 0, 0.0, low), np.where(k == n, 1.0, high)


def _jeffreys(k: Floats, n: Floats, level: float) -> Ends:
    tail = (1 - level) / 2
    return (
        np.asarray(betaincinv(k + 0.5, n - k + 0.5, tail)),
        np.asarray(betaincinv(k + 0.5, n - k + 0.5, 1 - tail)),
    )


def _symmetric(middle: Floats, half: Floats) -> Ends:
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


_ENDS: Final[dict[Share, Callable[[Floats, Floats, float], Ends]]] = {
    Share.WILSON: _wilson,
    Share.CLOPPER_PEARSON: _clopper_pearson,
    Share.JEFFREYS: _jeffreys,
    Share.AGRESTI_COULL: _agresti_coull,
    Share.WALD: _wald,
}
