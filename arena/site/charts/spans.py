"""Dots with whiskers, a row each."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from statistics import median

from arena.metrics import figures
from arena.site.charts import drawing
from arena.site.charts.axis import Axis, Rows, laid_out, row, table
from arena.site.charts.drawing import (
    COLOURS,
    Drawn,
    Room,
    box,
    figure,
    finite,
    mark,
    path,
    series_class,
)
from arena.site.charts.subjects import LineWeight, Scale, Span, Split, Words
from arena.site.pages.parts import Figure, Grid, Key, Strip
from arena.site.sanitize import one_line

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
    inner = _span_svg(place.x, place.middle(nth), span)
    return series_class(0, span.weight), row(place, nth, span.name, _note(span), inner)


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


HALF = 13  # half the height of a bar
TEXTURES = 4


def splits(words: Words, rows: Sequence[Split], scale: Scale) -> Figure | None:
    """Draw each sum as its parts, stacked from zero: gains to one side, losses to the other.

    A line marks the total. None where there is nothing to draw.
    """
    kept = [split for split in rows if finite(split.total) is not None]
    if not kept:
        return None
    names = tuple(dict.fromkeys(name for split in kept for name, _ in split.parts))
    reach = [0.0, *(v for split in kept for v in (split.total, *_ends(split)))]
    labels = [(split.name, scale.shown(split.total + 0.0)) for split in kept]

    def draw(room: Room) -> Drawn:
        place = laid_out(room, scale, reach, labels)
        drawn = [_split_row(place, n, split, names, scale) for n, split in enumerate(kept)]
        return table(place, replace(scale, base=0.0), drawn)

    return figure(words, draw, _split_grid(kept, names, scale), _keys(names))


def _ends(split: Split) -> tuple[float, float]:
    values = [v for _, v in split.parts if finite(v) is not None]
    return sum(v for v in values if v < 0), sum(v for v in values if v > 0)


def _split_row(
    place: Rows, nth: int, split: Split, names: tuple[str, ...], scale: Scale
) -> tuple[str, str]:
    y = place.middle(nth)
    drawn = []
    less = more = 0.0
    for name, value in split.parts:
        if finite(value) is None or not value:
            continue
        start = more if value > 0 else less
        more, less = (more + value, less) if value > 0 else (more, less + value)
        drawn.append(_part(place.x, y, (start, start + value), names.index(name)))
    total = place.x.at(split.total)
    drawn.append(path(f"M{total} {y - 19}v38", "ch-x"))
    return "", row(place, nth, split.name, scale.shown(split.total + 0.0), "".join(drawn))


def _part(x: Axis, y: int, ends: tuple[float, float], nth: int) -> str:
    """A part: its colour, and its own texture, as colour alone says nothing to some."""
    left, right = sorted((x.at(ends[0]), x.at(ends[1])))
    wide = right - left
    if not wide:
        return ""
    texture = nth % TEXTURES
    shape = path(box(left, y - HALF, wide, 2 * HALF), f"ch-t ch-p{texture + 1}")
    edge = path(box(left + 1, y - HALF + 1, max(1, wide - 2), 2 * HALF - 2), "ch-y")
    lines = ""
    if texture == 1:
        lines = "".join(f"M{at} {y - HALF}v{2 * HALF}" for at in range(left + 8, right, 10))
    elif texture == 2:  # noqa: PLR2004  # the third of four
        lines = "".join(f"M{left} {at}h{wide}" for at in range(y - HALF + 6, y + HALF, 7))
    return f'<g class="ch-s{nth % COLOURS + 1}">{shape}{edge}{path(lines, "ch-y")}</g>'


def _split_grid(rows: Sequence[Split], names: tuple[str, ...], scale: Scale) -> Grid:
    head = ("Name", *(one_line(name, 60) for name in names), "Total")
    parts = [dict(split.parts) for split in rows]
    columns = (
        drawing.names([split.name for split in rows], [split.href for split in rows]),
        *(drawing.values(scale, [finite(part.get(name)) for part in parts]) for name in names),
        drawing.values(scale, [split.total for split in rows]),
    )
    return Grid(head, columns)


def _keys(names: tuple[str, ...]) -> tuple[Key, ...]:
    keys = [
        Key(one_line(name, 60), f"ch-s{n % COLOURS + 1} ch-box{n % TEXTURES + 1}")
        for n, name in enumerate(names)
    ]
    return (*keys, Key("total", "ch-r ch-tick"))
