"""Fewer points of a line, without losing what the eye would see."""

from collections.abc import Sequence

Place = tuple[int, int]


def lttb(places: Sequence[Place], most: int) -> list[Place]:
    """Keep at most `most` places: of each bucket the one of the largest triangle.

    The ends stay. Source: Sveinn Steinarsson, Downsampling Time Series for Visual
    Representation (2013), Largest-Triangle-Three-Buckets.
    """
    many = len(places)
    if many <= most or most < 3:  # noqa: PLR2004  # two ends and one between
        return list(places)
    kept = [places[0]]
    edges = [1 + (many - 2) * n // (most - 2) for n in range(most - 1)] + [many]
    for n in range(most - 2):
        first, last, end = edges[n : n + 3]
        cx = sum([p[0] for p in places[last:end]]) / (end - last)
        cy = sum([p[1] for p in places[last:end]]) / (end - last)
        kept.append(_farthest(places[first:last], kept[-1], (cx, cy)))
    kept.append(places[-1])
    return kept


def _farthest(bucket: Sequence[Place], a: Place, c: tuple[float, float]) -> Place:
    """The place that makes the largest triangle with two others."""
    wide, high = a[0] - c[0], c[1] - a[1]
    ax, ay = a
    most, found = -1.0, bucket[0]
    for place in bucket:
        area = abs(wide * (place[1] - ay) - (ax - place[0]) * high)
        if area > most:
            most, found = area, place
    return found


def telling(rows: Sequence[Sequence[float | None]], most: int) -> list[int]:
    """Choose moments of several lines: in each bucket those of their extremes, and both ends.

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
            said = [(row[i], i) for i in range(first, last) if row[i] is not None]
            if said:
                kept.update((min(said)[1], max(said)[1]))
    return sorted(kept)
