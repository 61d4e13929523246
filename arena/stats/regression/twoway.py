"""How sure a mean is when rows share two things: their event and their day."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from arena.records.estimate import Estimate, Interval, State
from arena.stats.columns import Floats, Whole, codes, finite, level_of, no_spread, tally
from arena.stats.regression.clusters import ClusterCorrection, variance


def both(first: Whole, second: Whole) -> Whole:
    """Codes of the pairs of codes that occur, numbered from 0.

    >>> both(np.array([0, 0, 1]), np.array([5, 5, 5])).tolist()
    [0, 0, 1]
    """
    if first.size == 0:
        return first
    wide = first.astype(np.int64) * (int(second.max()) + 1) + second
    return np.asarray(np.unique(wide, return_inverse=True)[1], dtype=np.intp)


def two_way_interval(
    values: ArrayLike,
    events: ArrayLike,
    days: ArrayLike,
    level: float = 0.95,
    *,
    kind: ClusterCorrection = ClusterCorrection.CR1,
) -> Estimate:
    """A mean whose rows are tied by event and also by day.

    The variance by event, plus that by day, less that by event and day together, each with
    its own correction; t with one less than the smaller number of events and days. That
    difference can fall below the larger of the two one-way variances by chance, and below
    zero; then the larger one-way variance stands in, and the method says so.

    Args:
        values: (n,) numbers.
        events: (n,) codes of the events.
        days: (n,) codes of the days.
        level: Confidence in (0, 1).
        kind: CR0 or CR1.

    Returns:
        EMPTY without rows; SINGLE with one event or one day; DEGENERATE without spread.

    Raises:
        ValueError: A number is not finite, a code is missing, the level is not in (0, 1),
            or the kind is neither CR0 nor CR1.

    Source:
        Cameron, Gelbach and Miller (2011), Journal of Business and Economic Statistics 29.
    """
    level_of(level)
    if kind not in {ClusterCorrection.CR0, ClusterCorrection.CR1}:
        raise ValueError(f"two-way clustering is made with CR0 or CR1, not {kind}")
    column = finite(values)
    by_event = codes(events, column.size)
    by_day = codes(days, column.size, "days")
    if column.size == 0:
        return Estimate(None, 0, 0, state=State.EMPTY)
    mean = float(column.mean())
    event_variance, event_count = _one_way(column, by_event, kind)
    day_variance, day_count = _one_way(column, by_day, kind)
    least = min(event_count, day_count)
    if least < 2:  # noqa: PLR2004  one unit says nothing about spread
        return Estimate(mean, column.size, event_count, state=State.SINGLE)
    squared = event_variance + day_variance - _one_way(column, both(by_event, by_day), kind)[0]
    name = f"two-way cluster t, {kind}"
    if squared < max(event_variance, day_variance):
        squared, name = max(event_variance, day_variance), f"{name}, larger one-way variance"
    se = float(np.sqrt(squared))
    if no_spread(se * float(np.sqrt(least)), mean):
        return Estimate(mean, column.size, event_count, state=State.DEGENERATE)
    df = float(least - 1)
    room = se * float(stdtrit(df, (1 + level) / 2))
    interval = Interval(mean - room, mean + room, level, name)
    return Estimate(mean, column.size, event_count, se, df, interval)


def _one_way(column: Floats, cluster: Whole, kind: ClusterCorrection) -> tuple[float, int]:
    sums, counts = tally(column, cluster)
    return float(variance(sums, counts, kind)), counts.size
