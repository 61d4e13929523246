"""Drawings that fit in a line of text or a cell of a table."""

import math
from collections.abc import Sequence

import numpy as np

from arena.site.charts.axis import Axis, held, spread
from arena.site.charts.sound import finite
from arena.site.charts.svg import Place, path, polyline
from arena.site.charts.thin import extremes

WIDTH, HEIGHT = 192, 40
EDGE = 8
MOST_POINTS = 48


def whisker(  # noqa: PLR0913
    value: float,
    low: float,
    high: float,
    *,
    least: float,
    most: float,
    base: float | None = None,
) -> str:
    """Draw a value as a dot on its interval, on an axis from `least` to `most`.

    An arrow says that there is more beyond the axis; a value out there has no dot.
    """
    if not all(math.isfinite(v) for v in (value, low, high, least, most)):
        return ""
    if held(most) <= held(least):
        return ""
    axis = Axis(held(least), held(most), EDGE, WIDTH - EDGE)
    middle = HEIGHT // 2
    left, right = axis.at(low), axis.at(high)
    ends = f"M{left} {middle - 8}v16M{left} {middle}h{right - left}m0-8v16"
    if low < least:
        ends = f"M{left + 10} {middle - 8}l-10 8l10 8m-10-8h{right - left}m0-8v16"
    if high > most:
        ends = ends.removesuffix("m0-8v16") + "m-10-8l10 8l-10 8"
    if high < least:
        ends = f"M{left + 10} {middle - 8}l-10 8l10 8"
    elif low > most:
        ends = f"M{right - 10} {middle - 8}l10 8l-10 8"
    zero = finite(base)
    rule = "" if zero is None else path(f"M{axis.at(zero)} 0v{HEIGHT}", "ch-g")
    dot = path(f"M{axis.at(value)} {middle}m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z", "ch-t")
    return _tiny("ch-tiny", rule + path(ends, "ch-w") + (dot if least <= value <= most else ""))


def sparkline(values: Sequence[float | None], base: float | None = None) -> str:
    """Draw the shape of a series."""
    sound = [None if v is None or not math.isfinite(v) else held(v) for v in values]
    said = [v for v in sound if v is not None]
    if len(said) < 2:  # noqa: PLR2004  # one value has no shape
        return ""
    zero = finite(base)
    reach = [*said, *([] if zero is None else [held(zero)])]
    y = Axis(*spread(reach), HEIGHT - 6, 6)
    x = Axis(0, len(sound) - 1, EDGE, WIDTH - EDGE)
    runs: list[list[Place]] = [[]]
    for n, v in enumerate(sound):
        if v is None:
            runs.append([])
        else:
            runs[-1].append((x.at(n), y.at(v)))
    kept = [extremes(np.array(run), MOST_POINTS) for run in runs if run]
    rule = "" if zero is None else path(f"M0 {y.at(zero)}h{WIDTH}", "ch-g")
    end = kept[-1][-1]
    dot = path(f"M{end[0]} {end[1]}m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", "ch-t")
    return _tiny("ch-tiny", rule + path("".join(polyline(r) for r in kept), "ch-w") + dot)


def _tiny(kind: str, body: str) -> str:
    return f'<svg class="{kind}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{body}</svg>'
