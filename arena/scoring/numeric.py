"""The CRPS of forecasts of a number, given as cumulative distributions.

Lower is better. The continuous ranked probability score is the squared distance
between the forecast's cumulative distribution and the step at the outcome, integrated; it is
in the outcome's own unit, and |x - y| for a forecast that is a single number x. Rows with a
NaN or an infinity, or with columns of different lengths, raise a ValueError; no row gives no
score.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.stats.columns import ROUNDING

Floats = NDArray[np.float64]


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


def _rows(forecasts: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Floats]:
    rows = np.asarray(forecasts, dtype=np.float64)
    truth = np.asarray(outcome, dtype=np.float64)
    if rows.ndim != 2 or truth.shape != rows.shape[:1]:  # noqa: PLR2004  rows and columns
        raise ValueError("forecasts come in rows, and each has one outcome")
    _finite(rows, truth)
    return rows, truth


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
