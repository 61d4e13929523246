"""Brier scores as if everybody had answered every question."""

from typing import Final

import numpy as np

from arena.records.estimate import Estimate, Interval, State
from arena.scoring.difficulty import panel, two_way
from arena.scoring.difficulty_bootstrap import bootstrap_effects
from arena.scoring.proper import brier_terms
from arena.scoring.table import Factor, Forecasts
from arena.stats.seeds import generator

REPLICATES: Final = 999
HOW: Final = "events resampled, percentile, against the mean contestant"


def adjusted_brier(forecasts: Forecasts, groups: Factor, level: float) -> tuple[Estimate, ...]:
    """The Brier score of each group, adjusted for the difficulty of its questions.

    A question is a market. The intervals come from resampling whole events, and are of the
    distance from the mean contestant: how hard the questions were moves everybody alike. The
    draws follow from the metric's name, so that they can be made again.

    Args:
        forecasts: Yes/no forecasts.
        groups: Whose each row is: contestants, as a rule.
        level: Confidence in (0, 1).

    Returns:
        One estimate a name of `groups`: EMPTY without a row, and NOT_ESTIMABLE where no chain
        of common questions connects it with the largest set of groups.
    """
    found = panel(
        groups.codes, forecasts.market.codes, brier_terms(forecasts.p, forecasts.outcome)
    )
    fit = two_way(found)
    if fit is None:
        return tuple(Estimate(None, 0, 0, state=State.EMPTY) for _ in groups.names)
    counts = np.bincount(groups.codes, minlength=len(groups.names))
    largest = int(np.bincount(found.group).argmax())
    drawn = bootstrap_effects(
        found, forecasts.event.codes, generator("brier_adjusted"), REPLICATES
    )
    centre = float(fit.effect[found.group == largest].mean())
    ends = drawn.intervals(level) if len(drawn.effects) else None
    events = forecasts.event.used()
    made = []
    for code, n in enumerate(counts.tolist()):
        place = fit.of(code)
        if place is None:
            made.append(Estimate(None, 0, 0, state=State.EMPTY))
        elif found.group[place] != largest:
            made.append(Estimate(None, n, events, state=State.NOT_ESTIMABLE))
        else:
            low, high = (centre + end[place] for end in ends) if ends else (None, None)
            between = None
            if events > 1 and low is not None and high is not None:
                between = Interval(float(low), float(high), level, HOW)
            made.append(Estimate(float(fit.effect[place]), n, events, interval=between))
    return tuple(made)
