"""Numeric forecasts as Metaculus keeps them: a cumulative distribution on an even grid.

The question's range is taken as [0, 1] and cut into equal buckets; what lies beyond an open
bound is a bucket of its own at that end. A bucket holds its upper edge, the first one also its
lower.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.stats.spread import ROUNDING

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]
Flags = NDArray[np.bool_]

UNIFORM: Final = 0.01  # of every forecast, spread evenly over the range
BEYOND: Final = 0.001  # of every forecast, beyond each open bound


def with_uniform(heights: ArrayLike, share: float = UNIFORM) -> Floats:
    """Densities over [0, 1] mixed with a flat one, so that none is lower than `share`.

    Raises:
        ValueError: A height that is negative or not finite, or a share outside [0, 1].

    >>> with_uniform([0.0, 1.0]).tolist()
    [0.01, 1.0]
    """
    found = np.asarray(heights, dtype=np.float64)
    if not np.all((found >= 0) & np.isfinite(found)):
        raise ValueError("a density is finite and not negative")
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies in [0, 1], not {share}")
    return np.asarray((1 - share) * found + share)


def standard_cdf(cdf: ArrayLike, *, open_low: bool = False, open_high: bool = False) -> Floats:
    """A distribution with the least mass that Metaculus keeps everywhere.

    No mass beyond a closed bound, at least 0.001 beyond an open one, and 0.01 of a flat
    distribution within the range. The platform's cap on a bucket is not applied.

    Args:
        cdf: (..., m) at m evenly spaced points from the low to the high bound.
        open_low: Whether there may be mass below the range.
        open_high: Whether there may be mass above it.

    Raises:
        ValueError: A distribution that falls, leaves [0, 1], or has no mass in a range that
            is closed on both sides.

    Source:
        Metaculus, API documentation, "CDF generation details".
    """
    found = _rising(cdf)
    low = np.zeros_like(found[..., :1]) if open_low else found[..., :1]
    high = np.ones_like(found[..., -1:]) if open_high else found[..., -1:]
    if not np.all(high > low):
        raise ValueError("a distribution has some mass where the outcome can be")
    kept = (found - low) / (high - low)
    location = np.linspace(0, 1, found.shape[-1])
    scale = 1 - UNIFORM - BEYOND * (open_low + open_high)
    return np.asarray(scale * kept + UNIFORM * location + BEYOND * open_low)


def bucket_of(location: ArrayLike, buckets: int) -> Whole:
    """Which bucket a value is in: 0 below the range, 1 to `buckets`, one more above it.

    Args:
        location: Where the value is, the range taken as [0, 1].
        buckets: How many buckets the range has.

    Raises:
        ValueError: A location that is NaN, or no bucket.

    >>> bucket_of([-0.1, 0.0, 0.25, 0.26, 1.0, 1.1], 4).tolist()
    [0, 1, 1, 2, 4, 5]
    """
    found = np.asarray(location, dtype=np.float64)
    if np.any(np.isnan(found)):
        raise ValueError("a value lies somewhere")
    if buckets < 1:
        raise ValueError("a range has at least one bucket")
    inner = np.clip(np.ceil(np.clip(found, 0, 1) * buckets - ROUNDING), 1, buckets)
    return np.where(found < 0, 0, np.where(found > 1, buckets + 1, inner)).astype(np.intp)


def bucket_probability(cdf: ArrayLike, location: ArrayLike) -> tuple[Floats, Flags]:
    """What a distribution gave to the bucket of a value, and whether that is in the range.

    Args:
        cdf: (n, m) at m evenly spaced points from the low to the high bound.
        location: (n,) where the value is, the range taken as [0, 1].

    Returns:
        Probabilities (n,), and flags (n,) for `arena.scoring.relative.baseline_bucket`.

    Raises:
        ValueError: A distribution that falls or leaves [0, 1], or a location that is NaN.
    """
    found = _rising(cdf)
    buckets = found.shape[-1] - 1
    number = bucket_of(location, buckets)
    if found.ndim != 2 or number.shape != found.shape[:1]:  # noqa: PLR2004  rows and points
        raise ValueError("distributions come in rows, and each has one value")
    mass = np.diff(found, axis=-1, prepend=0.0, append=1.0)
    given = np.take_along_axis(mass, number[:, None], axis=1)[:, 0]
    return given, (number > 0) & (number <= buckets)


def height_at(cdf: ArrayLike, location: ArrayLike) -> Floats:
    """Density of a distribution at a value, the range taken as [0, 1]: mass over width.

    Args:
        cdf: (n, m) at m evenly spaced points from the low to the high bound.
        location: (n,) where the value is, within [0, 1].

    Raises:
        ValueError: See `bucket_probability`; also a value beyond the range.
    """
    given, inside = bucket_probability(cdf, location)
    if not np.all(inside):
        raise ValueError("beyond the range there is a mass, and no density")
    return np.asarray(given * (np.shape(np.asarray(cdf))[-1] - 1))


def _rising(cdf: ArrayLike) -> Floats:
    found = np.asarray(cdf, dtype=np.float64)
    if found.ndim == 0 or found.shape[-1] < 2:  # noqa: PLR2004  one bucket
        raise ValueError("a distribution is given at two points or more")
    within = np.all((found >= 0) & (found <= 1))
    if not (within and np.all(np.diff(found, axis=-1) >= 0)):
        raise ValueError("a cumulative distribution rises within [0, 1]")
    return found
