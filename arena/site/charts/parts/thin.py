"""Fewer points of a line, without losing what the eye would see."""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from arena.site.charts.parts.svg import Places

ENDS = 2


def extremes(places: Places, most: int) -> Places:
    """Keep at most `most` places, four or more: both ends, and of each bucket its extremes.

    What has no more places than that is left alone.
    """
    many = len(places)
    if many <= most:
        return places
    buckets = (most - ENDS) // 2
    edges = np.arange(buckets + 1) * many // buckets
    bucket = np.repeat(np.arange(buckets), np.diff(edges))
    order = np.lexsort((places[:, 1], bucket))
    kept = np.zeros(many, bool)
    kept[[0, many - 1]] = True
    kept[order[edges[:-1]]] = True
    kept[order[edges[1:] - 1]] = True
    return places[kept]


def telling(rows: Sequence[Sequence[float | None]], most: int) -> list[int]:
    """Choose moments of several lines: the extremes of each bucket, and both ends.

    Args:
        rows: The lines, all as long as there are moments; None where a line has no value.
        most: How many moments there is room for. All are kept where there are no more.

    Returns:
        Indices in rising order: at most `most`, or two a line and bucket of thirty buckets.
    """
    many = len(rows[0]) if rows else 0
    if many <= most:
        return list(range(many))
    buckets = max(30, (most - 2) // (2 * len(rows)))
    kept = {0, many - 1}
    for n in range(buckets):
        first, last = many * n // buckets, many * (n + 1) // buckets
        for row in rows:
            indexed_values = [(row[i], i) for i in range(first, last) if row[i] is not None]
            if indexed_values:
                kept.update((min(indexed_values)[1], max(indexed_values)[1]))
    return sorted(kept)


def even(moments: Sequence[datetime], most: int) -> set[datetime]:
    """Choose at most `most` of rising moments, two or more, evenly in time, with both ends.

    What was thinned before, as older days are, stays no denser and no sparser than the rest.
    """
    if len(moments) <= most:
        return set(moments)
    first, length = moments[0], moments[-1] - moments[0]
    return {_nearest(moments, first + length * n / (most - 1)) for n in range(most)}


def _nearest(moments: Sequence[datetime], wanted: datetime) -> datetime:
    after = bisect_left(moments, wanted)
    return min(moments[max(0, after - 1) : after + 1], key=lambda at: abs(at - wanted))
