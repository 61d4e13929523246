"""Lines over time, before they are drawn: their moments, their classes, their table."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from itertools import pairwise
from operator import lt

import numpy as np
from numpy.typing import NDArray

from arena.site.charts.parts import drawing
from arena.site.charts.parts.palette import series_class, tones
from arena.site.charts.parts.svg import MARKS
from arena.site.charts.parts.thin import telling
from arena.site.charts.subjects import Curve, Flag, LineWeight, Point, Scale
from arena.site.pages.parts import Grid, Key, Strip
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
        shape = f" ch-n{track.tone % len(MARKS)}" if marked else ""
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
        same_moments = (
            tracks and track.moments == tracks[-1].moments
        )  # in order, as that one is
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
