"""Intervals for a mean that hold at every look at once, however often one looks.

Each function takes differences in the order of time, one a look (a day's mean of its events'
means), and gives an interval after each. What is covered is the mean so far of the
differences' conditional means, at all looks together, with a probability of at least
1 - alpha. No difference gives no interval; NaN or a difference out of its range is a
ValueError.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.stats.boundaries import (
    gamma_exponential_bound,
    mixture_rho,
    normal_mixture_bound,
    poly_stitching_bound,
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


class Curve(StrEnum):
    """Which curve bounds the sum."""

    MIXTURE = "mixture"
    STITCHED = "stitched"


class Centre(StrEnum):
    """What a predictable mixture takes each deviation from."""

    SMOOTHED = "smoothed"  # the past mean with one more observation in the middle
    RUNNING = "running"  # the past mean; before any, the end of the range on that side


def hoeffding(
    d: Floats,
    alpha: float = 0.05,
    *,
    within: Range = UNIT,
    v_opt: float = 10.0,
    curve: Curve = Curve.MIXTURE,
) -> ConfidenceSequence:
    """From the range alone: the intrinsic time is t times the squared half range.

    Args:
        d: (T,) differences in the range.
        alpha: One minus the level, for both sides together.
        within: The least and the most a difference can be.
        v_opt: The intrinsic time at which the intervals are to be narrow.
        curve: A normal mixture, or the wider closed form.

    Raises:
        ValueError: A difference is NaN or outside its range, or alpha outside (0, 1).

    Source:
        Choe and Ramdas (2023), Operations Research, theorem 1.
    """
    found = _within(d, within, alpha)
    looks = np.arange(1.0, found.size + 1)
    c = within[1] - within[0]
    v = looks * (c / 2) ** 2
    if Curve(curve) is Curve.MIXTURE:
        bound = normal_mixture_bound(v, alpha, v_opt=v_opt, alpha_opt=alpha)
    else:
        bound = poly_stitching_bound(v, alpha / 2, v_min=v_opt, c=c)
    return _around(np.cumsum(found) / looks, bound / looks, alpha, f"Hoeffding, {curve}")


def empirical_bernstein(
    d: Floats,
    alpha: float = 0.05,
    *,
    within: Range = UNIT,
    v_opt: float = 10.0,
    curve: Curve = Curve.MIXTURE,
) -> ConfidenceSequence:
    """From the range and the variance seen: narrow where the differences are small.

    The intrinsic time is the sum of squared deviations from the past mean, at least 1.

    Args:
        d: (T,) differences in the range.
        alpha: One minus the level, for both sides together.
        within: The least and the most a difference can be; their distance is the scale.
        v_opt: The intrinsic time at which the intervals are to be narrow.
        curve: A gamma-exponential mixture, or the wider closed form.

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
    if Curve(curve) is Curve.MIXTURE:
        bound = gamma_exponential_bound(v, side, v_opt=v_opt, c=c, alpha_opt=side)
    else:
        bound = poly_stitching_bound(v, side, v_min=v_opt, c=c)
    name = f"empirical Bernstein, {curve}"
    return _around(np.cumsum(found) / looks, bound / looks, alpha, name)


def asymptotic(
    d: Floats,
    alpha: float = 0.05,
    *,
    t_star: float = 100.0,
    floor: float = 1.0,
    same_law: bool = False,
) -> ConfidenceSequence:
    """For independent differences of any law, right in the limit of many looks.

    Args:
        d: (T,) differences.
        alpha: One minus the level, for both sides together.
        t_star: The look, or for laws that vary the intrinsic time, to be narrow at.
        floor: The least that the intrinsic time is taken to be, in squared units of the
            differences: what keeps the first looks wide.
        same_law: Whether every look has the same law, so that the variance is a rate.

    Raises:
        ValueError: A difference is not finite, alpha outside (0, 1), or `t_star` or `floor`
            not positive.

    Source:
        Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Annals of Statistics, for
        one law and in the Lindeberg form.
    """
    found = _finite(d, alpha)
    if not floor > 0:
        raise ValueError(f"the least intrinsic time is positive, not {floor}")
    rate = 1 / mixture_rho(t_star, alpha)
    looks = np.arange(1.0, found.size + 1)
    v = np.maximum(floor, intrinsic_time(found))
    grown = looks if same_law else v
    spread = v / looks if same_law else np.ones_like(v)
    room = (rate * grown + 1) / rate * np.log((rate * grown + 1) / alpha**2)
    name = "asymptotic, one law" if same_law else "asymptotic, Lindeberg"
    return _around(np.cumsum(found) / looks, np.sqrt(spread * room) / looks, alpha, name)


def predictable_mixture(
    d: Floats,
    alpha: float = 0.05,
    *,
    within: Range = UNIT,
    largest_bet: float = 0.5,
    centre: Centre = Centre.SMOOTHED,
) -> ConfidenceSequence:
    """Empirical Bernstein with a bet chosen at each look from the looks before.

    It covers one mean that does not move, and centres on the bets' weighted mean.

    Args:
        d: (T,) differences in the range.
        alpha: One minus the level, for both sides together.
        within: The least and the most a difference can be.
        largest_bet: Where bets are cut, in (0, 1), on the range made [0, 1].
        centre: What deviations are taken from.

    Raises:
        ValueError: A difference is NaN or outside its range, alpha or the largest bet
            outside (0, 1).

    Source:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86,
        theorem 2.
    """
    found = _within(d, within, alpha)
    if not 0 < largest_bet < 1:
        raise ValueError(f"the largest bet lies in (0, 1), not {largest_bet}")
    low, width = within[0], within[1] - within[0]
    x = (found - low) / width
    below = _below(x, alpha / 2, largest_bet, centre)
    above = 1 - _below(1 - x, alpha / 2, largest_bet, centre)
    name = f"predictable mixture, {centre} centre"
    middle = low + width * (below + above) / 2
    return ConfidenceSequence(low + width * below, low + width * above, middle, 1 - alpha, name)


def running_intersection(found: ConfidenceSequence) -> ConfidenceSequence:
    """What no look has ruled out so far: never wider than the look before.

    Right only for one mean that does not move; a mean of conditional means moves. An empty
    intersection, low above high, says that it did, or that the error has happened.
    """
    low, high = np.maximum.accumulate(found.low), np.minimum.accumulate(found.high)
    name = f"{found.method}, running intersection"
    return replace(found, low=low, high=high, method=name)


def cut_to(found: ConfidenceSequence, low: float, high: float) -> ConfidenceSequence:
    """The intervals without what lies outside the range that a mean can have."""
    return replace(
        found, low=np.clip(found.low, low, high), high=np.clip(found.high, low, high)
    )


def intrinsic_time(d: Floats) -> Floats:
    """The sum so far of squared deviations from the mean of the past, from 0 at first.

    >>> intrinsic_time(np.array([1.0, 1.0, 4.0])).tolist()
    [1.0, 1.0, 10.0]
    """
    before = np.zeros_like(d)
    before[1:] = np.cumsum(d)[:-1] / np.arange(1, d.size)
    return np.asarray(np.cumsum((d - before) ** 2))


def _below(x: Floats, alpha: float, largest_bet: float, centre: Centre) -> Floats:
    looks = np.arange(1.0, x.size + 1)
    so_far = (0.5 + np.cumsum(x)) / (looks + 1)
    spread = (0.25 + np.cumsum((x - so_far) ** 2)) / (looks + 1)
    spread = np.concatenate([[0.25], spread])[:-1]
    pace = spread * looks * np.log1p(looks)
    bets = np.minimum(largest_bet, np.sqrt(2 * np.log(1 / alpha) / pace))
    if Centre(centre) is Centre.SMOOTHED:
        past = np.concatenate([[0.5], so_far])[:-1]
    else:
        past = np.concatenate([[0.0], np.cumsum(x) / looks])[:-1]
    paid = np.cumsum((x - past) ** 2 * (-np.log1p(-bets) - bets))
    return np.asarray((np.cumsum(bets * x) - np.log(1 / alpha) - paid) / np.cumsum(bets))


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
