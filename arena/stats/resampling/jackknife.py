"""The jackknife over groups of events: a standard error of whatever sums can be made into."""

from collections.abc import Callable
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from arena.records.estimate import Estimate, Interval, State

Floats = NDArray[np.float64]

GROUPS: Final = 20  # of events that are left out in turn
LEAST: Final = 3  # groups: the spread of two says nothing


def jackknife(
    sums: Floats,
    statistic: Callable[[Floats], float | None],
    size: tuple[int, int],
    *,
    level: float = 0.95,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    """Estimate a function of sums, leaving out one group of events after the other.

    Args:
        sums: (groups, ...) the sums over each group that has any row.
        statistic: From sums to the number; None where they do not allow one.
        size: How many rows and events the number is made from.
        level: Confidence of the t interval with groups - 1 degrees of freedom, in (0, 1).
        within: What the number is never outside of.

    Returns:
        EMPTY where all sums together allow no number; NOT_ESTIMABLE, with the number and no
        interval, for fewer than three groups or where one may not be left out.

    Source:
        Tukey (1958), Annals of Mathematical Statistics 29.
    """
    total = sums.sum(axis=0)
    value = statistic(total) if len(sums) else None
    if value is None:
        return Estimate(None, *size, state=State.EMPTY)
    again = [statistic(total - own) for own in sums]
    left = np.array([other for other in again if other is not None])
    n = len(left)
    if n < max(LEAST, len(again)):
        return Estimate(value, *size, state=State.NOT_ESTIMABLE)
    se = sqrt((n - 1) / n * float(np.sum((left - left.mean()) ** 2)))
    arm = float(stdtrit(n - 1, (1 + level) / 2)) * se
    bounds = Interval(value - arm, value + arm, level, f"jackknife, {n} groups of events")
    return Estimate(value, *size, se=se, df=n - 1.0, interval=bounds).within(*within)
