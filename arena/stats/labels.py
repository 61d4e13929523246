"""Three words for an edge, and a fourth for too little to say."""

from enum import StrEnum
from typing import Final

from arena.records.estimate import Estimate, Interval, State

BETS: Final = 30
EVENTS: Final = 20


class Edge(StrEnum):
    """What two intervals say about a mean or a ratio that is 0 without skill.

    NO_EDGE means that none was shown, not that there is none.
    """

    GENUINE_EDGE = "GENUINE_EDGE"
    WEAK_EDGE = "WEAK_EDGE"
    NO_EDGE = "NO_EDGE"
    INSUFFICIENT_DATA = "INSUFFICIENT_DATA"


def three_states(at_90: Interval, at_95: Interval) -> Edge:
    """The label of "The 45 Percent Problem" (C), which answers however little there is.

    Args:
        at_90: Interval of level 90 %; above 0 it is at least weak.
        at_95: Interval of level 95 %; above 0 it is genuine.

    Source:
        The 45 Percent Problem, its registered constants.
    """
    if at_95.low > 0:
        return Edge.GENUINE_EDGE
    return Edge.WEAK_EDGE if at_90.low > 0 else Edge.NO_EDGE


def edge(at_90: Estimate, at_95: Estimate) -> Edge:
    """The label, withheld below 30 bets or 20 events, and where nothing varies.

    Args:
        at_90: The estimate with an interval of level 90 %.
        at_95: The same with one of level 95 %.

    Raises:
        ValueError: The intervals are not of those levels, or the estimates not of one sample.
    """
    if (at_90.n, at_90.events) != (at_95.n, at_95.events):
        raise ValueError("the two estimates are not of one sample")
    if at_90.interval is None or at_95.interval is None or at_95.state is not State.OK:
        return Edge.INSUFFICIENT_DATA
    if at_95.n < BETS or at_95.events < EVENTS:
        return Edge.INSUFFICIENT_DATA
    levels = (at_90.interval.level, at_95.interval.level)
    if max(abs(levels[0] - 0.90), abs(levels[1] - 0.95)) > 1e-9:  # noqa: PLR2004  the levels
        raise ValueError("the label is made from intervals of 90 % and 95 %")
    return three_states(at_90.interval, at_95.interval)
