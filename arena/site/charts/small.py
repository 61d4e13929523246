"""Drawings that fit in a line of text or a cell of a table."""

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from arena.site.charts.axis import Axis, held, spread
from arena.site.charts.drawing import finite
from arena.site.charts.svg import Place, path, polyline, wide_is, words
from arena.site.charts.thin import extremes

WIDTH, HEIGHT = 192, 40  # of a sparkline, in half CSS pixels
BAR, BAR_HEIGHT = 440, 40  # of an interval
EDGE = 12
LETTERS = 25  # how high they are
MOST_POINTS = 48


class Mark(StrEnum):
    """What is shown of a value against the base line, told by shape as well as by colour."""

    BETTER = "better"
    WORSE = "worse"
    OPEN = "open"


_SHAPES = {
    Mark.BETTER: ("ch-t", "m0-12l12 21h-24z"),
    Mark.WORSE: ("ch-t", "m0 12l12-21h-24z"),
    Mark.OPEN: ("ch-o", "m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"),
}


def bar_axis(low: float, high: float, ticks: Sequence[tuple[float, str]] = ()) -> Axis:
    """The axis that the intervals of a column share."""
    return Axis(held(low), held(high), EDGE, BAR - EDGE, tuple(ticks))


def axis_head(axis: Axis) -> str:
    """Write what the places of an axis mean, for the head of its column.

    Zero is written first; a tick that has no room beside it, or at an end, is left out.
    """
    said, taken = "", list[tuple[int, int]]()
    for value, text in sorted(axis.ticks, key=lambda tick: tick[0] != 0):
        half = wide_is(text, LETTERS) // 2
        left, right = axis.at(value) - half, axis.at(value) + half
        if left >= 0 and right <= BAR and all(right < a or b < left for a, b in taken):
            taken.append((left, right))
            said += words(axis.at(value), 22, text, "ch-i")
    return _tiny("ch ch-bar", said, (BAR, 30))


def interval_bar(
    found: tuple[float, float, float],
    axis: Axis,
    *,
    base: float | None = None,
    mark: Mark = Mark.OPEN,
) -> str:
    """Draw a value as a mark on its interval.

    An arrow says that there is more beyond the axis; a value out there has no mark.

    Args:
        found: The value, and the low and the high end of its interval.
        axis: The axis that all of a column share.
        base: What values are compared with, if with anything.
        mark: What is shown of the value against the base.
    """
    value, low, high = found
    if not all(math.isfinite(v) for v in found) or axis.high <= axis.low:
        return ""
    middle = BAR_HEIGHT // 2
    left, right = axis.at(low), axis.at(high)
    ends = f"M{left} {middle}H{right}"
    if low < axis.low:
        ends += f"M{left + 10} {middle - 8}L{left} {middle}l10 8"
    if high > axis.high:
        ends += f"M{right - 10} {middle - 8}L{right} {middle}l-10 8"
    kind, shape = _SHAPES[mark]
    dot = path(f"M{axis.at(value)} {middle}{shape}", kind)
    inside = axis.low <= value <= axis.high
    body = base_rule(axis, base) + path(ends, "ch-w") + (dot if inside else "")
    return _tiny(f"ch-bar ch-{mark}", body, (BAR, BAR_HEIGHT))


def base_bar(axis: Axis, base: float) -> str:
    """Draw the base line alone, for what is the base itself."""
    return _tiny("ch-bar", base_rule(axis, base), (BAR, BAR_HEIGHT))


def base_rule(axis: Axis, base: float | None) -> str:
    """The line that values are compared with; nothing where there is none."""
    zero = finite(base)
    return "" if zero is None else path(f"M{axis.at(zero)} 0v{BAR_HEIGHT}", "ch-v")


def sparkline(
    values: Sequence[float | None],
    base: float | None = None,
    reach: tuple[float, float] | None = None,
) -> str:
    """Draw the shape of a series, from the least to the most of `reach`, or of its own."""
    sound = [None if v is None or not math.isfinite(v) else held(v) for v in values]
    said = [v for v in sound if v is not None]
    if len(said) < 2:  # noqa: PLR2004  # one value has no shape
        return ""
    zero = finite(base)
    span = [held(v) for v in reach] if reach else said
    y = Axis(*spread([*span, *([] if zero is None else [held(zero)])]), HEIGHT - 6, 6)
    x = Axis(0, len(sound) - 1, EDGE, WIDTH - EDGE)
    runs: list[list[Place]] = [[]]
    for n, v in enumerate(sound):
        if v is None:
            runs.append([])
        else:
            runs[-1].append((x.at(n), y.at(v)))
    kept = [extremes(np.array(run), MOST_POINTS) for run in runs if run]
    rule = "" if zero is None else path(f"M0 {y.at(zero)}h{WIDTH}", "ch-g")
    drawn = path("".join(polyline(r) for r in kept), "ch-w")
    return _tiny("ch-tiny", rule + drawn, (WIDTH, HEIGHT))


def _tiny(kind: str, body: str, size: tuple[int, int]) -> str:
    room = f"0 0 {size[0]} {size[1]}"
    return f'<svg class="{kind}" viewBox="{room}" aria-hidden="true">{body}</svg>'
