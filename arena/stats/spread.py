"""When a sample has no spread: an exact zero is not what floats leave."""

from typing import Final

ROUNDING: Final = 1e-12


def no_spread(sd: float, mean: float) -> bool:
    """Whether a standard deviation is only rounding.

    Ten times 0.01 has a standard deviation of 1.8e-18 in binary64, and would be a ratio of
    5e15 by an exact comparison with zero.

    >>> no_spread(1.8e-18, 0.01)
    True
    """
    return sd <= ROUNDING * max(1.0, abs(mean))
