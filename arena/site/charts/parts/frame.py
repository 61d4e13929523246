"""The paper's inner box: grid lines, ticks and what they are called."""

from dataclasses import dataclass

from arena.site.charts.parts.axis import Axis
from arena.site.charts.parts.drawing import Room
from arena.site.charts.parts.svg import path, wide_is, words

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
