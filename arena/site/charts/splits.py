"""Sums and their parts: where P/L comes from."""

from collections.abc import Sequence

from arena.site.charts.parts import drawing
from arena.site.charts.parts.axis import Axis
from arena.site.charts.parts.drawing import Drawn, Room, figure, finite
from arena.site.charts.parts.frame import Rows, laid_out, row, table
from arena.site.charts.parts.palette import COLOURS
from arena.site.charts.parts.svg import box, path
from arena.site.charts.subjects import Scale, Split, Words
from arena.site.pages.parts import Figure, Grid, Key
from arena.site.sanitize import one_line

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
        drawn = [_row(place, n, split, names, scale) for n, split in enumerate(kept)]
        return table(place, _from_zero(scale), drawn)

    return figure(words, draw, _grid(kept, names, scale), _keys(names))


def _from_zero(scale: Scale) -> Scale:
    return Scale(scale.label, scale.shown, scale.low, scale.high, 0.0)


def _ends(split: Split) -> tuple[float, float]:
    values = [v for _, v in split.parts if finite(v) is not None]
    return sum(v for v in values if v < 0), sum(v for v in values if v > 0)


def _row(
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


def _grid(rows: Sequence[Split], names: tuple[str, ...], scale: Scale) -> Grid:
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
