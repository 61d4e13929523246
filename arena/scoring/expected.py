"""What a forecast f is expected to score where the event has the probability p.

Every function takes single numbers or arrays, whose shapes broadcast.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def expected_brier(f: ArrayLike, p: ArrayLike) -> Floats:
    """(f - p)^2 + p (1 - p): least at f = p, where only the event's own variance is left.

    Raises:
        ValueError: A probability outside [0, 1].

    Source:
        Gneiting and Raftery (2007), JASA 102.

    >>> expected_brier(0.5, 0.3).item()
    0.25
    """
    stated, true = _probabilities(f, p)
    return np.asarray((stated - true) ** 2 + true * (1 - true))


def expected_log_curvature(f: ArrayLike, p: ArrayLike) -> Floats:
    """Second derivative of the expected log loss: p / f^2 + (1 - p) / (1 - f)^2.

    Positive everywhere: f = p is a minimum of the loss.

    Raises:
        ValueError: A probability outside [0, 1], or a forecast of 0 or 1.
    """
    stated, true = _probabilities(f, p)
    if not np.all((stated > 0) & (stated < 1)):
        raise ValueError("the log loss has no derivative at 0 and 1")
    return np.asarray(true / stated**2 + (1 - true) / (1 - stated) ** 2)


def _probabilities(f: ArrayLike, p: ArrayLike) -> tuple[Floats, Floats]:
    stated, true = np.asarray(f, dtype=np.float64), np.asarray(p, dtype=np.float64)
    for probability in (stated, true):
        if not np.all((probability >= 0) & (probability <= 1)):
            raise ValueError("a probability lies in [0, 1]")
    return stated, true
