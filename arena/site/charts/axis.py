"""Where a value stands on paper: axes, the grid lines, and which values are written beside."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from arena.site.charts.drawing import (
    Drawn,
    Places,
    Room,
    fitted,
    group,
    path,
    wide_is,
    words,
)
from arena.site.charts.drawing import box as outline
from arena.site.charts.subjects import Scale

Tick = tuple[float, str]

LARGEST = 1e150  # beyond it differences overflow; nothing an arena measures comes near
FEW = 3  # ticks of a log axis: with fewer it has those of a plain one
LANE = 44  # where values that a logarithm has no place for stand


@dataclass(frozen=True, slots=True)
class Axis:
    """A line from `start` to `end` for values from `low` to `high`, with its ticks.

    What lies outside is drawn at the nearer end. A log axis measures from `floor`: that and
    less have a lane of their own at the start.
    """

    low: float
    high: float
    start: int
    end: int
    ticks: tuple[Tick, ...] = ()
    log: bool = False
    lane: int = 0
    floor: float = 0.0

    def at(self, value: float) -> int:
        """The place of a value, between `start` and `end`."""
        if self.log:
            if value <= self.floor:
                return self.start
            value = math.log10(value - self.floor)
        share = (value - self.low) / (self.high - self.low)
        first = self.start + self.lane
        return first + round(min(max(share, 0.0), 1.0) * (self.end - first))

    def all_at(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """The places of many values, none of them missing."""
        if self.log:  # one by one: a processor may round logarithms of many in its own way
            return np.array([self.at(v) for v in values.tolist()], np.int64)
        step = (self.end - self.start) / (self.high - self.low)
        along = (np.clip(values, self.low, self.high) - self.low) * step
        return np.rint(self.start + along).astype(np.int64)


def axis(
    scale: Scale, values: Iterable[float | None], ends: tuple[int, int], most: int = 6
) -> Axis:
    """Choose an axis that has all values on it, and at most about `most` round ticks.

    Args:
        scale: What is measured, and what must be on the axis.
        values: What is drawn; None and what is no number are passed over.
        ends: Where on paper the axis starts and ends.
        most: How many ticks there is room for.
    """
    kept = [held(v) for v in values if v is not None and math.isfinite(v)]
    kept += [held(v) for v in (scale.base, scale.low, scale.high) if v is not None]
    if scale.log and any(v > (scale.floor or 0.0) for v in kept):
        return _log_axis(scale, kept, ends, most)
    low, high = spread(kept)
    step = _step(low, high, most)
    steps = [step, *(_step(low, high, n) for n in range(most - 1, 1, -1))]
    low = low if scale.low == low else math.floor(low / step + 1e-9) * step
    high = high if scale.high == high else math.ceil(high / step - 1e-9) * step
    ticks = _labelled_ticks(scale, [_ticks(low, high, spacing) for spacing in steps])
    return Axis(low, high, *ends, ticks)


def held(value: float) -> float:
    """A value fit for arithmetic: no minus zero, and no overflow or underflow."""
    if abs(value) < 1 / LARGEST:
        return 0.0
    return min(max(value, -LARGEST), LARGEST) + 0.0


def spread(values: Sequence[float]) -> tuple[float, float]:
    """The least and the most of values, with room about them where they are all alike."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        pad = abs(high) * 0.1 or 1.0
        return low - pad, high + pad
    return low, high


def _step(low: float, high: float, most: int) -> float:
    """A step of 1, 2 or 5 times a power of ten that cuts a span into at most `most` parts."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(n * power for n in (1, 2, 5, 10, 20) if n * power >= rough * 0.999)


def _ticks(low: float, high: float, step: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step + 0.0 for n in range(first, last + 1)]


def _log_axis(scale: Scale, values: list[float], ends: tuple[int, int], most: int) -> Axis:
    floor = scale.floor or 0.0
    above = [v - floor for v in values if v > floor]
    low, high = math.log10(min(above)), math.log10(max(above))
    pad = max(0.1, (high - low) * 0.06)
    tries = [_log_ticks(low - pad, high + pad, n) for n in range(most, 1, -1)]
    if len(tries[0]) < FEW and min(values) > floor and high - low > 2 * pad:
        return _even_log_axis(scale, values, ends, most)
    lane = 0
    if len(above) < len(values):
        lane = LANE if ends[1] > ends[0] else -LANE
    ticks = _labelled_ticks(scale, [[v + floor for v in positions] for positions in tries])
    zero = ((floor, scale.shown(floor)),) if lane else ()
    return Axis(low - pad, high + pad, *ends, zero + ticks, log=True, lane=lane, floor=floor)


def _even_log_axis(scale: Scale, values: list[float], ends: tuple[int, int], most: int) -> Axis:
    """A log axis of less than a power of ten: its ticks are those of a plain one."""
    floor, plain = scale.floor or 0.0, axis(replace(scale, log=False), values, ends, most)
    low = plain.low if plain.low > floor else min(values)
    ticks = tuple(tick for tick in plain.ticks if tick[0] >= low)
    low, high = math.log10(low - floor), math.log10(plain.high - floor)
    return Axis(low, high, *ends, ticks, log=True, floor=floor)


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [d * 10.0**p for p in powers for d in digits]
        ticks = [v for v in ticks if low <= math.log10(v) <= high]
        if 0 < len(ticks) <= most:
            return ticks
    ticks = [10.0**p for p in powers if low <= p <= high]
    every = -(-len(ticks) // most) or 1
    return ticks[::every] or [10 ** ((low + high) / 2)]


def _labelled_ticks(scale: Scale, tries: list[list[float]]) -> tuple[Tick, ...]:
    """Label the ticks: the densest set of which no two labels are the same."""
    for values in tries:
        labels = [scale.shown(v) for v in values]
        if len(set(labels)) == len(labels):
            return tuple(zip(values, labels, strict=True))
    last = {scale.shown(v): v for v in reversed(tries[-1])}
    return tuple((v, text) for text, v in reversed(last.items()))


Spread = tuple[int, int, int, int]  # left, top, right, bottom


def apart(wanted: Sequence[int], gap: int, ends: tuple[int, int]) -> list[int]:
    """Move places as little as possible until they are `gap` apart, within `ends`.

    Their order stays; equal ones keep the order given. Where there is not enough room they
    stand closer.

    >>> apart([10, 12, 50], 10, (0, 100))
    [6, 16, 50]
    """
    if not wanted:
        return []
    low, high = ends
    gap = min(gap, (high - low) // max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    flat = isotonic_regression([wanted[i] - n * gap for n, i in enumerate(order)]).x
    most = high - (len(wanted) - 1) * gap
    positions = [0] * len(wanted)
    for n, i in enumerate(order):
        positions[i] = round(min(max(flat[n], low), most)) + n * gap
    return positions


def free(spread: Spread, taken: Sequence[Spread], within: Spread) -> bool:
    """Whether a box lies within another and covers none of those taken."""
    left, top, right, bottom = spread
    if left < within[0] or top < within[1] or right > within[2] or bottom > within[3]:
        return False
    return all(right <= a or left >= c or bottom <= b or top >= d for a, b, c, d in taken)


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# From one tick to the next; weeks start on Monday.
_STEPS = (
    *(timedelta(hours=n) for n in (1, 3, 6, 12)),
    *(timedelta(days=n) for n in (1, 2, 7, 14)),
)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 600)


def date_axis(moments: Iterable[datetime], ends: tuple[int, int], most: int = 6) -> Axis:
    """Choose an axis for moments, with at most `most` dates on it.

    One moment alone stands in the middle of a day. Values of the axis are seconds of UTC.
    """
    timestamps = [at.timestamp() for at in moments]
    low, high = (min(timestamps), max(timestamps)) if timestamps else (0.0, 0.0)
    if high - low < 1:
        low, high = low - 43200, high + 43200
    return Axis(low, high, *ends, tuple(_date_ticks(low, high, most)))


def _date_ticks(low: float, high: float, most: int) -> list[Tick]:
    first, last = (datetime.fromtimestamp(s, UTC) for s in (low, high))
    length = last - first
    room = most if first.year == last.year else max(2, most * 2 // 3)
    for step in _STEPS:
        if length <= room * step:
            return _hour_and_day_ticks(_even_moments(first, last, step), first.year)
    months = next((m for m in _MONTHS if length.days <= most * m * 30.5), _MONTHS[-1])
    return [(at.timestamp(), _month(at, months)) for at in _monthly(first, last, months)]


def _even_moments(first: datetime, last: datetime, step: timedelta) -> Iterator[datetime]:
    """Moments a step apart, the same ones however the axis starts."""
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    at -= timedelta(days=(at.toordinal() - 1) % max(step.days, 1))
    while at <= last:
        if at >= first:
            yield at
        at += step


def _monthly(first: datetime, last: datetime, months: int) -> Iterator[datetime]:
    nth = (first.year * 12 + first.month - 1) // months * months
    while (at := datetime(nth // 12, nth % 12 + 1, 1, tzinfo=UTC)) <= last:
        if at >= first:
            yield at
        nth += months


def _hour_and_day_ticks(moments: Iterable[datetime], year: int) -> list[Tick]:
    """Hours of the day, and days; the first day of a later year says which year it is."""
    ticks = []
    for at in moments:
        text = f"{at:%H:%M}" if at.hour else f"{at.day} {MONTHS[at.month - 1]}"
        if at.year != year and not at.hour:
            text, year = f"{text} {at.year}", at.year
        ticks.append((at.timestamp(), text))
    return ticks


def _month(at: datetime, months: int) -> str:
    if at.month == 1 or months >= 12:  # noqa: PLR2004  # a year
        return str(at.year)
    return MONTHS[at.month - 1]


ENDS = 2


def extremes(places: Places, most: int) -> Places:
    """Keep at most `most` places, four or more: both ends, and of each bucket its extremes.

    What has no more places than that is left alone.
    """
    many = len(places)
    if many <= most:
        return places
    buckets = (most - ENDS) // 2
    edges = np.arange(buckets + 1) * many // buckets
    bucket = np.repeat(np.arange(buckets), np.diff(edges))
    order = np.lexsort((places[:, 1], bucket))
    kept = np.zeros(many, bool)
    kept[[0, many - 1]] = True
    kept[order[edges[:-1]]] = True
    kept[order[edges[1:] - 1]] = True
    return places[kept]


def telling(rows: Sequence[Sequence[float | None]], most: int) -> list[int]:
    """Choose moments of several lines: the extremes of each bucket, and both ends.

    Args:
        rows: The lines, all as long as there are moments; None where a line has no value.
        most: How many moments there is room for. All are kept where there are no more.

    Returns:
        Indices in rising order: at most `most`, or two a line and bucket of thirty buckets.
    """
    many = len(rows[0]) if rows else 0
    if many <= most:
        return list(range(many))
    buckets = max(30, (most - 2) // (2 * len(rows)))
    kept = {0, many - 1}
    for n in range(buckets):
        first, last = many * n // buckets, many * (n + 1) // buckets
        for row in rows:
            indexed_values = [(row[i], i) for i in range(first, last) if row[i] is not None]
            if indexed_values:
                kept.update((min(indexed_values)[1], max(indexed_values)[1]))
    return sorted(kept)


def even(moments: Sequence[datetime], most: int) -> set[datetime]:
    """Choose at most `most` of rising moments, two or more, evenly in time, with both ends.

    What was thinned before, as older days are, stays no denser and no sparser than the rest.
    """
    if len(moments) <= most:
        return set(moments)
    first, length = moments[0], moments[-1] - moments[0]
    return {_nearest(moments, first + length * n / (most - 1)) for n in range(most)}


def _nearest(moments: Sequence[datetime], wanted: datetime) -> datetime:
    after = bisect_left(moments, wanted)
    return min(moments[max(0, after - 1) : after + 1], key=lambda at: abs(at - wanted))


GAP = 12  # between an axis and its words


@dataclass(frozen=True, slots=True)
class Box:
    """Where data are drawn."""

    left: int
    top: int
    right: int
    bottom: int


def gutter(axis: Axis, room: Room) -> int:
    """How much room the words of an upright axis need."""
    return GAP + max((wide_is(text, room.size) for _, text in axis.ticks), default=0)


def upright(axis: Axis, box: Box, room: Room, label: str) -> str:
    """An axis of values on the left: lines across, what they say, and its name above."""
    lines = "".join(f"M{box.left} {axis.at(v)}h{box.right - box.left}" for v, _ in axis.ticks)
    drop = room.size * 7 // 20
    tick_labels = "".join(
        words(box.left - GAP, axis.at(v) + drop, text, "ch-c ch-e") for v, text in axis.ticks
    )
    return path(lines, "ch-g") + tick_labels + words(0, room.size, label, "ch-c")


def level(axis: Axis, box: Box, room: Room, label: str = "") -> str:
    """An axis of values below: lines up and down, what they say, and its name under them."""
    lines = "".join(f"M{axis.at(v)} {box.top}v{box.bottom - box.top}" for v, _ in axis.ticks)
    tick_labels = _beside(axis, box, room)
    name = ""
    if label:
        middle = (box.left + box.right) // 2
        name = words(middle, box.bottom + 2 * room.line + 10, label, "ch-c ch-i")
    return path(lines, "ch-g") + tick_labels + name


def dated(axis: Axis, box: Box, room: Room) -> str:
    """An axis of moments below: short ticks and dates."""
    ticks = "".join(f"M{axis.at(v)} {box.bottom}v10" for v, _ in axis.ticks)
    floor = f"M{box.left} {box.bottom}h{box.right - box.left}"
    return path(floor + ticks, "ch-b") + _beside(axis, box, room)


def base_line(axis: Axis, box: Box, value: float | None, *, across: bool) -> str:
    """The line of a value that means something."""
    if value is None:
        return ""
    at = axis.at(value)
    if across:
        return path(f"M{box.left} {at}h{box.right - box.left}", "ch-b")
    return path(f"M{at} {box.top}v{box.bottom - box.top}", "ch-b")


def _beside(axis: Axis, box: Box, room: Room) -> str:
    """Words below the ticks; one that would cover the last one written is left out."""
    tick_labels: list[str] = []
    last = -room.width
    for value, text in axis.ticks:
        half = wide_is(text, room.size) // 2
        at = min(max(axis.at(value), half), room.width - half)
        if at - half > last:
            tick_labels.append(words(at, box.bottom + room.line + 4, text, "ch-c ch-i"))
            last = at + half + GAP
    return "".join(tick_labels)


STEP, NARROW_STEP = 48, 84
NAMES = 360  # the most room for names at the left
NOTES = 240  # and for what is written at the right


@dataclass(frozen=True, slots=True)
class Rows:
    """Where rows are drawn: names at the left, or on a phone above each row."""

    room: Room
    box: Box
    x: Axis
    step: int

    def middle(self, nth: int) -> int:
        """The height of a row's middle."""
        top = self.box.top + nth * self.step
        return top + (self.step - 22 if self.room.narrow else self.step // 2)


def laid_out(
    room: Room, scale: Scale, values: Iterable[float | None], labels: Sequence[tuple[str, str]]
) -> Rows:
    """Make room for rows: `labels` are their names, and what is written at their right ends."""
    step = NARROW_STEP if room.narrow else STEP
    left, right = 20, room.width - 20
    if not room.narrow:
        names = max((wide_is(name, room.size) for name, _ in labels), default=0)
        notes = max((wide_is(note, room.size) for _, note in labels), default=0)
        left = min(NAMES, names) + 24
        right = room.width - (min(NOTES, notes) + 24 if notes else 16)
    x = axis(scale, values, (left, right), max(2, (right - left) // 150))
    return Rows(room, Box(left, 8, right, 8 + step * len(labels)), x, step)


def row(place: Rows, nth: int, name: str, note: str, inner: str) -> str:
    """A row: what may be pointed at, its name, its note, and what is drawn in it."""
    room, box = place.room, place.box
    top, drop = box.top + nth * place.step, room.size * 7 // 20
    at = place.middle(nth) + drop
    bed = path(outline(0, top, room.width, place.step), "ch-u")
    if room.narrow:
        head = top + room.size
        aside = words(box.right - 10, head, note, "ch-c ch-e ch-0") if note else ""
        space = room.width - 50 - wide_is(note, room.size)
        return (
            bed
            + words(box.left - 4, head, fitted(name, space, room.size), "ch-0")
            + aside
            + inner
        )
    left = words(box.left - 24, at, fitted(name, box.left - 24, room.size), "ch-e")
    aside = words(box.right + 24, at, note, "ch-c") if note else ""
    return bed + left + aside + inner


def table(place: Rows, scale: Scale, drawn: Sequence[tuple[str, str]]) -> Drawn:
    """Rows on their axis; each comes with its classes."""
    inside = level(place.x, place.box, place.room, scale.label)
    inside += base_line(place.x, place.box, scale.base, across=False)
    inside += "".join(group(n, kind, inner) for n, (kind, inner) in enumerate(drawn))
    return Drawn(inside, place.box.bottom + 2 * place.room.line + 22)
