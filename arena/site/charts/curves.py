"""Values over time: equity, drawdown."""

from collections.abc import Sequence

from arena.site.charts.axis import axis
from arena.site.charts.course import Course, course, timed_grid, timed_keys
from arena.site.charts.dates import date_axis
from arena.site.charts.drawing import Drawn, Room, figure
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

    grid = timed_grid(found, scale, flags)
    said = f"{words.caption} {ends_of(found, scale)}"
    return figure(words, draw, grid, timed_keys(found), said=said)


def ends_of(found: Course, scale: Scale) -> str:
    """Say in words where the first few lines end."""
    told = []
    for track in found.tracks:
        last = next((v for v in reversed(track.values) if v is not None), None)
        if last is not None and track.weight is not Weight.QUIET:
            told.append(f"{track.name} {scale.shown(last)}")
    return f"At the end: {', '.join(told[:TOLD])}." if told else ""


def _field(found: Course, scale: Scale, room: Room) -> Field:
    top, bottom = room.line + room.size, HEIGHT - room.line - 14
    y = axis(scale, found.reach(), (bottom, top))
    left, right = gutter(y, room), room.width - label_room(found, room)
    x = date_axis(found.span, (left, right), max(2, (right - left) // 112))
    return Field(room, Box(left, top, right, bottom), x, y)
