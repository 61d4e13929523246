"""What contestants may remember of what they were asked, and what it does to their scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from arena.metrics.metric_values import measure, terms
from arena.records.estimate import Estimate
from arena.scoring.table import STATES, Flags, Forecasts, Memory
from arena.stats.mean_intervals import interval

OF_MEMORY: Final = ("alpha", "brier")


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """Of a contestant's resolved `forecasts`, which it may remember.

    Of `remembered` ones the outcome was known by its knowledge cut-off; `partly` were asked
    before it and ended after it; of `unknown` ones the cut-off is not known. `without` has
    its scores of what was asked after the cut-off alone, `difference` what the others add to
    each, with an interval by event; both are empty where all or none were.
    """

    forecasts: int
    remembered: int
    partly: int
    unknown: int
    without: Mapping[str, Estimate] = field(default_factory=dict)
    difference: Mapping[str, Estimate] = field(default_factory=dict)


def memory_of(forecasts: Forecasts, *, level: float) -> Mapping[str, MemoryCounts]:
    """Count what each contestant with a model may remember.

    Args:
        forecasts: Yes/no forecasts that have resolved; nothing is said without their ledger.
        level: Of the intervals, in (0, 1).
    """
    if forecasts.ledger is None:
        return {}
    states, who = forecasts.ledger.states(), forecasts.contestant
    counts: dict[str, MemoryCounts] = {}
    for code in np.unique(who.codes[forecasts.ledger.modelled]).tolist():
        rows = who.codes == code
        own, after = forecasts.take(rows), states[rows] == STATES.index(Memory.AFTER)
        number = np.bincount(states[rows], minlength=len(STATES)).tolist()
        remembered, partly, unknown = (
            number[STATES.index(s)] for s in (Memory.REMEMBERED, Memory.PARTLY, Memory.UNKNOWN)
        )
        both = bool(after.any() and not after.all())
        scores = measure(OF_MEMORY, own.take(after), level=level) if both else {}
        counts[who.names[code]] = MemoryCounts(
            len(own),
            remembered,
            partly,
            unknown,
            {key: values[code] for key, values in scores.items()},
            {key: difference(key, own, after, level) for key in scores},
        )
    return counts


def difference(key: str, own: Forecasts, kept: Flags, level: float) -> Estimate:
    """A contestant's mean over all its rows less that over some of them, paired by event.

    Its interval is that of the mean of what each row adds to the difference of the two means.
    """
    values = terms(key, own)
    valued = ~np.isnan(values)
    values, kept, event = values[valued], kept[valued], own.event.codes[valued]
    if not kept.any():
        return interval([], [], level)
    overall, some = values.mean(), values[kept].mean()
    share = np.where(kept, len(values) / np.count_nonzero(kept), 0.0)
    added = values - overall - share * (values - some) + (overall - some)
    return interval(added, np.unique(event, return_inverse=True)[1], level)
