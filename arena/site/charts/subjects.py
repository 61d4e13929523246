"""What charts are asked to show. Values are floats in the unit of their scale."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from arena.records.estimate import Estimate, Interval


class LineWeight(StrEnum):
    """How much of the eye a line may claim."""

    MAIN = "main"  # coloured, dashed its own way, labelled at its end
    REFERENCE = "reference"  # the market and other baselines: ink, dotted, labelled
    QUIET = "quiet"  # grey, without a label, still in the table and the read-out


@dataclass(frozen=True, slots=True)
class Words:
    """A figure's id on its page, its title, and the sentence below it: what, n, as of when."""

    key: str
    title: str
    caption: str


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis of values: its label, how a value is written, and what must be on it.

    `base` is a line that means something, such as zero; bars start there. Without `low` and
    `high` the data say. A log axis measures from `floor`, where nothing is left: lines of a
    scale that has one are drawn on either axis where that changes what is seen.
    """

    label: str
    shown: Callable[[float], str]
    low: float | None = None
    high: float | None = None
    base: float | None = None
    log: bool = False
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A value at a moment; None lifts the pen. `low` and `high` are a band about it."""

    at: datetime
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A line over time; after `solid_until` it is dashed: mark-to-market, not settled.

    A main line has the colour and the shape of its `tone`, which is a contestant's on all
    pages; without one it has those of its place among the main lines.
    """

    name: str
    points: tuple[Point, ...]
    weight: LineWeight = LineWeight.MAIN
    solid_until: datetime | None = None
    href: str = ""
    tone: int | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that happened at a moment: a model's release, a change of the rules."""

    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class BetMark:
    """A bet on a chart of a price: `price` is what it says of YES, `stake` its dollars."""

    at: datetime
    yes: bool
    price: float
    stake: float
    settled: bool
    who: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A forecast beside the price that was shown with it."""

    who: str
    at: datetime
    p: float
    price: float | None
    weight: LineWeight = LineWeight.MAIN


@dataclass(frozen=True, slots=True)
class Spot:
    """A contestant on a plane, with the intervals of both values where it has them.

    `tone` is as that of a curve.
    """

    name: str
    x: float
    y: float
    weight: LineWeight = LineWeight.MAIN
    x_low: float | None = None
    x_high: float | None = None
    y_low: float | None = None
    y_high: float | None = None
    href: str = ""
    tone: int | None = None


def ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """The low and the high end of an interval; None where there is none."""
    return (interval.low, interval.high) if interval else (None, None)


@dataclass(frozen=True, slots=True)
class Span:
    """A row of a dot-and-whisker chart; None where there is nothing to draw."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""
    weight: LineWeight = LineWeight.MAIN
    href: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        estimate: Estimate | None,
        *,
        note: str = "",
        weight: LineWeight = LineWeight.MAIN,
        href: str = "",
    ) -> "Span":
        """A row of an estimate with its interval."""
        if estimate is None:
            return cls(name, None, None, None, 0, note, weight, href)
        low, high = ends(estimate.interval)
        return cls(name, estimate.value, low, high, estimate.n, note, weight, href)


@dataclass(frozen=True, slots=True)
class Tile:
    """A square of a grid, tinted from one end of a scale to the other.

    `short` is written where `text` has no room.
    """

    row: str
    column: str
    value: float | None
    text: str
    note: str = ""
    short: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """A sum and its parts, in the order in which they are stacked from zero."""

    name: str
    parts: tuple[tuple[str, float], ...]
    total: float
    href: str = ""
