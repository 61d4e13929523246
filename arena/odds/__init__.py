"""What a price or a stake says about a probability; pure.

Here are the columns of numbers as all of its functions take them: finite and in range, or
refused.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def finite(values: ArrayLike, name: str) -> Floats:
    """Numbers as an array of floats.

    Raises:
        ValueError: One of them is NaN or infinite.
    """
    numbers = np.asarray(values, np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name}: every number is finite")
    return numbers


def probabilities(values: ArrayLike, name: str) -> Floats:
    """Probabilities as an array of floats.

    Raises:
        ValueError: One of them is NaN or outside [0, 1].
    """
    numbers = np.asarray(values, np.float64)
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise ValueError(f"{name}: a probability lies in [0, 1]")
    return numbers


def decimal_odds(values: ArrayLike) -> Floats:
    """Decimal odds as an array of floats: dollars back for a dollar staked.

    Raises:
        ValueError: One of them is NaN, infinite or not above 1.
    """
    odds = finite(values, "odds")
    if not (odds > 1).all():
        raise ValueError("decimal odds are above 1")
    return odds


def books(values: ArrayLike) -> Floats:
    """Decimal odds of whole books, outcomes along the last axis.

    Raises:
        ValueError: As `decimal_odds`, or a book has fewer than two outcomes.
    """
    odds = decimal_odds(values)
    if odds.ndim == 0 or odds.shape[-1] < 2:  # noqa: PLR2004  outcomes
        raise ValueError("a book has at least two outcomes")
    return odds


def alike(**columns: Floats) -> None:
    """Check that columns have one shape.

    Raises:
        ValueError: They have not.
    """
    shapes = {name: column.shape for name, column in columns.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(f"columns of unequal shape: {shapes}")
