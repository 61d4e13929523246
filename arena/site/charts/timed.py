"""Lines over time, as they are drawn: equity, drawdown, ranks and prices."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from arena.site.charts.axis import Axis
from arena.site.charts.course import Course, Track
from arena.site.charts.drawing import Room
from arena.site.charts.frame import Box
from arena.site.charts.labels import apart
from arena.site.charts.subjects import Flag, Weight
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
    told = [track.name for track in found.tracks if track.weight is not Weight.QUIET]
    if room.narrow or not told:
        return 12
    return LEADER + min(LABEL, max(wide_is(name, room.size) for name in told))


def strands(found: Course, field: Field, pen: Pen) -> str:
    """Draw lines: quiet ones first, so that the others lie on top, then marks and names."""
    stamps = [at.timestamp() for at in found.moments]
    xs = dict(zip(found.moments, field.x.all_at(stamps), strict=True))
    drawn: dict[Weight, list[str]] = {weight: [] for weight in Weight}
    main = 0
    for nth, track in enumerate(found.tracks):
        across = list(xs.values())
        if track.moments != found.moments:
            across = [xs[at] for at in track.moments]
        runs = _runs(track, across, field)
        inner = _areas(track, across, field) if track.banded else ""
        inner += path("".join(pen(run) for run in runs[0]), "ch-l")
        inner += path("".join(pen(run) for run in runs[1]), "ch-l ch-m")
        if track.weight is Weight.MAIN:
            inner += _marks(main, track.kind, [*runs[0], *runs[1]])
            main += 1
        drawn[track.weight].append(group(nth, track.kind, inner))
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
    ends = [x for x, _ in inside[1:]] + [box.right]
    free_from = box.left
    for (x, text), after in zip(inside, ends if inside else (), strict=True):
        after_it, before_it = after - x - 16, x - 16 - free_from
        if field.room.narrow or max(after_it, before_it) < 3 * size:
            continue
        if after_it >= min(before_it, wide_is(text, size)):
            shown = fitted(text, after_it, size)
            names.append(words(x + 14, box.top - 9, shown, "ch-c"))
            free_from = x + 28 + wide_is(shown, size)
        else:
            names.append(words(x - 14, box.top - 9, fitted(text, before_it, size), "ch-c ch-e"))
            free_from = x + 16
    return path(drawn, "ch-v") + path(heads, "ch-t ch-c") + "".join(names)


def _runs(
    track: Track, across: list[int], field: Field
) -> tuple[list[list[Place]], list[list[Place]]]:
    """The unbroken parts of a line: those settled, and those marked after that."""
    until = track.curve.solid_until
    settled = len(across) if until is None else bisect_right(track.moments, until)
    values = track.values
    if None not in values and not field.y.log:
        up = field.y.all_at(values)  # type: ignore[arg-type]  # no None: just asked
        places = list(zip(across, up, strict=True))
        marked = places[max(0, settled - 1) :] if settled < len(places) else []
        return _few([places[:settled]], field), _few([marked], field)
    solid = _broken(across[:settled], values[:settled], field.y)
    start = max(0, settled - 1)
    rest = _broken(across[start:], values[start:], field.y) if settled < len(across) else []
    return _few(solid, field), _few(rest, field)


def _broken(
    across: Sequence[int], values: Sequence[float | None], y: Axis
) -> list[list[Place]]:
    """The parts of a line between its gaps; a log axis has no place for zero and less."""
    runs: list[list[Place]] = [[]]
    for x, value in zip(across, values, strict=True):
        if value is None or (y.log and value <= 0):
            runs.append([])
        else:
            runs[-1].append((x, y.at(value)))
    return runs


def _few(runs: list[list[Place]], field: Field) -> list[list[Place]]:
    kept = [run for run in runs if run]
    if not field.room.narrow:
        return kept
    many = sum(len(run) for run in kept)
    return [lttb(run, max(3, MOST_NARROW * len(run) // many)) for run in kept]


def _areas(track: Track, across: Sequence[int], field: Field) -> str:
    """The band about a line."""
    above: list[list[Place]] = [[]]
    below: list[list[Place]] = [[]]
    for x, point in zip(across, track.curve.points, strict=True):
        if point.low is None or point.high is None:
            above.append([])
            below.append([])
            continue
        above[-1].append((x, field.y.at(point.high)))
        below[-1].append((x, field.y.at(point.low)))
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
    for nth, track in enumerate(found.tracks):
        last = _last(track, xs, field.y)
        if last is not None and track.weight is not Weight.QUIET:
            ends.append((nth, last))
    box, size = field.box, field.room.size
    most = (box.bottom - box.top) // field.room.size + 1
    ends = ends[:most]
    levels = apart([at[1] for _, at in ends], size + 3, (box.top, box.bottom))
    drawn = []
    for (nth, (x, y)), where in zip(ends, levels, strict=True):
        name = fitted(found.tracks[nth].curve.name, field.room.width - box.right - LEADER, size)
        leader = path(f"M{x + 14} {y}L{box.right + LEADER - 8} {where}", "ch-k")
        told = words(box.right + LEADER, where + size * 7 // 20, name, "ch-t")
        drawn.append(group(nth, found.tracks[nth].kind, leader + told))
    return "".join(drawn)


def _last(track: Track, xs: dict[datetime, int], y: Axis) -> Place | None:
    """Where a line ends."""
    for at, value in zip(reversed(track.moments), reversed(track.values), strict=True):
        if value is not None:
            return xs[at], y.at(value)
    return None
