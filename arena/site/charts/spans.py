"""Dots with whiskers, a row each."""

from collections.abc import Sequence
from math import isfinite
from statistics import median

from arena.metrics import figures
from arena.site.charts.parts import drawing
from arena.site.charts.parts.axis import Axis
from arena.site.charts.parts.drawing import Drawn, Room, figure, finite
from arena.site.charts.parts.palette import series_class
from arena.site.charts.parts.rows import Rows, laid_out, row, table
from arena.site.charts.parts.svg import mark, path
from arena.site.charts.subjects import Scale, Span, Weight, Words
from arena.site.pages.parts.parts import Figure, Grid, Strip

DISC = 0
POST = 9
LONG = 2  # times the median of how far intervals reach: what is longer is cut


def spans(words: Words, rows: Sequence[Span], scale: Scale) -> Figure | None:
    """Draw values with their intervals.

    The axis holds all values; an interval that is much longer than most ends in an arrow. None
    where there is nothing to draw.
    """
    if all(finite(one.value) is None for one in rows):
        return None
    reach = _reach(rows)
    told = [(one.name, _note(one)) for one in rows]

    def draw(room: Room) -> Drawn:
        place = laid_out(room, scale, reach, told)
        return table(place, scale, [_row(place, n, one) for n, one in enumerate(rows)])

    return figure(words, draw, _grid(rows, scale))


def _reach(rows: Sequence[Span]) -> list[float]:
    """What the axis holds: all values, and of intervals what is not much beyond them."""
    values = [v for one in rows if (v := finite(one.value)) is not None]
    ends = [v for one in rows for v in (finite(one.low), finite(one.high)) if v is not None]
    lengths = [
        abs(end - one.value)
        for one in rows
        if one.value is not None
        for end in (one.low, one.high)
        if end is not None and isfinite(end)
    ]
    if not lengths:
        return values
    room = max(LONG * median(lengths), (max(values) - min(values)) / 2)
    low, high = min(values) - room, max(values) + room
    return [*values, *(min(max(end, low), high) for end in ends)]


def _note(one: Span) -> str:
    return f"n {figures.count(one.n)}"


def _row(place: Rows, nth: int, one: Span) -> tuple[str, str]:
    kind = "ch-r" if one.weight is Weight.REFERENCE else series_class(0, one.weight)
    inner = row(place, nth, one.name, _note(one), _drawn(place.x, place.middle(nth), one))
    return kind, inner


def _drawn(x: Axis, y: int, one: Span) -> str:
    value = finite(one.value)
    if value is None:
        return ""
    whisker = ""
    low, high = finite(one.low), finite(one.high)
    if low is not None and high is not None:
        left, right = x.at(low), x.at(high)
        start = (
            f"M{left + 10} {y - 8}l-10 8l10 8m-10-8"
            if low < x.low
            else f"M{left} {y - 8}v16m0-8"
        )
        end = "m-10-8l10 8l-10 8" if high > x.high else "m0-8v16"
        whisker = path(f"{start}h{right - left}{end}", "ch-w")
    shape = POST if one.weight is Weight.REFERENCE else DISC
    return whisker + path(mark(shape, (x.at(value), y)), "ch-f")


def _grid(rows: Sequence[Span], scale: Scale) -> Grid:
    head = ("Name", scale.label, "Low", "High", "n", "Note")
    return Grid(
        head,
        (
            drawing.names([one.name for one in rows], [one.href for one in rows]),
            drawing.values(scale, [finite(one.value) for one in rows]),
            drawing.values(scale, [finite(one.low) for one in rows]),
            drawing.values(scale, [finite(one.high) for one in rows]),
            drawing.counts([one.n for one in rows]),
            Strip(tuple(one.note for one in rows)),
        ),
    )
