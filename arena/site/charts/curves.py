"""Values over time: equity, drawdown."""

from collections.abc import Iterator, Sequence

from arena.site.charts.axis import axis
from arena.site.charts.course import Course, course, lines_of, timed_grid, timed_keys
from arena.site.charts.dates import date_axis
from arena.site.charts.drawing import Drawn, Room, figure, point_cell
from arena.site.charts.frame import Box, base_line, dated, gutter, upright
from arena.site.charts.subjects import Curve, Flag, Scale, Weight, Words
from arena.site.charts.svg import polyline
from arena.site.charts.timed import Field, flagged, label_room, strands
from arena.site.views.parts import Figure

HEIGHT = 620
TOLD = 8  # lines of which the end is said in words


def curves(
    words: Words, lines: Sequence[Curve], scale: Scale, flags: Sequence[Flag] = ()
) -> Figure | None:
    """Draw lines over time.

    None where there is nothing to draw.
    """
    found = course(lines)
    if found is None:
        return None

    def draw(room: Room) -> Drawn:
        field = _field(found, scale, room)
        inside = upright(field.y, field.box, room, scale.label)
        inside += base_line(field.y, field.box, scale.base, across=True)
        inside += dated(field.x, field.box, room) + flagged(flags, field)
        return Drawn(inside + strands(found, field, polyline), HEIGHT, field.data)

    grid = timed_grid(found, lambda point: point_cell(scale, point), flags)
    said = f"{words.caption} {ends_of(found, scale)}"
    return figure(words, draw, grid, timed_keys(found), said=said)


def ends_of(found: Course, scale: Scale) -> str:
    """Say in words where the first few lines end."""
    told = []
    for line in found.lines:
        values = [p.value for p in line.points if p.value is not None]
        if values and line.weight is not Weight.QUIET:
            told.append(f"{lines_of(line)} {scale.shown(values[-1])}")
    return f"At the end: {', '.join(told[:TOLD])}." if told else ""


def _field(found: Course, scale: Scale, room: Room) -> Field:
    top, bottom = room.line + room.size, HEIGHT - room.line - 14
    y = axis(scale, _values(found), (bottom, top))
    left, right = gutter(y, room), room.width - label_room(found, room)
    x = date_axis(found.span, (left, right), max(2, (right - left) // 130))
    return Field(room, Box(left, top, right, bottom), x, y)


def _values(found: Course) -> Iterator[float | None]:
    for line in found.lines:
        for point in line.points:
            yield point.value
            yield point.low
            yield point.high
