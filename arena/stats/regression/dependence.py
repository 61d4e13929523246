"""How much rows of one event repeat each other, and how many rows they are worth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.columns import codes, finite, no_spread, tally
from arena.stats.regression.clusters import ClusterCorrection, variance


@dataclass(frozen=True, slots=True)
class Dependence:
    """What sharing events costs.

    `intraclass` is the correlation of two rows of one event, by the analysis of variance,
    and can be below zero; None where no event has two rows. `design_effect` is the clustered
    variance of the mean over the variance of as many independent rows, `effective_n` the
    number of independent rows that would be as sure, and `predicted` the design effect
    that intraclass correlation and sizes imply.
    """

    intraclass: float | None
    design_effect: float
    effective_n: float
    predicted: float | None


def dependence(values: ArrayLike, events: ArrayLike) -> Dependence | None:
    """Measure it; None with fewer than two events, or without any spread.

    Args:
        values: (n,) numbers.
        events: (n,) codes of the events.

    Raises:
        ValueError: A number is not finite, or a code is missing or negative.

    Source:
        Kish (1965), Survey Sampling; Donner (1986), International Statistical Review 54.
    """
    column = finite(values)
    sums, counts = tally(column, codes(events, column.size))
    n, g = column.size, counts.size
    if g < 2:  # noqa: PLR2004  one event says nothing about spread
        return None
    s2 = float(column.var(ddof=1))
    if no_spread(float(np.sqrt(s2)), float(column.mean())):
        return None
    effect = float(variance(sums, counts, ClusterCorrection.CR1)) / (s2 / n)
    if no_spread(float(np.sqrt(effect)), 1.0):
        return None
    rho = None
    if n > g:
        between = float(counts @ (sums / counts - column.mean()) ** 2)
        across = between / (g - 1)
        within = max(0.0, (s2 * (n - 1) - between) / (n - g))
        size = (n - float(counts @ counts) / n) / (g - 1)
        rho = (across - within) / (across + (size - 1) * within)
    predicted = None if rho is None else predicted_design_effect(counts, rho)
    return Dependence(rho, effect, n / effect, predicted)


def predicted_design_effect(sizes: ArrayLike, intraclass: float) -> float:
    """1 + (m - 1) rho, with m the mean size of the event that a row finds itself in.

    >>> predicted_design_effect([5, 5, 5], 0.5)
    3.0

    Raises:
        ValueError: There is no event, or one without a row.

    Source:
        Kish (1965), Survey Sampling.
    """
    counts = finite(sizes, "sizes")
    if counts.size == 0 or np.any(counts < 1):
        raise ValueError("each event has a row at least")
    return 1 + (float(counts @ counts) / float(counts.sum()) - 1) * intraclass
