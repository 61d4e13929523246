"""Intervals of what is no mean: whole events are drawn again, and the metric is made anew."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from arena.metrics.measures import ADJUSTED
from arena.metrics.registry import METRICS
from arena.metrics.replicated import replicates
from arena.records.estimate import Estimate, Interval, State
from arena.scoring.table import Factor, Floats, Forecasts
from arena.stats.draws import event_weights
from arena.stats.replicates import percentile
from arena.stats.spread import no_spread

FEWEST: Final = 15  # events below which percentiles of resamples say nothing reliable


def alone(own: Forecasts) -> Forecasts:
    """Rows as if they were all one contestant's."""
    return replace(own, contestant=Factor(("",), np.zeros(len(own), dtype=np.intp)))


def with_intervals(
    own: Forecasts,
    scores: Mapping[str, Estimate],
    *,
    level: float,
    draws: int,
) -> Mapping[str, Estimate]:
    """Give percentile intervals to those of one contestant's scores that are no means.

    Which ones the registry says; what is adjusted for the others' questions cannot be made
    from one contestant's rows, and has its own. A resample in which a metric has no value is
    left out of its interval, and the interval says how many were used. There is no interval
    below 15 events (TOO_FEW), nor where all resamples agree (DEGENERATE). Draws
    follow from the events' names (`event_weights`): the order of rows changes nothing.

    Source:
        Efron (1979), Annals of Statistics 7.
    """
    keys = [
        key
        for key, found in scores.items()
        if METRICS[key].interval.startswith("events resampled") and key != ADJUSTED
    ]
    event = own.event.in_order()
    codes, events = event.codes, len(event.names)
    if events < FEWEST:
        return {k: _too_few(e) if k in keys else e for k, e in scores.items()}
    if not keys:
        return scores
    drawn = replicates(keys, own, codes, event_weights(event.names, draws))
    return {key: _between(found, drawn.get(key), level) for key, found in scores.items()}


def _too_few(found: Estimate) -> Estimate:
    return found if found.value is None else replace(found, state=State.TOO_FEW)


def _between(found: Estimate, drawn: Floats | None, level: float) -> Estimate:
    if drawn is None or found.value is None:
        return found
    some = drawn[~np.isnan(drawn)]
    if not some.size:
        return found
    if no_spread(float(np.std(some)), found.value):
        return replace(found, state=State.DEGENERATE)
    ends = percentile(some, level)
    method = f"events resampled {some.size} times, percentile"
    return replace(found, interval=Interval(ends.low, ends.high, level, method))
