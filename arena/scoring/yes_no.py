"""Forecasts of YES beside their outcomes, checked before anything is computed."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.scoring.table import Floats

Outcomes = NDArray[np.integer]


def checked(p: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Outcomes]:
    """Forecasts as float64 and outcomes as integers, one of each a row.

    Nothing is copied that has the right type, and a whole column is refused for one bad row:
    who wants to drop rows does so before, and counts them.

    Raises:
        ValueError: The columns differ in length or are not one-dimensional, a forecast is
            outside [0, 1] or not a number, or an outcome is neither 0 nor 1.

    >>> checked([0.2, 1], [False, True])
    (array([0.2, 1. ]), array([0, 1], dtype=int8))
    """
    forecasts = probabilities(p)
    came = _outcomes(outcome)
    if forecasts.shape != came.shape:
        raise ValueError(f"{len(forecasts)} forecasts, but {len(came)} outcomes")
    return forecasts, came


def probabilities(p: ArrayLike) -> Floats:
    """Forecasts as one column of float64.

    Raises:
        ValueError: More than one column, or a number outside [0, 1]; NaN is outside.
    """
    found = np.ascontiguousarray(p, dtype=np.float64)
    if found.ndim != 1:
        raise ValueError(f"forecasts are one column, not an array of shape {found.shape}")
    if len(found) and not (found.min() >= 0 and found.max() <= 1):
        raise ValueError("a probability lies in [0, 1]")
    return found


def _outcomes(outcome: ArrayLike) -> Outcomes:
    found = np.ascontiguousarray(outcome)
    if found.ndim != 1:
        raise ValueError(f"outcomes are one column, not an array of shape {found.shape}")
    if not len(found):
        return found.astype(np.int8)
    if found.dtype == np.bool_:
        return found.view(np.int8)
    if np.issubdtype(found.dtype, np.floating):
        if not np.isin(found, (0, 1)).all():
            raise ValueError("an outcome is 0 or 1")
        return found.astype(np.int8)
    if not np.issubdtype(found.dtype, np.integer):
        raise ValueError(f"an outcome is 0 or 1, not of type {found.dtype}")
    if not (found.min() >= 0 and found.max() <= 1):
        raise ValueError("an outcome is 0 or 1")
    return found
