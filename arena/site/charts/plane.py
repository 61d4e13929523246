"""One value against another: cost and skill."""

from collections.abc import Sequence
from itertools import pairwise

from arena.site.charts import drawing
from arena.site.charts.axis import (
    Axis,
    Box,
    Spread,
    axis,
    base_line,
    free,
    gutter,
    level,
    upright,
)
from arena.site.charts.drawing import (
    Drawn,
    Room,
    figure,
    finite,
    fitted,
    group,
    mark,
    path,
    series_class,
    shape_of,
    tones,
    wide_is,
)
from arena.site.charts.drawing import words as text
from arena.site.charts.subjects import LineWeight, Scale, Spot, Words
from arena.site.pages.parts import Figure, Grid, Key, Strip
from arena.site.sanitize import one_line

HEIGHT = 720
LABEL = 280
DOT = 14


def plane(words: Words, spots: Sequence[Spot], across: Scale, up: Scale) -> Figure | None:
    """Draw contestants on a plane, and those that nobody beats in both values.

    Less of `across` and more of `up` is better. None where there is nothing to draw.
    """
    kept = [s for s in spots if finite(s.x) is not None and finite(s.y) is not None]
    if not kept:
        return None
    front = unbeaten(kept)

    def draw(room: Room) -> Drawn:
        return _drawing(kept, front, (across, up), room)

    return figure(words, draw, _grid(kept, front, across, up), _keys(kept))


def _keys(spots: Sequence[Spot]) -> tuple[Key, ...]:
    named = [
        Key(one_line(spot.name, drawing.NAME), f"{kind} ch-n{shape_of(tone)}", spot.href)
        for spot, (tone, kind) in zip(spots, _kinds(spots), strict=True)
    ]
    front = "nobody has a lower cost and a higher score (not tested)"
    return (*named, Key(front, "ch-r ch-front"))


def _kinds(spots: Sequence[Spot]) -> list[tuple[int, str]]:
    """The number of each spot's colour and shape, and its classes."""
    numbered = tones((s.weight, s.tone) for s in spots)
    return [
        (tone, series_class(tone, s.weight)) for tone, s in zip(numbered, spots, strict=True)
    ]


def unbeaten(spots: Sequence[Spot]) -> tuple[int, ...]:
    """The Pareto front: indices of the spots that no other dominates, from left to right.

    A spot dominates another if its x is no larger, its y is no smaller, and they differ. Of
    equal spots the first is on the front.
    """
    order = sorted(range(len(spots)), key=lambda i: (spots[i].x, -spots[i].y))
    frontier: list[int] = []
    for i in order:
        if not frontier or spots[i].y > spots[frontier[-1]].y:
            frontier.append(i)
    return tuple(frontier)


def _drawing(
    spots: Sequence[Spot], front: tuple[int, ...], scales: tuple[Scale, Scale], room: Room
) -> Drawn:
    across, up = scales
    box, x, y = _axes(spots, across, up, room)
    body = upright(y, box, room, up.label) + level(x, box, room, across.label)
    body += base_line(y, box, up.base, across=True)
    body += path(f"M{box.left} {box.top}v{box.bottom - box.top}h{box.right - box.left}", "ch-b")
    places = [(x.at(s.x), y.at(s.y)) for s in spots]
    body += group(None, "ch-r", path(_front([places[i] for i in front], box), "ch-j"))
    taken = [(a - DOT, b - DOT, a + DOT, b + DOT) for a, b in places]
    taken += _strokes(spots, front, x, y)
    for nth, (spot, (tone, kind)) in enumerate(zip(spots, _kinds(spots), strict=True)):
        at = places[nth]
        inner = _cross(spot, x, y) + path(mark(tone, at), "ch-f")
        inner += _name(spot, at, taken, box, room)
        body += group(nth, kind, inner)
    return Drawn(body, box.bottom + 2 * room.line + 22)


def _axes(
    spots: Sequence[Spot], across: Scale, up: Scale, room: Room
) -> tuple[Box, Axis, Axis]:
    top = room.line + room.size
    bottom = top + HEIGHT - 150
    ys = [v for s in spots for v in (s.y, finite(s.y_low), finite(s.y_high))]
    y = axis(up, ys, (bottom, top), 6)
    left, right = gutter(y, room), room.width - 16
    xs = [v for s in spots for v in (s.x, finite(s.x_low), finite(s.x_high))]
    x = axis(across, xs, (left, right), max(2, (right - left) // 150))
    return Box(left, top, right, bottom), x, y


def _front(places: Sequence[tuple[int, int]], box: Box) -> str:
    """A step line: what a budget buys at best."""
    x, y = places[0]
    data = f"M{x} {box.bottom}V{y}"
    for a, b in places[1:]:
        data += f"h{a - x}v{b - y}"
        x, y = a, b
    return data + f"h{box.right - x}"


def _strokes(spots: Sequence[Spot], front: tuple[int, ...], x: Axis, y: Axis) -> list[Spread]:
    """The room that crosshairs and the front take: no name should lie on a line."""
    strokes: list[Spread] = []
    for s in spots:
        a, b = x.at(s.x), y.at(s.y)
        if s.x_low is not None and s.x_high is not None:
            strokes.append((x.at(s.x_low), b - 1, x.at(s.x_high), b + 1))
        if s.y_low is not None and s.y_high is not None:
            strokes.append((a - 1, y.at(s.y_high), a + 1, y.at(s.y_low)))
    corners = [(x.at(spots[i].x), y.at(spots[i].y)) for i in front]
    for (a, b), (c, d) in pairwise(corners):
        strokes += [(a, b - 2, c, b + 2), (c - 2, d, c + 2, b)]
    return strokes


def _cross(spot: Spot, x: Axis, y: Axis) -> str:
    data = ""
    if spot.x_low is not None and spot.x_high is not None:
        left, right = x.at(spot.x_low), x.at(spot.x_high)
        data += f"M{left} {y.at(spot.y)}h{right - left}"
    if spot.y_low is not None and spot.y_high is not None:
        low, high = y.at(spot.y_low), y.at(spot.y_high)
        data += f"M{x.at(spot.x)} {low}v{high - low}"
    return path(data, "ch-k")


def _name(spot: Spot, at: tuple[int, int], taken: list[Spread], box: Box, room: Room) -> str:
    """A name beside its dot, where it covers nothing; nowhere, if there is no such place."""
    if spot.weight is LineWeight.QUIET:
        return ""
    name = fitted(spot.name, LABEL, room.size)
    wide, high = wide_is(name, room.size), room.size
    x, y = at
    within = (box.left, box.top - high, box.right, box.bottom)
    offsets = (-8, high + 2, -8 - high, 2 * high + 4, -8 - 2 * high, 3 * high + 6)
    starts = (x + DOT, x - DOT - wide)
    for a, b in [(start, y + offset) for offset in offsets for start in starts]:
        spread = (a, b - high + 5, a + wide, b + 6)
        if free(spread, taken, within):
            taken.append(spread)
            return text(a, b, name, "ch-t ch-0")
    return ""


def _grid(spots: Sequence[Spot], front: tuple[int, ...], across: Scale, up: Scale) -> Grid:
    head = ("Name", across.label, "Low", "High", up.label, "Low", "High", "Unbeaten")
    xs = zip(*[(s.x, s.x_low, s.x_high) for s in spots], strict=True)
    ys = zip(*[(s.y, s.y_low, s.y_high) for s in spots], strict=True)
    columns = (
        drawing.names([s.name for s in spots], [s.href for s in spots]),
        *(drawing.values(across, map(finite, column)) for column in xs),
        *(drawing.values(up, map(finite, column)) for column in ys),
        Strip(tuple("yes" if nth in front else "no" for nth in range(len(spots)))),
    )
    return Grid(head, columns)
