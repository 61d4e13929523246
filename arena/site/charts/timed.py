"""Lines over time, as they are drawn: equity, drawdown, ranks and prices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from arena.site.charts.axis import Axis
from arena.site.charts.course import Course, lines_of
from arena.site.charts.drawing import Room
from arena.site.charts.frame import Box
from arena.site.charts.labels import apart
from arena.site.charts.subjects import Curve, Flag, Weight
from arena.site.charts.svg import (
    Place,
    band,
    fitted,
    group,
    mark,
    path,
    wide_is,
    words,
)
from arena.site.charts.thin import lttb

MOST_NARROW = 90  # points of a line on a phone
LABEL = 300  # the most room that a name at the end of a line gets
BETWEEN_MARKS = 200
LEADER = 40

Pen = Callable[[Sequence[Place]], str]


@dataclass(frozen=True, slots=True)
class Field:
    """Where lines are drawn: the box, both axes, and the paper."""

    room: Room
    box: Box
    x: Axis
    y: Axis

    @property
    def data(self) -> str:
        """What the script must know to find the moment under a pointer."""
        box = self.box
        return (
            f' data-b="{box.left} {box.top} {box.right} {box.bottom}"'
            f' data-t="{round(self.x.low)} {round(self.x.high)}"'
        )


def label_room(found: Course, room: Room) -> int:
    """How much room names at the ends of lines need: none on a phone."""
    told = [lines_of(line) for line in found.lines if line.weight is not Weight.QUIET]
    if room.narrow or not told:
        return 12
    return LEADER + min(LABEL, max(wide_is(name, room.size) for name in told))


def strands(found: Course, field: Field, pen: Pen) -> str:
    """Draw lines: quiet ones first, so that the others lie on top, then marks and names."""
    xs = {at: field.x.at(at.timestamp()) for at in found.moments}
    drawn: dict[Weight, list[str]] = {weight: [] for weight in Weight}
    main = 0
    for nth, (line, kind) in enumerate(zip(found.lines, found.kinds, strict=True)):
        marks = ""
        solid, marked = _runs(line, xs, field)
        if line.weight is Weight.MAIN:
            marks = _marks(main, kind, [*solid, *marked])
            main += 1
        inner = _areas(line, xs, field)
        inner += path("".join(pen(run) for run in solid), "ch-l")
        inner += path("".join(pen(run) for run in marked), "ch-l ch-m")
        drawn[line.weight].append(group(nth, kind, inner + marks))
    order = (Weight.QUIET, Weight.REFERENCE, Weight.MAIN)
    return "".join("".join(drawn[weight]) for weight in order) + _names(found, field, xs)


def flagged(flags: Sequence[Flag], field: Field) -> str:
    """Draw what happened as dotted lines; words stand above where there is room for them."""
    first, last = field.x.low, field.x.high
    told = sorted((flag.at.timestamp(), flag.text) for flag in flags)
    inside = [(field.x.at(at), text) for at, text in told if first <= at <= last]
    box, size = field.box, field.room.size
    drawn = "".join(f"M{x} {box.top}v{box.bottom - box.top}" for x, _ in inside)
    heads = "".join(f"M{x} {box.top}l-8-12h16z" for x, _ in inside)
    names: list[str] = []
    free_from = box.left
    for (x, text), after in zip(inside, [*(x for x, _ in inside[1:]), box.right], strict=True):
        room = max(after, x) - x - 8
        shown = fitted(text, room, size)
        if x >= free_from and room > 4 * size and not field.room.narrow:
            names.append(words(x + 8, box.top + size - 4, shown, "ch-c"))
            free_from = x + wide_is(shown, size)
    return path(drawn, "ch-v") + path(heads, "ch-t ch-c") + "".join(names)


def _runs(
    line: Curve, xs: dict[datetime, int], field: Field
) -> tuple[list[list[Place]], list[list[Place]]]:
    """The unbroken parts of a line: those settled, and those marked after that."""
    solid: list[list[Place]] = [[]]
    marked: list[list[Place]] = [[]]
    until, y = line.solid_until, field.y
    for point in line.points:
        if point.value is None or (y.log and point.value <= 0):
            solid.append([])
            marked.append([])
            continue
        place = (xs[point.at], y.at(point.value))
        if until is None or point.at <= until:
            solid[-1].append(place)
            continue
        if not marked[-1] and solid[-1]:
            marked[-1].append(solid[-1][-1])
        marked[-1].append(place)
    return _few(solid, field), _few(marked, field)


def _few(runs: list[list[Place]], field: Field) -> list[list[Place]]:
    kept = [run for run in runs if run]
    if not field.room.narrow:
        return kept
    many = sum(len(run) for run in kept)
    return [lttb(run, max(3, MOST_NARROW * len(run) // many)) for run in kept]


def _areas(line: Curve, xs: dict[datetime, int], field: Field) -> str:
    """The band about a line."""
    above: list[list[Place]] = [[]]
    below: list[list[Place]] = [[]]
    for point in line.points:
        if point.low is None or point.high is None:
            above.append([])
            below.append([])
            continue
        above[-1].append((xs[point.at], field.y.at(point.high)))
        below[-1].append((xs[point.at], field.y.at(point.low)))
    data = "".join(band(a, b) for a, b in zip(above, below, strict=True))
    return path(data, "ch-a")


def _marks(main: int, kind: str, runs: list[list[Place]]) -> str:
    """The shape of a line, now and then along it and at its end."""
    places = [place for run in runs for place in run]
    if not places or kind == "ch-q":
        return ""
    wanted = places[0][0] + BETWEEN_MARKS // 2 + main * 37 % BETWEEN_MARKS
    chosen: list[Place] = []
    for before, place in pairwise(places):
        if place[0] >= wanted and before[0] < places[-1][0] - BETWEEN_MARKS // 3:
            chosen.append(place)
            wanted = place[0] + BETWEEN_MARKS
    chosen = [p for p in chosen if p[0] < places[-1][0] - BETWEEN_MARKS // 3]
    return path("".join(mark(main, place) for place in [*chosen, places[-1]]), "ch-f")


def _names(found: Course, field: Field, xs: dict[datetime, int]) -> str:
    """Names at the ends of lines, moved apart, with a leader to the line."""
    if field.room.narrow:
        return ""
    ends: list[tuple[int, Place]] = []
    for nth, line in enumerate(found.lines):
        last = next((p for p in reversed(line.points) if p.value is not None), None)
        if line.weight is not Weight.QUIET and last is not None and last.value is not None:
            ends.append((nth, (xs[last.at], field.y.at(last.value))))
    box, size = field.box, field.room.size
    most = (box.bottom - box.top) // field.room.size + 1
    ends = ends[:most]
    levels = apart([at[1] for _, at in ends], size + 3, (box.top, box.bottom))
    drawn = []
    for (nth, (x, y)), where in zip(ends, levels, strict=True):
        name = fitted(found.lines[nth].name, field.room.width - box.right - LEADER, size)
        leader = path(f"M{x + 14} {y}L{box.right + LEADER - 8} {where}", "ch-k")
        told = words(box.right + LEADER, where + size * 7 // 20, name, "ch-t")
        drawn.append(group(nth, found.kinds[nth], leader + told))
    return "".join(drawn)
