"""Columns of numbers and of event codes, refused unless they are in order."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]
Flags = NDArray[np.bool_]

DENSE: Final = 16  # codes a row: up to so many a table of all of them is quicker than sorting


def finite(values: ArrayLike, name: str = "values") -> Floats:
    """One row of finite numbers.

    Raises:
        ValueError: A number is NaN or infinite, or there is more than one dimension.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1:
        raise ValueError(f"{name} come in one row, not in {numbers.ndim} dimensions")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite")
    return numbers


def codes(labels: ArrayLike, n: int, name: str = "events") -> Whole:
    """One code a row: whole numbers that say which rows belong together.

    Codes far larger than the number of rows are numbered anew.

    Raises:
        ValueError: There are not n codes, or one is negative or not whole.
    """
    given = np.asarray(labels)
    if given.shape != (n,):
        raise ValueError(f"{name} need one code for each of {n} rows")
    if n == 0:
        return np.zeros(0, dtype=np.intp)
    if not np.issubdtype(given.dtype, np.integer) or given.min() < 0:
        raise ValueError(f"{name} are coded by whole numbers from 0")
    if int(given.max()) > 4 * n + 1000:
        return compact(given)[1]
    return given.astype(np.intp, copy=False)


def compact(labels: Whole) -> tuple[Whole, Whole]:
    """The different codes, rising, and each row's place among them.

    It is `np.unique` with its inverse. Rows are sorted only where codes are large numbers and
    most of them differ.

    >>> compact(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    if not labels.size or labels.min() < 0 or int(labels.max()) > DENSE * labels.size + 1000:
        there = np.unique(labels)
        if there.size * DENSE <= labels.size:
            return there, np.searchsorted(there, labels)
        there, place = np.unique(labels, return_inverse=True)
        return there, place
    there = np.flatnonzero(np.bincount(labels))
    place = np.zeros(int(there[-1]) + 1, np.intp)
    place[there] = np.arange(there.size)
    return there, place[labels]


def moment_codes(at: NDArray[np.datetime64]) -> Whole:
    """The place of each row's moment among the different ones, the earliest first."""
    return compact(at.view(np.int64))[1]


def level_of(level: float) -> float:
    """A confidence level, strictly between 0 and 1.

    Raises:
        ValueError: It is not.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not at {level}")
    return level


def tally(values: Floats, events: Whole) -> tuple[Floats, Floats]:
    """The sum and the number of rows of each event that has any, in order of code.

    >>> tally(np.array([1.0, 2.0, 4.0]), np.array([3, 0, 3]))
    (array([2., 5.]), array([1., 2.]))
    """
    counts = np.bincount(events)
    sums: Floats = np.bincount(events, weights=values).astype(np.float64, copy=False)
    there = counts > 0
    return sums[there], counts[there].astype(np.float64)


ROUNDING: Final = 1e-12


def no_spread(sd: float, mean: float) -> bool:
    """Whether a standard deviation is only rounding.

    Ten times 0.01 has a standard deviation of 1.8e-18 in binary64, and would be a ratio of
    5e15 by an exact comparison with zero.

    >>> no_spread(1.8e-18, 0.01)
    True
    """
    return sd <= ROUNDING * max(1.0, abs(mean))
