"""Dots with whiskers, a row each."""

from collections.abc import Sequence
from math import isfinite
from statistics import median

from arena.metrics import figures
from arena.site.charts.parts import drawing
from arena.site.charts.parts.axis import Axis
from arena.site.charts.parts.drawing import Drawn, Room, figure, finite
from arena.site.charts.parts.frame import Rows, laid_out, row, table
from arena.site.charts.parts.palette import series_class
from arena.site.charts.parts.svg import mark, path
from arena.site.charts.subjects import LineWeight, Scale, Span, Words
from arena.site.pages.parts import Figure, Grid, Strip

DISC = 0
POST = 9
LONG = 2  # times the median of how far intervals reach: what is longer is cut


def spans(words: Words, rows: Sequence[Span], scale: Scale) -> Figure | None:
    """Draw values with their intervals.

    The axis holds all values; an interval that is much longer than most ends in an arrow. None
    where there is nothing to draw.
    """
    if all(finite(span.value) is None for span in rows):
        return None
    reach = _reach(rows)
    labels = [(span.name, _note(span)) for span in rows]

    def draw(room: Room) -> Drawn:
        place = laid_out(room, scale, reach, labels)
        return table(place, scale, [_row(place, n, span) for n, span in enumerate(rows)])

    return figure(words, draw, _grid(rows, scale))


def _reach(rows: Sequence[Span]) -> list[float]:
    """What the axis holds: all values, and the ends of intervals that are not far beyond."""
    values = [v for span in rows if (v := finite(span.value)) is not None]
    ends = [v for span in rows for v in (finite(span.low), finite(span.high)) if v is not None]
    lengths = [
        abs(end - span.value)
        for span in rows
        if span.value is not None
        for end in (span.low, span.high)
        if end is not None and isfinite(end)
    ]
    if not lengths:
        return values
    room = max(LONG * median(lengths), (max(values) - min(values)) / 2)
    low, high = min(values) - room, max(values) + room
    return [*values, *(min(max(end, low), high) for end in ends)]


def _note(span: Span) -> str:
    return f"n {figures.count(span.n)}"


def _row(place: Rows, nth: int, span: Span) -> tuple[str, str]:
    kind = "ch-r" if span.weight is LineWeight.REFERENCE else series_class(0, span.weight)
    inner = row(place, nth, span.name, _note(span), _span_svg(place.x, place.middle(nth), span))
    return kind, inner


def _span_svg(x: Axis, y: int, span: Span) -> str:
    value = finite(span.value)
    if value is None:
        return ""
    whisker = ""
    low, high = finite(span.low), finite(span.high)
    if low is not None and high is not None:
        left, right = x.at(low), x.at(high)
        start = (
            f"M{left + 10} {y - 8}l-10 8l10 8m-10-8"
            if low < x.low
            else f"M{left} {y - 8}v16m0-8"
        )
        end = "m-10-8l10 8l-10 8" if high > x.high else "m0-8v16"
        whisker = path(f"{start}h{right - left}{end}", "ch-w")
    shape = POST if span.weight is LineWeight.REFERENCE else DISC
    return whisker + path(mark(shape, (x.at(value), y)), "ch-f")


def _grid(rows: Sequence[Span], scale: Scale) -> Grid:
    head = ("Name", scale.label, "Low", "High", "n", "Note")
    return Grid(
        head,
        (
            drawing.names([span.name for span in rows], [span.href for span in rows]),
            drawing.values(scale, [finite(span.value) for span in rows]),
            drawing.values(scale, [finite(span.low) for span in rows]),
            drawing.values(scale, [finite(span.high) for span in rows]),
            drawing.counts([span.n for span in rows]),
            Strip(tuple(span.note for span in rows)),
        ),
    )
