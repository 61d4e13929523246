"""Forecasts of YES beside their outcomes, checked before anything is computed."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.scoring.scored import probabilities
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


def _outcomes(outcome: ArrayLike) -> Outcomes:
    found = np.asarray(outcome)
    if found.ndim != 1:
        raise ValueError(f"outcomes come in one column, not in {found.ndim} dimensions")
    if found.dtype.kind == "b" or not found.size:
        return found.astype(np.int8)
    if found.dtype.kind == "i":
        right = np.bitwise_or.reduce(found) in {0, 1}  # a bit of any other number shows
    else:
        right = found.dtype.kind in "uf" and bool(np.all((found == 0) | (found == 1)))
    if not right:
        raise ValueError("an outcome is 0 or 1")
    return found if found.dtype.kind == "i" else found.astype(np.int8)
