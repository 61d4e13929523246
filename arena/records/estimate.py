"""A number that was estimated, and how sure it is."""

from dataclasses import dataclass, replace
from enum import StrEnum


class State(StrEnum):
    """Why a number is there, or why it is not."""

    OK = "ok"
    EMPTY = "empty"  # nothing to estimate from
    SINGLE = "single"  # one unit: a point, and nothing about its spread
    TOO_FEW = "too_few"  # fewer units than the method needs
    DEGENERATE = "degenerate"  # no spread at all
    PERFECT_REFERENCE = "perfect_reference"  # the reference loses nothing
    NOT_ESTIMABLE = "not_estimable"  # separated, collinear, or an outcome that never came


class Sided(StrEnum):
    """Which departures from the null hypothesis count."""

    TWO = "two-sided"
    GREATER = "greater"  # the estimate is above the null
    LESS = "less"


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, which held the truth with probability `level` before the data."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, what it was made from, and its interval.

    `n` counts rows, `events` the clusters among them. `value` is None for no rows;
    `se`, `df` and `interval` are None where the units cannot say: see `state`.
    """

    value: float | None
    n: int
    events: int
    se: float | None = None
    df: float | None = None
    interval: Interval | None = None
    state: State = State.OK

    def within(self, least: float, most: float) -> "Estimate":
        """The same of a quantity that is never below `least` or above `most`."""
        if self.interval is None:
            return self
        low, high = max(self.interval.low, least), min(self.interval.high, most)
        return replace(self, interval=replace(self.interval, low=low, high=high))


@dataclass(frozen=True, slots=True)
class Test:
    """A hypothesis test under its own name.

    `estimate` is what is tested (a mean difference, a slope), `statistic` what is looked up,
    `p` None where the test says nothing: see `state`. `df` is empty for a normal limit.
    """

    name: str
    n: int
    events: int
    estimate: float | None = None
    se: float | None = None
    statistic: float | None = None
    df: tuple[float, ...] = ()
    p: float | None = None
    sided: Sided = Sided.TWO
    state: State = State.OK

    __test__ = False  # what pytest asks of a class with this name
