"""Values over time: equity, drawdown."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from arena.site.charts.parts.axis import axis
from arena.site.charts.parts.dates import date_axis
from arena.site.charts.parts.drawing import Draw, Drawn, Room, figure, look
from arena.site.charts.parts.frame import Box, base_line, dated, gutter, upright
from arena.site.charts.parts.svg import polyline
from arena.site.charts.subjects import Curve, Flag, LineWeight, Scale, Words
from arena.site.charts.time_series import Course, course, timed_grid, timed_keys
from arena.site.charts.timed import PlotField, flagged, label_room, strands
from arena.site.pages.parts.parts import Figure, Look

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
