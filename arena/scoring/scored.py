"""The rows that may be scored.

Rows are refused, not repaired: a NaN, a probability outside [0, 1], options that do not sum to
1, an outcome that is none, or columns of different lengths raise a ValueError.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

ROW_SUM_TOLERANCE: Final = 1e-6


def probabilities(p: ArrayLike) -> Floats:
    """A column of probabilities, as it is.

    Raises:
        ValueError: A value that is NaN or outside [0, 1], or not one column.
    """
    column = np.asarray(p, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"forecasts come in one column, not in {column.ndim} dimensions")
    _within(column)
    return column


def yes_no(p: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Floats]:
    """Forecasts of YES with their outcomes, 0 or 1, as columns of floats.

    Raises:
        ValueError: See the module.
    """
    forecasts = probabilities(p)
    truth = np.asarray(outcome)
    _same_length(forecasts, truth)
    _zero_or_one(truth)
    return forecasts, truth.astype(np.float64)


def over_options(options: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Whole]:
    """Forecasts over K options, (n, K), with the numbers of those that came true, from 0.

    Raises:
        ValueError: See the module; also fewer than two options.
    """
    forecasts = np.asarray(options, dtype=np.float64)
    if forecasts.ndim != 2 or forecasts.shape[1] < 2:  # noqa: PLR2004  rows and options, two at least
        raise ValueError("forecasts over options come in rows of at least two")
    _within(forecasts)
    if not np.all(np.abs(forecasts.sum(axis=1) - 1) <= ROW_SUM_TOLERANCE):
        raise ValueError("the options of a forecast sum to 1")
    return forecasts, chosen(outcome, *forecasts.shape)


def chosen(outcome: ArrayLike, n: int, options: int) -> Whole:
    """The numbers of the options that came true, from 0; `n` of them.

    Raises:
        ValueError: Another count, a fraction, or an option that does not exist.
    """
    truth = np.asarray(outcome)
    if truth.shape != (n,):
        raise ValueError(f"{n} forecasts need as many outcomes, not {truth.size}")
    with np.errstate(invalid="ignore"):
        numbers = truth.astype(np.intp)
    if not np.all((numbers == truth) & (numbers >= 0) & (numbers < options)):
        raise ValueError(f"an outcome is one of the {options} options, from 0")
    return numbers


def _within(p: Floats) -> None:
    if p.size and not (p.min() >= 0 and p.max() <= 1):  # NaN is the least and the greatest
        raise ValueError("a probability lies in [0, 1]")


def _same_length(p: Floats, outcome: NDArray[np.generic]) -> None:
    if outcome.shape != p.shape:
        raise ValueError(f"{p.size} forecasts need as many outcomes, not {outcome.size}")


def _zero_or_one(outcome: NDArray[np.generic]) -> None:
    if outcome.dtype.kind == "b" or not outcome.size:
        return
    if outcome.dtype.kind == "u":
        right = outcome.max() <= 1
    elif outcome.dtype.kind == "i":
        right = outcome.min() >= 0 and outcome.max() <= 1
    else:
        right = outcome.dtype.kind == "f" and np.all((outcome == 0) | (outcome == 1))
    if not right:
        raise ValueError("an outcome is 0 or 1")
