"""A grid of tinted squares: closing line value."""

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from arena.metrics import figures
from arena.site.charts import drawing
from arena.site.charts.axis import Axis, extremes, held, spread
from arena.site.charts.drawing import (
    Drawn,
    Place,
    Room,
    box,
    figure,
    finite,
    fitted,
    group,
    path,
    polyline,
    wide_is,
    words,
)
from arena.site.charts.drawing import words as text
from arena.site.charts.subjects import Scale, Tile, Words
from arena.site.pages.parts import Figure, Grid, Key, Strip
from arena.site.sanitize import one_line

TALL = 58
NAMES = 340
STEPS = 3


def tiles(words: Words, squares: Sequence[Tile], scale: Scale) -> Figure | None:
    """Draw a grid of values, tinted from one end of the scale to the other.

    The tint has three steps on either side of the scale's base. None where there is nothing
    to draw.
    """
    rows = tuple(dict.fromkeys(tile.row for tile in squares))
    columns = tuple(dict.fromkeys(tile.column for tile in squares))
    table = {(tile.row, tile.column): tile for tile in squares}
    if not any(finite(tile.value) is not None for tile in squares):
        return None
    reach = _reach(squares, scale)

    def draw(room: Room) -> Drawn:
        return _drawing((rows, columns), table, (scale.base or 0.0, reach), room)

    keys = (
        Key(f"below {scale.shown(scale.base or 0.0)}", "ch-tint-3"),
        Key(f"above {scale.shown(scale.base or 0.0)}", "ch-tint3"),
    )
    return figure(words, draw, _grid(rows, columns, table, scale), keys)


def tint(value: float | None, base: float, reach: float) -> str:
    """The class of a value: one of three steps below the base, the base, or three above.

    >>> tint(-0.9, 0.0, 1.0), tint(0.0, 0.0, 1.0), tint(0.2, 0.0, 1.0)
    ('ch-t-3', 'ch-t0', 'ch-t1')
    """
    if value is None or value == base or reach <= 0:
        return "ch-t0"
    share = min(abs(value - base) / reach, 1.0)
    step = min(STEPS, int(share * STEPS) + 1)
    return f"ch-t{step if value > base else -step}"


def _reach(squares: Sequence[Tile], scale: Scale) -> float:
    base = scale.base or 0.0
    values = [finite(tile.value) for tile in squares]
    ends = [scale.low, scale.high] if None not in (scale.low, scale.high) else values
    return max((abs(v - base) for v in ends if v is not None), default=0.0)


def _drawing(
    names: tuple[tuple[str, ...], tuple[str, ...]],
    table: dict[tuple[str, str], Tile],
    tinted: tuple[float, float],
    room: Room,
) -> Drawn:
    rows, columns = names
    size, left = room.size, 0
    if not room.narrow:
        left = min(NAMES, max(wide_is(one_line(r, 60), size) for r in rows)) + 16
    wide = min((room.width - left) // len(columns), 260)
    above = room.line if room.narrow else 0
    step = TALL + above
    body = "".join(
        text(left + n * wide + wide // 2, size, fitted(c, wide - 8, size), "ch-c ch-i")
        for n, c in enumerate(columns)
    )
    for r, row in enumerate(rows):
        top = room.line + 8 + r * step
        if room.narrow:
            body += text(0, top + size, fitted(row, room.width, size), "")
        else:
            at = top + TALL // 2 + size * 7 // 20
            body += text(left - 16, at, fitted(row, left - 16, size), "ch-e")
        inner = ""
        for c, column in enumerate(columns):
            tile = table.get((row, column))
            spot = (left + c * wide, top + above)
            inner += _square(tile, spot, wide, tinted, size)
        body += group(r, "", inner)
    return Drawn(body, room.line + 8 + len(rows) * step + 8)


def _square(
    tile: Tile | None, at: tuple[int, int], wide: int, tinted: tuple[float, float], size: int
) -> str:
    x, y = at
    value = finite(tile.value) if tile else None
    shown = tile.text if tile else figures.MISSING
    if tile and tile.short and wide_is(shown, size) > wide - 8:
        shown = tile.short
    kind, ink = (tint(value, *tinted), "ch-i") if value is not None else ("ch-u", "ch-c ch-i")
    square = path(box(x + 2, y + 2, wide - 4, TALL - 6), kind)
    base = y + TALL // 2 + size * 7 // 20 - 2
    return square + text(x + wide // 2, base, fitted(shown, wide - 8, size), ink)


def _grid(
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    table: dict[tuple[str, str], Tile],
    scale: Scale,
) -> Grid:
    head = (scale.label, *(one_line(c, 60) for c in columns))
    strips = [drawing.names(rows)]
    for column in columns:
        column_tiles = [
            table.get((row, column)) or Tile(row, column, None, figures.MISSING) for row in rows
        ]
        texts = tuple(tile.text for tile in column_tiles)
        values = tuple(finite(tile.value) for tile in column_tiles)
        strips.append(Strip(texts, values, tuple(tile.note for tile in column_tiles)))
    return Grid(head, tuple(strips))


WIDTH, HEIGHT = 192, 40  # of a sparkline, in half CSS pixels
BAR, BAR_HEIGHT = 440, 40  # of an interval
EDGE = 12
LETTERS = 25  # how high they are
MOST_POINTS = 48


class TileMark(StrEnum):
    """What is shown of a value against the base line, told by shape as well as by colour."""

    BETTER = "better"
    WORSE = "worse"
    OPEN = "open"


_SHAPES = {
    TileMark.BETTER: ("ch-t", "m0-12l12 21h-24z"),
    TileMark.WORSE: ("ch-t", "m0 12l12-21h-24z"),
    TileMark.OPEN: ("ch-o", "m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"),
}


def bar_axis(low: float, high: float, ticks: Sequence[tuple[float, str]] = ()) -> Axis:
    """The axis that the intervals of a column share."""
    return Axis(held(low), held(high), EDGE, BAR - EDGE, tuple(ticks))


def axis_head(axis: Axis) -> str:
    """Write the tick labels of an axis, for the head of its column.

    Zero is written first; a tick that has no room beside it, or at an end, is left out.
    """
    labels, taken = "", list[tuple[int, int]]()
    for value, label in sorted(axis.ticks, key=lambda tick: tick[0] != 0):
        half = wide_is(label, LETTERS) // 2
        left, right = axis.at(value) - half, axis.at(value) + half
        if left >= 0 and right <= BAR and all(right < a or b < left for a, b in taken):
            taken.append((left, right))
            labels += words(axis.at(value), 22, label, "ch-i")
    return _tiny("ch ch-bar", labels, (BAR, 30))


def interval_bar(
    estimate: tuple[float, float, float],
    axis: Axis,
    *,
    base: float | None = None,
    mark: TileMark = TileMark.OPEN,
) -> str:
    """Draw a value as a mark on its interval.

    An arrow says that there is more beyond the axis; a value out there has no mark.

    Args:
        estimate: The value, and the low and the high end of its interval.
        axis: The axis that all of a column share.
        base: What values are compared with, if with anything.
        mark: What is shown of the value against the base.
    """
    value, low, high = estimate
    if not all(math.isfinite(v) for v in estimate) or axis.high <= axis.low:
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
    finite_values = [v for v in sound if v is not None]
    if len(finite_values) < 2:  # noqa: PLR2004  # one value has no shape
        return ""
    zero = finite(base)
    span = [held(v) for v in reach] if reach else finite_values
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
