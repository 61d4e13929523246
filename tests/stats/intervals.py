"""Both ends of an interval, to be compared at once."""

from arena.records.estimate import Interval
from tests.present import present


def ends(found: Interval | None) -> list[float]:
    """The low and the high end of an interval, which is there."""
    between = present(found)
    return [between.low, between.high]
