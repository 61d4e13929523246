"""Ranks over time, with what tests leave open."""

from collections.abc import Sequence

from arena.site.charts.axis import Axis
from arena.site.charts.course import Course, course, timed_grid, timed_keys
from arena.site.charts.curves import ends_of
from arena.site.charts.dates import date_axis
from arena.site.charts.drawing import Drawn, Room, figure
from arena.site.charts.frame import Box, dated, gutter, upright
from arena.site.charts.subjects import Curve, Scale, Words
from arena.site.charts.svg import polyline
from arena.site.charts.timed import Field, label_room, strands
from arena.site.views.parts import Figure

ROW = 44
LEAST_ROWS, MOST_ROWS = 4, 30

_SCALE = Scale("Rank, the first on top", lambda v: f"{v:.0f}")


def ranks(words: Words, lines: Sequence[Curve], most: int) -> Figure | None:
    """Draw ranks over time, the first on top of `most`.

    None where there is nothing to draw.
    """
    found = course(lines)
    if found is None:
        return None
    said = [v for track in found.tracks for v in track.values if v is not None]
    last = max(most, 2, *(round(v) for v in said))
    height = ROW * min(max(last, LEAST_ROWS), MOST_ROWS)

    def draw(room: Room) -> Drawn:
        field = _field(found, last, height, room)
        inside = upright(field.y, field.box, room, _SCALE.label)
        inside += dated(field.x, field.box, room)
        inside += strands(found, field, polyline)
        return Drawn(inside, field.box.bottom + room.line + 14, field.data)

    grid = timed_grid(found, _SCALE)
    told = f"{words.caption} {ends_of(found, _SCALE)}"
    return figure(words, draw, grid, timed_keys(found), said=told)


def _field(found: Course, last: int, height: int, room: Room) -> Field:
    top = room.line + room.size
    bottom = top + height
    every = -(-last // MOST_ROWS)
    told = tuple((float(n), str(n)) for n in range(1, last + 1, every))
    y = Axis(1 - 0.5, last + 0.5, top, bottom, told)
    left, right = gutter(y, room), room.width - label_room(found, room)
    x = date_axis(found.span, (left, right), max(2, (right - left) // 112))
    return Field(room, Box(left, top, right, bottom), x, y)
