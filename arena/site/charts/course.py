"""Lines over time, before they are drawn: their moments, their classes, their table."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from arena.metrics import figures
from arena.site.charts.drawing import NAME, moment_cell
from arena.site.charts.palette import series_classes
from arena.site.charts.subjects import Curve, Flag, Point, Weight
from arena.site.charts.thin import telling
from arena.site.hostile import one_line
from arena.site.views.parts import Cell, Grid, Key

MOST_MOMENTS = 1200  # two a CSS pixel of the wide drawing


@dataclass(frozen=True, slots=True)
class Course:
    """Lines as they are drawn, with their classes; `moments` are those of all of them."""

    moments: tuple[datetime, ...]
    lines: tuple[Curve, ...]
    kinds: tuple[str, ...]

    @property
    def span(self) -> tuple[datetime, datetime]:
        """The first and the last moment."""
        return self.moments[0], self.moments[-1]


def course(lines: Sequence[Curve], most: int = MOST_MOMENTS) -> Course | None:
    """Bring lines together; None where they have no value at all.

    Where they have more than `most` moments together, only those stay at which a line is at
    an extreme. What is no number becomes None.
    """
    sound = tuple(_sound(line) for line in lines)
    if not any(point.value is not None for line in sound for point in line.points):
        return None
    moments = sorted({point.at for line in sound for point in line.points})
    if len(moments) > most:
        moments, sound = _thinned(moments, sound, most)
    kinds = series_classes(tuple(line.weight for line in sound))
    return Course(tuple(moments), sound, kinds)


def _sound(line: Curve) -> Curve:
    """The line in the order of time, one point a moment, the last one given."""
    values = [p.value for p in line.points]
    moments = [p.at for p in line.points]
    ordered = all(a < b for a, b in zip(moments, moments[1:], strict=False))
    if ordered and all(v is None or math.isfinite(v) for v in values):
        return line
    points = {p.at: p for p in line.points}
    return replace(line, points=tuple(_finite(points[at]) for at in sorted(points)))


def _finite(point: Point) -> Point:
    if point.value is None or math.isfinite(point.value):
        return point
    return Point(point.at, None)


def _thinned(
    moments: list[datetime], lines: tuple[Curve, ...], most: int
) -> tuple[list[datetime], tuple[Curve, ...]]:
    tables = [{p.at: p.value for p in line.points} for line in lines]
    kept = telling([[t.get(at) for at in moments] for t in tables], most)
    chosen = {moments[i] for i in kept}
    return sorted(chosen), tuple(
        replace(line, points=tuple(p for p in line.points if p.at in chosen))
        for line in lines
    )


def lines_of(curve: Curve) -> str:
    """The name of a line, fit for a table and a legend."""
    return one_line(curve.name, NAME)


def timed_grid(
    found: Course, cell: Callable[[Point | None], Cell], flags: Sequence[Flag] = ()
) -> Grid:
    """The numbers of lines, a row a moment; what happened has a column where anything did."""
    tables = [{p.at: p for p in line.points} for line in found.lines]
    told: dict[datetime, list[str]] = {}
    for flag in flags:
        told.setdefault(flag.at, []).append(one_line(flag.text, 200))
    moments = sorted({*found.moments, *told}) if told else found.moments
    rows = []
    for at in moments:
        when = moment_cell(figures.machine(at), figures.moment(at).removesuffix(" UTC"))
        row = [when, *(cell(table.get(at)) for table in tables)]
        if told:
            row.append(Cell("; ".join(told.get(at, ()))))
        rows.append(tuple(row))
    names = tuple(lines_of(line) for line in found.lines)
    return Grid(("Moment, UTC", *names, *(("What happened",) if told else ())), tuple(rows))


def timed_keys(found: Course) -> tuple[Key, ...]:
    """The legend of lines: main ones have the mark that is on them."""
    main = 0
    keys = []
    for line, kind in zip(found.lines, found.kinds, strict=True):
        shape = f" ch-n{main % 10}" if line.weight is Weight.MAIN and kind != "ch-q" else ""
        main += line.weight is Weight.MAIN
        keys.append(Key(lines_of(line), f"{kind}{shape}", line.href))
    return tuple(keys)
