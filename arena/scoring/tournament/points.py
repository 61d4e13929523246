"""Metaculus points, which counted until medals replaced them: of historical interest."""

from math import log2
from typing import Final

from arena.scoring import relative

CROWD_UNIT: Final = 30.0


def weight_of_log(forecasters: int) -> float:
    """What the log score counts for: 45 + 15 log2(1 + N / 30)."""
    return 45 + 15 * _growth(forecasters)


def weight_of_betting(forecasters: int) -> float:
    """What the betting score counts for: 30 log2(1 + N / 30)."""
    return 30 * _growth(forecasters)


def log_part(p: float, outcome: int) -> float:
    """The log score over a forecast of 50%: log2(p / 0.5), or of 1 - p.

    Raises:
        ValueError: A probability outside [0, 1], or an outcome other than 0 and 1.

    >>> log_part(1.0, 0), log_part(0.5, 1)
    (-8.965784284662087, 0.0)
    """
    return log2(float(relative.confine(relative.on_outcome(p, outcome))) / 0.5)


def points(p: float, outcome: int, *, betting: float, forecasters: int) -> float:
    """The points of a yes/no forecast at one time.

    They grow with the number of forecasters, so they reward choosing busy questions.

    Args:
        p: The forecast of YES.
        outcome: 1 if it came true, else 0.
        betting: What a bet against every other forecaster won; their forecasts were taken as
            a beta distribution.
        forecasters: How many the question had.

    Raises:
        ValueError: As for `log_part`, or fewer than no forecasters.

    Source:
        Metaculus, scores FAQ, on legacy scores.

    >>> round(points(0.8, 1, betting=0.0, forecasters=30), 6)
    40.684314
    """
    share = weight_of_log(forecasters) * log_part(p, outcome)
    return share + weight_of_betting(forecasters) * betting


def _growth(forecasters: int) -> float:
    if forecasters < 0:
        raise ValueError("there cannot be fewer than no forecasters")
    return log2(1 + forecasters / CROWD_UNIT)
