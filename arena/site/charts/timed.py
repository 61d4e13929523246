"""Lines over time, as they are drawn: equity, drawdown, ranks and prices."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from math import floor
from operator import lt

import numpy as np
from numpy.typing import NDArray

from arena.site.charts import drawing
from arena.site.charts.axis import (
    Axis,
    Box,
    apart,
    axis,
    base_line,
    date_axis,
    dated,
    extremes,
    gutter,
    telling,
    upright,
)
from arena.site.charts.drawing import (
    Draw,
    Drawn,
    Place,
    Places,
    Room,
    band,
    figure,
    fitted,
    group,
    look,
    mark,
    path,
    polyline,
    series_class,
    shape_of,
    stairs,
    tones,
    wide_is,
    words,
)
from arena.site.charts.subjects import Curve, Flag, LineWeight, Point, Scale, Words
from arena.site.pages.parts import Figure, Grid, Key, Look, Strip
from arena.site.sanitize import one_line

MOST_MOMENTS = 1200  # two a CSS pixel of the wide drawing


@dataclass(frozen=True, slots=True)
class Track:
    """A line as it is drawn: its points in columns, its classes, and whether it has a band.

    `numbers` are its values, NaN where one is missing. `tone` numbers its colour and shape.
    """

    curve: Curve
    kind: str
    moments: tuple[datetime, ...]
    values: tuple[float | None, ...]
    banded: bool
    numbers: NDArray[np.float64]
    tone: int = 0

    @property
    def name(self) -> str:
        """The line's name, fit for a table and a legend."""
        return one_line(self.curve.name, drawing.NAME)

    @property
    def weight(self) -> LineWeight:
        """How prominently the line is drawn."""
        return self.curve.weight


@dataclass(frozen=True, slots=True)
class Course:
    """Lines as they are drawn; `moments` are those of all of them, in order."""

    moments: tuple[datetime, ...]
    tracks: tuple[Track, ...]

    @property
    def span(self) -> tuple[datetime, datetime]:
        """The first and the last moment."""
        return self.moments[0], self.moments[-1]

    def since(self, first: datetime) -> "Course":
        """The same lines from a moment on; one that ended before it has no points left."""
        kept = self.moments[bisect_left(self.moments, first) :]
        return Course(kept, tuple(_later(track, first) for track in self.tracks))

    def reach(self, floor: float = 0.0) -> tuple[float, ...]:
        """What an axis must hold: of each line the least, the least above a floor, the most."""
        bounds: list[float] = []
        for track in self.tracks:
            values = track.numbers
            if track.banded:
                ends = [(p.low, p.high) for p in track.curve.points]
                values = np.concatenate((values, np.array(ends, np.float64).ravel()))
            values = values[~np.isnan(values)]
            if len(values):
                bounds += (float(values.min()), float(values.max()))
                above = values[values > floor]
                bounds += above.min(keepdims=True).tolist() if len(above) else ()
        return tuple(bounds)


def course(lines: Sequence[Curve], most: int = MOST_MOMENTS) -> Course | None:
    """Bring lines together; None where they have no value at all.

    Where they have more than `most` moments together, only those stay at which a line is at
    an extreme. What is no number becomes None.
    """
    tracks = _tracks(lines)
    if all(np.isnan(track.numbers).all() for track in tracks):
        return None
    own = [track.moments for track in tracks]
    alike = all(a == b for a, b in pairwise(own))
    moments = own[0] if alike else tuple(sorted(set().union(*own)))
    return _thinned(moments, tracks, most) if len(moments) > most else Course(moments, tracks)


def timed_grid(series: Course, scale: Scale, flags: Sequence[Flag] = ()) -> Grid:
    """The numbers of lines, a row a moment; flags have a column if there are any.

    Where every moment is a midnight they are days, and named so: a day's value is of its end.
    """
    flag_texts: dict[datetime, list[str]] = {}
    for flag in flags:
        flag_texts.setdefault(flag.at, []).append(one_line(flag.text, 200))
    moments = tuple(sorted({*series.moments, *flag_texts})) if flag_texts else series.moments
    daily = all(at.astimezone(UTC).time() == time() for at in moments)
    columns = [drawing.days(moments) if daily else drawing.moments(moments)]
    columns += [_column(track, moments, scale) for track in series.tracks]
    names = [track.name for track in series.tracks]
    if flag_texts:
        columns.append(Strip(tuple(["; ".join(flag_texts.get(at, ())) for at in moments])))
        names.append("What happened")
    head = "Day, UTC" if daily else "Moment, UTC"
    return Grid((head, *names), tuple(columns))


def timed_keys(series: Course) -> tuple[Key, ...]:
    """The legend of lines, with the marks of main lines; empty for a single line."""
    if len(series.tracks) == 1:
        return ()
    keys = []
    for track in series.tracks:
        marked = track.weight is LineWeight.MAIN and track.kind != "ch-q"
        shape = f" ch-n{shape_of(track.tone)}" if marked else ""
        keys.append(Key(track.name, f"{track.kind}{shape}", track.curve.href))
    return tuple(keys)


def _column(track: Track, moments: tuple[datetime, ...], scale: Scale) -> Strip:
    """The numbers of a line; below them the band about it, where it has one."""
    points, values = track.curve.points, track.values
    if track.moments != moments:
        table = dict(zip(track.moments, points, strict=True))
        points = tuple(table.get(at) or Point(at, None) for at in moments)
        values = tuple(point.value for point in points)
    notes = tuple(_about(point, scale) for point in points) if track.banded else ()
    return drawing.values(scale, values, notes)


def _about(point: Point, scale: Scale) -> str:
    if point.value is None or point.low is None or point.high is None:
        return ""
    return f"{scale.shown(point.low)} to {scale.shown(point.high)}"


def _tracks(lines: Sequence[Curve]) -> tuple[Track, ...]:
    """The lines in the order of time, one point a moment, the last one given."""
    numbered = tones((line.weight, line.tone) for line in lines)
    tracks: list[Track] = []
    for line, tone in zip(lines, numbered, strict=True):
        track = _track(line, tone)
        # in order, as that one is
        same_moments = tracks and track.moments == tracks[-1].moments
        rising = same_moments or all(map(lt, track.moments, track.moments[1:]))
        missing = np.count_nonzero(~np.isfinite(track.numbers))
        if not rising or missing > track.values.count(None):
            points = {p.at: p for p in line.points}
            ordered = tuple(_finite(points[at]) for at in sorted(points))
            track = _track(replace(line, points=ordered), tone)
        tracks.append(track)
    return tuple(tracks)


def _finite(point: Point) -> Point:
    if point.value is None or math.isfinite(point.value):
        return point
    return Point(point.at, None)


def _track(line: Curve, tone: int) -> Track:
    points = line.points
    moments, values = tuple([p.at for p in points]), tuple([p.value for p in points])
    banded = any(p.low is not None for p in points)
    kind = series_class(tone, line.weight)
    return Track(line, kind, moments, values, banded, np.array(values, np.float64), tone)


def _later(track: Track, first: datetime) -> Track:
    at = bisect_left(track.moments, first)
    return _track(replace(track.curve, points=track.curve.points[at:]), track.tone)


def _thinned(moments: tuple[datetime, ...], tracks: tuple[Track, ...], most: int) -> Course:
    tables = [dict(zip(track.moments, track.values, strict=True)) for track in tracks]
    kept = telling([[t.get(at) for at in moments] for t in tables], most)
    chosen = dict.fromkeys(moments[i] for i in kept)
    lines = (
        replace(t.curve, points=tuple(p for p in t.curve.points if p.at in chosen))
        for t in tracks
    )
    return Course(tuple(chosen), tuple(map(_track, lines, [t.tone for t in tracks])))


MOST_NARROW = 90  # points of a line on a phone
LABEL = 300  # the most room that a name at the end of a line gets
BETWEEN_MARKS = 200
LEADER = 40

Pen = Callable[[Places], str]
Across = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlotField:
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
            f' data-t="{floor(self.x.low)} {floor(self.x.high)}"'
        )


def label_room(series: Course, room: Room) -> int:
    """The width that names at the ends of lines need; on a phone they are not drawn."""
    names = [track.name for track in series.tracks if track.weight is not LineWeight.QUIET]
    if room.narrow or not names:
        return 12
    return LEADER + min(LABEL, max(wide_is(name, room.size) for name in names))


def strands(series: Course, field: PlotField, pen: Pen) -> str:
    """Draw lines: quiet ones first, so that the others lie on top, then marks and names."""
    across = _across(series, field)
    drawn: dict[LineWeight, list[str]] = {weight: [] for weight in LineWeight}
    for nth, (track, xs) in enumerate(zip(series.tracks, across, strict=True)):
        runs = _runs(track, xs, field)
        inner = _areas(track, xs, field, held=pen is stairs) if track.banded else ""
        inner += path("".join(pen(run) for run in runs[0]), "ch-l")
        inner += path("".join(pen(run) for run in runs[1]), "ch-l ch-m")
        if track.weight is LineWeight.MAIN:
            inner += _marks(track.tone, track.kind, [*runs[0], *runs[1]])
        drawn[track.weight].append(group(nth, track.kind, inner))
    order = (LineWeight.QUIET, LineWeight.REFERENCE, LineWeight.MAIN)
    return "".join("".join(drawn[weight]) for weight in order) + _names(series, field, across)


def flagged(flags: Sequence[Flag], field: PlotField) -> str:
    """Draw flags as dotted lines, with their text above if there is room."""
    first, last = field.x.low, field.x.high
    timed_texts = sorted((flag.at.timestamp(), flag.text) for flag in flags)
    inside = [(field.x.at(at), text) for at, text in timed_texts if first <= at <= last]
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


def _across(series: Course, field: PlotField) -> list[Across]:
    """The x coordinates of the moments of each line."""
    xs = field.x.all_at(np.array([at.timestamp() for at in series.moments]))
    nth = {at: n for n, at in enumerate(series.moments)}
    return [
        xs if track.moments == series.moments else xs[[nth[at] for at in track.moments]]
        for track in series.tracks
    ]


def _runs(track: Track, across: Across, field: PlotField) -> tuple[list[Places], list[Places]]:
    """The unbroken parts of a line: those settled, and those marked after that."""
    until, many = track.curve.solid_until, len(across)
    settled = many if until is None else bisect_right(track.moments, until)
    start = max(0, settled - 1) if settled < many else many
    solid = _broken(across[:settled], track.numbers[:settled], field.y)
    rest = _broken(across[start:], track.numbers[start:], field.y)
    return _few(solid, field), _few(rest, field)


def _broken(across: Across, values: NDArray[np.float64], y: Axis) -> list[Places]:
    """The parts of a line between its gaps; a log axis has no place for its floor and less."""
    kept = np.flatnonzero(values > y.floor if y.log else ~np.isnan(values))
    if not len(kept):
        return []
    places = np.empty((len(kept), 2), np.int64)
    places[:, 0] = across[kept]
    places[:, 1] = y.all_at(values[kept])
    if kept[-1] - kept[0] == len(kept) - 1:
        return [places]
    return np.split(places, np.flatnonzero(np.diff(kept) > 1) + 1)


def _few(runs: list[Places], field: PlotField) -> list[Places]:
    if not field.room.narrow:
        return runs
    many = sum(len(run) for run in runs)
    return [extremes(run, max(4, MOST_NARROW * len(run) // many)) for run in runs]


def _areas(track: Track, across: Across, field: PlotField, *, held: bool) -> str:
    """The band about a line; `held` where its ends stay until the next ones."""
    above: list[list[Place]] = [[]]
    below: list[list[Place]] = [[]]
    for x, point in zip(across.tolist(), track.curve.points, strict=True):
        if point.low is None or point.high is None:
            above.append([])
            below.append([])
            continue
        above[-1].append((x, field.y.at(point.high)))
        below[-1].append((x, field.y.at(point.low)))
    if held:
        above, below = list(map(_steps, above)), list(map(_steps, below))
    data = "".join(band(a, b) for a, b in zip(above, below, strict=True))
    return path(data, "ch-a")


def _steps(places: list[Place]) -> list[Place]:
    """The corners of stairs through places."""
    corners = [(after[0], before[1]) for before, after in pairwise(places)]
    turns = [place for pair in zip(corners, places[1:], strict=True) for place in pair]
    return [*places[:1], *turns]


def _marks(tone: int, kind: str, runs: list[Places]) -> str:
    """The shape of a line, now and then along it and at its end."""
    if not runs or kind == "ch-q":
        return ""
    places = np.concatenate(runs)
    across = places[:, 0]
    wanted = across[0] + BETWEEN_MARKS // 2 + tone * 37 % BETWEEN_MARKS
    last, chosen = len(places) - 1, []
    clear = np.searchsorted(across, across[-1] - BETWEEN_MARKS // 3)  # of the one at the end
    while (nth := np.searchsorted(across, wanted)) < clear:
        chosen.append(nth)
        wanted = across[nth] + BETWEEN_MARKS
    marked_places = places[[*chosen, last]].tolist()
    return path("".join(mark(tone, (x, y)) for x, y in marked_places), "ch-f")


def _names(series: Course, field: PlotField, across: Sequence[Across]) -> str:
    """Names at the ends of lines, moved apart, with a leader to the line."""
    if field.room.narrow:
        return ""
    ends: list[tuple[int, Place]] = []
    for nth, track in enumerate(series.tracks):
        last = _last(track, across[nth], field.y)
        if last is not None and track.weight is not LineWeight.QUIET:
            ends.append((nth, last))
    box, size = field.box, field.room.size
    most = (box.bottom - box.top) // field.room.size + 1
    ends = ends[:most]
    levels = apart([at[1] for _, at in ends], size + 3, (box.top, box.bottom))
    drawn = []
    for (nth, (x, y)), where in zip(ends, levels, strict=True):
        name = fitted(
            series.tracks[nth].curve.name, field.room.width - box.right - LEADER, size
        )
        leader = path(f"M{x + 14} {y}L{box.right + LEADER - 8} {where}", "ch-k")
        label = words(box.right + LEADER, where + size * 7 // 20, name, "ch-t")
        drawn.append(group(nth, series.tracks[nth].kind, leader + label))
    return "".join(drawn)


def _last(track: Track, across: Across, y: Axis) -> Place | None:
    """Where a line ends."""
    for x, value in zip(across[::-1].tolist(), reversed(track.values), strict=True):
        if value is not None:
            return x, y.at(value)
    return None


HEIGHT = 620
TOLD = 8  # lines of which the end is said in words
MOST_RANGES = 2
MORE = 1.5  # times as long as a range is the whole, where it can be chosen
LEAST = 7  # moments of a range
RATIO = 2  # of the most to the least: below it a log axis looks much like another


def curves(
    words: Words,
    lines: Sequence[Curve],
    scale: Scale,
    flags: Sequence[Flag] = (),
    *,
    ranges: Sequence[int] = (),
) -> Figure | None:
    """Draw lines over time.

    None where there is nothing to draw.

    Args:
        words: What the figure is called and says.
        lines: What is drawn.
        scale: What is measured. With a `floor` there is a log axis to choose.
        flags: What happened meanwhile.
        ranges: Days, the longest first: the last so many can be chosen where there is more.
    """
    series = course(lines)
    if series is None:
        return None
    grid = timed_grid(series, scale, flags)
    description = f"{words.caption} {ends_of(series, scale)}"
    drawn = figure(
        words, _pen(series, scale, flags), grid, timed_keys(series), description=description
    )
    parts = [(n, part) for n in ranges if (part := _last_days(series, n))][:MOST_RANGES]
    looks = [
        look(words, f"d{n}", f"Last {n} days", _pen(part, scale, flags)) for n, part in parts
    ]
    if scale.floor is not None and _log_tells(series.reach(scale.floor), scale.floor):
        by_ratio = _pen(series, replace(scale, log=True), flags)
        looks.append(look(words, "log", "Log scale", by_ratio))
    shown = Look("all", "All" if parts else "Linear")
    return replace(drawn, looks=(shown, *looks)) if looks else drawn


def _pen(series: Course, scale: Scale, flags: Sequence[Flag]) -> Draw:
    def draw(room: Room) -> Drawn:
        field = _field(series, scale, room)
        inside = upright(field.y, field.box, room, scale.label)
        inside += base_line(field.y, field.box, scale.base, across=True)
        inside += dated(field.x, field.box, room) + flagged(flags, field)
        return Drawn(inside + strands(series, field, polyline), HEIGHT, field.data)

    return draw


def _last_days(series: Course, days: int) -> Course | None:
    """The last days of lines; None if they are most of the range, or too few points."""
    first, last = series.span
    length = timedelta(days=days)
    if last - first < MORE * length:
        return None
    part = series.since(last - length)
    return part if len(part.moments) >= LEAST and part.reach() else None


def _log_tells(reach: Sequence[float], floor: float) -> bool:
    """Whether a log axis moves a point by nearly a tenth of the axis's height."""
    left = [v - floor for v in reach if v > floor]
    return bool(left) and max(left) >= RATIO * min(left)


def ends_of(series: Course, scale: Scale) -> str:
    """The last values of the first few lines, in words."""
    ends = []
    for track in series.tracks:
        last = next((v for v in reversed(track.values) if v is not None), None)
        if last is not None and track.weight is not LineWeight.QUIET:
            ends.append(f"{track.name} {scale.shown(last)}")
    return f"At the end: {', '.join(ends[:TOLD])}." if ends else ""


def _field(series: Course, scale: Scale, room: Room) -> PlotField:
    top, bottom = room.line + room.size, HEIGHT - room.line - 14
    y = axis(scale, series.reach(scale.floor or 0.0), (bottom, top))
    left, right = gutter(y, room), room.width - label_room(series, room)
    x = date_axis(series.span, (left, right), max(2, (right - left) // 112))
    return PlotField(room, Box(left, top, right, bottom), x, y)
