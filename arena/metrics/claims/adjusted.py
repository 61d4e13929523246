"""Brier scores as if everybody had answered every question."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.records.estimate import Estimate, Interval, State
from arena.scoring.difficulty import ScorePanel, TwoWay, bootstrap_effects, panel, two_way
from arena.scoring.proper import brier_terms
from arena.scoring.table import Factor, Floats, Forecasts
from arena.stats.bootstrap import generator
from arena.stats.columns import no_spread

REPLICATES: Final = 999
HOW: Final = "events resampled, percentile, against the mean contestant"
CELLS: Final = 20_000_000  # of a table of resamples by events; above it, some at a time


@dataclass(frozen=True, slots=True, eq=False)
class AdjustedScores:
    """Least squares of Brier scores, and who can be compared.

    `comparable` says of each name of the groups, in alphabetical order, whether it belongs to
    the largest set that chains of common questions connect; of sets as large, that which
    holds the first name.
    """

    names: tuple[str, ...]
    found: ScorePanel
    fit: TwoWay
    comparable: tuple[bool, ...]

    def difficulty(self) -> Floats:
        """What each row's question adds to the score, (n,): 0 on average over questions."""
        return self.fit.difficulty[self.found.question]


def adjust(forecasts: Forecasts, groups: Factor) -> AdjustedScores | None:
    """Fit an effect of each group and each market to the Brier scores; None of no row."""
    who = groups.in_order()
    table = panel(
        who.codes, forecasts.market.codes, brier_terms(forecasts.p, forecasts.outcome)
    )
    fit = two_way(table)
    if fit is None:
        return None
    largest = int(np.bincount(table.group).argmax())
    return AdjustedScores(who.names, table, fit, tuple((table.group == largest).tolist()))


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
        of common questions connects it with the largest set of groups. It has no interval
        with a single event, where nothing connects it with anybody (SINGLE), and where no
        resample moves it against the others (DEGENERATE).
    """
    fitted = adjust(forecasts, groups)
    if fitted is None:
        return tuple(Estimate(None, 0, 0, state=State.EMPTY) for _ in groups.names)
    ends = _ends(fitted, forecasts.event.in_order(), level)
    places = {name: place for place, name in enumerate(fitted.names)}
    return tuple(
        _estimate(fitted, forecasts.event.take(groups.codes == code), places.get(name), ends)
        for code, name in enumerate(groups.names)
    )


Ends = tuple[Floats, Floats, float] | None


def _ends(fitted: AdjustedScores, events: Factor, level: float) -> Ends:
    """Both ends of the intervals of all contestants; None where there are none."""
    if len(events.names) <= 1:
        return None
    rng, many = generator("brier_adjusted"), max(1, CELLS // len(events.names))
    drawn = [
        bootstrap_effects(
            fitted.found, events.codes, rng, min(many, REPLICATES - start)
        ).effects
        for start in range(0, REPLICATES, many)
    ]
    effects = np.concatenate(drawn)
    if not len(effects):
        return None
    centre = float(fitted.fit.effect[np.array(fitted.comparable)].mean())
    low, high = np.quantile(effects, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return centre + low, centre + high, level


def _estimate(
    fitted: AdjustedScores, events: Factor, place: int | None, ends: Ends
) -> Estimate:
    if place is None:
        return Estimate(None, 0, 0, state=State.EMPTY)
    n, units = len(events.codes), events.used()
    if not fitted.comparable[place]:
        return Estimate(None, n, units, state=State.NOT_ESTIMABLE)
    value = float(fitted.fit.effect[place])
    if sum(fitted.comparable) == 1:
        return Estimate(value, n, units, state=State.SINGLE)
    if ends is None:
        return Estimate(value, n, units)
    low, high = float(ends[0][place]), float(ends[1][place])
    if no_spread(high - low, value):
        return Estimate(value, n, units, state=State.DEGENERATE)
    return Estimate(value, n, units, interval=Interval(low, high, ends[2], HOW))
