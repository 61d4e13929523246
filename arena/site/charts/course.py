"""Lines over time, before they are drawn: their moments, their classes, their table."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from itertools import pairwise, repeat
from operator import lt

import numpy as np
from numpy.typing import NDArray

from arena.site.charts.drawing import NAME, day_cell, moment_cell, point_cell
from arena.site.charts.palette import series_classes
from arena.site.charts.subjects import Curve, Flag, Point, Scale, Weight
from arena.site.charts.svg import MARKS
from arena.site.charts.thin import telling
from arena.site.hostile import one_line
from arena.site.views.parts import Cell, Grid, Key

MOST_MOMENTS = 1200  # two a CSS pixel of the wide drawing


@dataclass(frozen=True, slots=True)
class Track:
    """A line as it is drawn: its points in columns, its classes, and whether it has a band.

    `numbers` are its values, NaN where one is missing.
    """

    curve: Curve
    kind: str
    moments: tuple[datetime, ...]
    values: tuple[float | None, ...]
    banded: bool
    numbers: NDArray[np.float64]

    @property
    def name(self) -> str:
        """The line's name, fit for a table and a legend."""
        return one_line(self.curve.name, NAME)

    @property
    def weight(self) -> Weight:
        """How much of the eye the line may claim."""
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
        found: list[float] = []
        for track in self.tracks:
            values = track.numbers
            if track.banded:
                ends = [(p.low, p.high) for p in track.curve.points]
                values = np.concatenate((values, np.array(ends, np.float64).ravel()))
            values = values[~np.isnan(values)]
            if len(values):
                found += (float(values.min()), float(values.max()))
                above = values[values > floor]
                found += above.min(keepdims=True).tolist() if len(above) else ()
        return tuple(found)


def course(lines: Sequence[Curve], most: int = MOST_MOMENTS) -> Course | None:
    """Bring lines together; None where they have no value at all.

    Where they have more than `most` moments together, only those stay at which a line is at
    an extreme. What is no number becomes None.
    """
    sound = _sound(lines)
    if not any(point.value is not None for line in sound for point in line.points):
        return None
    moments = _moments(sound)
    if len(moments) > most:
        moments, sound = _thinned(moments, sound, most)
    kinds = series_classes(tuple(line.weight for line in sound))
    tracks = (_track(line, kind) for line, kind in zip(sound, kinds, strict=True))
    return Course(moments, tuple(tracks))


def timed_grid(found: Course, scale: Scale, flags: Sequence[Flag] = ()) -> Grid:
    """The numbers of lines, a row a moment; what happened has a column where anything did.

    Where every moment is a midnight they are days, and named so: a day's value is of its end.
    """
    told: dict[datetime, list[str]] = {}
    for flag in flags:
        told.setdefault(flag.at, []).append(one_line(flag.text, 200))
    moments = tuple(sorted({*found.moments, *told})) if told else found.moments
    daily = all(at.astimezone(UTC).time() == time() for at in moments)
    when = day_cell if daily else moment_cell
    columns = [[when(at) for at in moments]]
    columns += [_column(track, moments, scale) for track in found.tracks]
    names = [track.name for track in found.tracks]
    if told:
        columns.append([Cell("; ".join(told.get(at, ()))) for at in moments])
        names.append("What happened")
    head = "Day, UTC" if daily else "Moment, UTC"
    return Grid((head, *names), tuple(zip(*columns, strict=True)))


def timed_keys(found: Course) -> tuple[Key, ...]:
    """The legend of lines: main ones have the mark that is on them. One line needs none."""
    if len(found.tracks) == 1:
        return ()
    main = 0
    keys = []
    for track in found.tracks:
        marked = track.weight is Weight.MAIN and track.kind != "ch-q"
        shape = f" ch-n{main % len(MARKS)}" if marked else ""
        main += track.weight is Weight.MAIN
        keys.append(Key(track.name, f"{track.kind}{shape}", track.curve.href))
    return tuple(keys)


def _column(track: Track, moments: tuple[datetime, ...], scale: Scale) -> list[Cell]:
    points = track.curve.points
    if track.moments != moments:
        table = dict(zip(track.moments, points, strict=True))
        return [point_cell(scale, table.get(at)) for at in moments]
    if track.banded or np.isnan(track.numbers).any():
        return [point_cell(scale, point) for point in points]
    told = map(scale.shown, track.numbers.tolist())
    return list(map(Cell, told, repeat(""), track.values))  # many thousand


def _sound(lines: Sequence[Curve]) -> tuple[Curve, ...]:
    """The lines in the order of time, one point a moment, the last one given."""
    found: list[Curve] = []
    rising: list[datetime] = []
    for line in lines:
        moments = [p.at for p in line.points]
        values = [p.value for p in line.points]
        finite = np.isfinite(np.array(values, np.float64)).sum() + values.count(None)
        if moments == rising or all(map(lt, moments, moments[1:])):
            rising = moments
            if finite == len(values):
                found.append(line)
                continue
        points = {p.at: p for p in line.points}
        ordered = tuple(_finite(points[at]) for at in sorted(points))
        found.append(replace(line, points=ordered))
    return tuple(found)


def _finite(point: Point) -> Point:
    if point.value is None or math.isfinite(point.value):
        return point
    return Point(point.at, None)


def _track(line: Curve, kind: str) -> Track:
    lows = [p.low for p in line.points]
    banded = lows.count(None) < len(lows)
    values = tuple([p.value for p in line.points])
    moments = tuple([p.at for p in line.points])
    return Track(line, kind, moments, values, banded, np.array(values, np.float64))


def _later(track: Track, first: datetime) -> Track:
    at = bisect_left(track.moments, first)
    curve = replace(track.curve, points=track.curve.points[at:])
    moments, values = track.moments[at:], track.values[at:]
    return replace(
        track, curve=curve, moments=moments, values=values, numbers=track.numbers[at:]
    )


def _moments(lines: Sequence[Curve]) -> tuple[datetime, ...]:
    own = [tuple([p.at for p in line.points]) for line in lines]
    if all(a == b for a, b in pairwise(own)):
        return own[0]
    return tuple(sorted(set().union(*own)))


def _thinned(
    moments: tuple[datetime, ...], lines: tuple[Curve, ...], most: int
) -> tuple[tuple[datetime, ...], tuple[Curve, ...]]:
    tables = [{p.at: p.value for p in line.points} for line in lines]
    kept = telling([[t.get(at) for at in moments] for t in tables], most)
    chosen = {moments[i] for i in kept}
    return tuple(moments[i] for i in kept), tuple(
        replace(line, points=tuple(p for p in line.points if p.at in chosen)) for line in lines
    )
