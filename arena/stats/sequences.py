"""An interval for a mean that holds at every look at once, however often one looks.

It takes differences in the order of time, one a look (a day's mean of its events'
means), and an interval comes after each. What is covered is the mean so far of the
differences' conditional means, at all looks together, with a probability of at least
1 - alpha. No difference gives no interval; NaN or a difference out of its range is a
ValueError.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.stats.boundaries import (
    gamma_exponential_bound,
)

Floats = NDArray[np.float64]
Range = tuple[float, float]

UNIT: Final = (-1.0, 1.0)  # where a difference of two Brier scores lies


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceSequence:
    """Intervals [low[t], high[t]] after each look, around `centre[t]`; all have shape (T,)."""

    low: Floats
    high: Floats
    centre: Floats
    level: float
    method: str


def empirical_bernstein(
    d: Floats,
    alpha: float = 0.05,
    *,
    within: Range = UNIT,
    v_opt: float = 10.0,
) -> ConfidenceSequence:
    """From the range and the variance seen: narrow where the differences are small.

    The intrinsic time is the sum of squared deviations from the past mean, at least 1.

    Args:
        d: (T,) differences in the range.
        alpha: One minus the level, for both sides together.
        within: The least and the most a difference can be; their distance is the scale.
        v_opt: The intrinsic time at which the intervals are to be narrow.

    Raises:
        ValueError: A difference is NaN or outside its range, or alpha outside (0, 1).

    Source:
        Choe and Ramdas (2023), Operations Research, theorem 2; Howard et al. (2021), Annals
        of Statistics 49, theorem 4.
    """
    found = _within(d, within, alpha)
    looks = np.arange(1.0, found.size + 1)
    v = np.maximum(1.0, intrinsic_time(found))
    c, side = within[1] - within[0], alpha / 2
    bound = gamma_exponential_bound(v, side, v_opt=v_opt, c=c, alpha_opt=side)
    return _around(
        np.cumsum(found) / looks, bound / looks, alpha, "empirical Bernstein, mixture"
    )


def intrinsic_time(d: Floats) -> Floats:
    """The sum so far of squared deviations from the mean of the past, from 0 at first.

    >>> intrinsic_time(np.array([1.0, 1.0, 4.0])).tolist()
    [1.0, 1.0, 10.0]
    """
    before = np.zeros_like(d)
    before[1:] = np.cumsum(d)[:-1] / np.arange(1, d.size)
    return np.asarray(np.cumsum((d - before) ** 2))


def _around(centre: Floats, radius: Floats, alpha: float, method: str) -> ConfidenceSequence:
    return ConfidenceSequence(centre - radius, centre + radius, centre, 1 - alpha, method)


def _within(d: Floats, within: Range, alpha: float) -> Floats:
    found = _finite(d, alpha)
    low, high = within
    if not low < high:
        raise ValueError(f"a range goes upwards, not from {low} to {high}")
    if not np.all((found >= low) & (found <= high)):
        raise ValueError(f"a difference lies outside [{low}, {high}]")
    return found


def _finite(d: Floats, alpha: float) -> Floats:
    found = np.asarray(d, dtype=np.float64)
    if found.ndim != 1 or not np.all(np.isfinite(found)):
        raise ValueError("differences are one row of finite numbers")
    if not 0 < alpha < 1:
        raise ValueError(f"a level lies in (0, 1), not {alpha}")
    return found
