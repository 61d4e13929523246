"""Scores of forecasts of a number: CRPS in several forms, pinball loss, density log score.

Lower is better throughout. The continuous ranked probability score is the squared distance
between the forecast's cumulative distribution and the step at the outcome, integrated; it is
in the outcome's own unit, and |x - y| for a forecast that is a single number x. Rows with a
NaN or an infinity, or with columns of different lengths, raise a ValueError; no row gives no
score.
"""

from math import pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from arena.stats.spread import ROUNDING

Floats = NDArray[np.float64]

FAR: Final = 40.0  # standard deviations, beyond which a normal density is 0


def crps_of_sample(sample: ArrayLike, outcome: ArrayLike, *, fair: bool = False) -> Floats:
    """CRPS of forecasts given as draws.

    mean |x - y| - sum |x_i - x_j| / (2 m^2), in time m log m. The plain form scores the draws
    as if they were the whole forecast; the fair one, with m (m - 1) in place of m^2, what the
    distribution behind them is expected to score.

    Args:
        sample: (n, m) draws.
        outcome: (n,) what came true.
        fair: Do not punish a small sample; needs m of 2 or more.

    Raises:
        ValueError: A number that is not finite, no draw, or a fair score of one draw.

    Source:
        Gneiting and Raftery (2007), JASA 102, section 4.2; Ferro (2014), Quarterly Journal of
        the Royal Meteorological Society 140.

    >>> crps_of_sample([[1.0, 3.0]], [2.0]).tolist()
    [0.5]
    """
    draws, truth = _rows(sample, outcome)
    m = draws.shape[1]
    if m < 1 + fair:
        raise ValueError(f"a sample of {m} is too small")
    ranked = np.sort(draws, axis=1)
    lean = 2 * np.arange(1, m + 1) - m - 1
    spread = ranked @ lean / (m * (m - 1) if fair else m * m)
    return np.asarray(np.abs(draws - truth[:, None]).mean(axis=1) - spread)


def crps_of_normal(mean: ArrayLike, sd: ArrayLike, outcome: ArrayLike) -> Floats:
    """CRPS of normal forecasts; a standard deviation of 0 is a single number.

    Args:
        mean: (n,) or one number.
        sd: (n,) or one number, not negative.
        outcome: (n,) what came true.

    Raises:
        ValueError: A number that is not finite, or a negative standard deviation.

    Source:
        Gneiting, Raftery, Westveld and Goldman (2005), Monthly Weather Review 133.

    >>> crps_of_normal(0.0, 1.0, [0.0]).round(6).tolist()
    [0.233695]
    """
    centre, scale, truth = (np.asarray(v, dtype=np.float64) for v in (mean, sd, outcome))
    _finite(centre, scale, truth)
    if np.any(scale < 0):
        raise ValueError("a standard deviation is not negative")
    off = truth - centre
    z = np.divide(off, scale, out=np.zeros(np.broadcast(off, scale).shape), where=scale > 0)
    density = np.exp(-(np.minimum(np.abs(z), FAR) ** 2) / 2) / sqrt(2 * pi)
    score = scale * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / sqrt(pi))
    return np.where(scale > 0, score, np.abs(off))


def crps_of_cdf(points: ArrayLike, cdf: ArrayLike, outcome: ArrayLike) -> Floats:
    """CRPS of distributions that are straight between given points, exactly.

    Integrated over the range of the points only: what lies beyond it counts as lying at its
    nearer end, for forecasts and outcomes alike, and the score is still proper. A rise at a
    single point cannot be written; put two points close together.

    Args:
        points: (m,) rising, the same for all rows; or (n, m).
        cdf: (n, m) P(X <= point), not falling. Below 1 at the end or above 0 at the start is
            mass beyond an open bound.
        outcome: (n,) what came true.

    Raises:
        ValueError: A number that is not finite, points that do not rise, or a distribution
            that falls or leaves [0, 1].

    Source:
        Matheson and Winkler (1976), Management Science 22.

    >>> crps_of_cdf([0.0, 1.0], [[0.0, 1.0]], [0.0]).round(6).tolist()
    [0.333333]
    """
    at, heights, truth = _distribution(points, cdf, outcome)
    left, right = heights[:, :-1], heights[:, 1:]
    width = np.diff(at, axis=1)
    below = np.clip((truth[:, None] - at[:, :-1]) / width, 0, 1)
    middle = left + below * (right - left)
    before = below * _square_mean(left, middle)
    after = (1 - below) * _square_mean(1 - middle, 1 - right)
    return np.asarray((width * (before + after)).sum(axis=1))


def pinball(quantiles: ArrayLike, levels: ArrayLike, outcome: ArrayLike) -> Floats:
    """Loss of each quantile forecast: (n, m), least in expectation at the true quantile.

    Args:
        quantiles: (n, m) the value below which the outcome falls with each level.
        levels: (m,) strictly between 0 and 1.
        outcome: (n,) what came true.

    Raises:
        ValueError: A number that is not finite, or a level outside (0, 1).

    Source:
        Koenker and Bassett (1978), Econometrica 46; Gneiting and Raftery (2007), JASA 102,
        section 6.1.

    >>> pinball([[1.0]], [0.9], [3.0]).round(6).tolist()
    [[1.8]]
    """
    said, truth = _rows(quantiles, outcome)
    level = np.asarray(levels, dtype=np.float64)
    if level.shape != said.shape[1:] or not np.all((level > 0) & (level < 1)):
        raise ValueError("each quantile has a level strictly between 0 and 1")
    miss = truth[:, None] - said
    return np.asarray(np.maximum(level * miss, (level - 1) * miss))


def crps_of_quantiles(quantiles: ArrayLike, levels: ArrayLike, outcome: ArrayLike) -> Floats:
    """Twice the mean pinball loss: the CRPS as nearly as the levels are dense and even.

    Args:
        quantiles: (n, m) the value below which the outcome falls with each level.
        levels: (m,) evenly spaced, for all to count alike.
        outcome: (n,) what came true.

    Raises:
        ValueError: See `pinball`; also no quantile at all.

    Source:
        Laio and Tamea (2007), Hydrology and Earth System Sciences 11.
    """
    losses = pinball(quantiles, levels, outcome)
    if not losses.shape[1]:
        raise ValueError("a forecast has at least one quantile")
    return np.asarray(2 * losses.mean(axis=1))


def density_log_terms(heights: ArrayLike, *, floor: float | None = None) -> Floats:
    """Minus the logarithm of each forecast's density at the outcome; may be negative.

    It depends on the outcome's unit, and an unlimited density makes it unlimited: heights are
    best over a range taken as [0, 1].

    Args:
        heights: Densities at what came true.
        floor: Take a lower height as this one; without it, a height of 0 loses inf.

    Raises:
        ValueError: A height that is negative or not finite, or a floor that is not positive.

    Source:
        Good (1952), Journal of the Royal Statistical Society B 14.
    """
    found = np.asarray(heights, dtype=np.float64)
    _finite(found)
    if np.any(found < 0):
        raise ValueError("a density is not negative")
    if floor is not None and not floor > 0:
        raise ValueError(f"a floor is positive, not {floor}")
    with np.errstate(divide="ignore"):
        return np.asarray(0.0 - np.log(found if floor is None else np.maximum(found, floor)))


def _rows(forecasts: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Floats]:
    said = np.asarray(forecasts, dtype=np.float64)
    truth = np.asarray(outcome, dtype=np.float64)
    if said.ndim != 2 or truth.shape != said.shape[:1]:  # noqa: PLR2004  rows and columns
        raise ValueError("forecasts come in rows, and each has one outcome")
    _finite(said, truth)
    return said, truth


def _distribution(
    points: ArrayLike, cdf: ArrayLike, outcome: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    heights, truth = _rows(cdf, outcome)
    at = np.asarray(points, dtype=np.float64)
    at = at[None, :] if at.ndim == 1 else at
    if at.shape[1:] != heights.shape[1:] or at.shape[0] not in {1, len(heights)}:
        raise ValueError("each value of a distribution belongs to one point")
    _finite(at)
    if at.shape[1] < 2 or np.any(np.diff(at, axis=1) <= 0):  # noqa: PLR2004  one piece
        raise ValueError("the points of a distribution are two or more, and rise")
    rising = np.all(np.diff(heights, axis=1) >= -ROUNDING)
    if not (rising and np.all((heights >= -ROUNDING) & (heights <= 1 + ROUNDING))):
        raise ValueError("a cumulative distribution rises within [0, 1]")
    return at, heights, truth


def _square_mean(a: Floats, b: Floats) -> Floats:
    """Mean square of what goes straight from a to b."""
    return (a * a + a * b + b * b) / 3


def _finite(*columns: Floats) -> None:
    if not all(np.all(np.isfinite(column)) for column in columns):
        raise ValueError("forecasts and outcomes are finite numbers")
