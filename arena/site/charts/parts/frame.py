"""The paper's inner box: grid lines, ticks and what they are called."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.site.charts.parts.axis import Axis, axis
from arena.site.charts.parts.drawing import Drawn, Room
from arena.site.charts.parts.svg import box as outline
from arena.site.charts.parts.svg import fitted, group, path, wide_is, words
from arena.site.charts.subjects import Scale

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
