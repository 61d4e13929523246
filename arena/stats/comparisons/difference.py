"""A mean difference over its standard error, or why there is no such test.

Scores of contestants come by question, with events as the units.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from arena.records.estimate import State, Test
from arena.stats.columns import (
    ROUNDING,
    Flags,
    Floats,
    Whole,
    codes,
    finite,
    level_of,
    no_spread,
)
from arena.stats.longrun import cube_root
from arena.stats.mean_intervals import p_value


@dataclass(frozen=True, slots=True)
class DieboldMariano:
    """A test of equal losses, and what it was made from.

    `variance` is that of the mean difference, `raw` the statistic before the small-sample
    `factor`. `terms` counts the autocovariances, frequencies or cosines that were used.
    `fell_back` says that the variance came out negative, and that a horizon of one was taken
    in its place.
    """

    test: Test
    variance: float | None = None
    raw: float | None = None
    factor: float = 1.0
    terms: int = 0
    fell_back: bool = False


def hln_factor(n: int, horizon: int) -> float:
    """Harvey, Leybourne and Newbold's correction for forecasts `horizon` steps ahead.

    Raises:
        ValueError: The horizon is not from 1 to n, or the correction is that of no number.

    Source:
        Harvey, Leybourne and Newbold (1997), International Journal of Forecasting 13.

    >>> round(hln_factor(64, 1), 6)
    0.992157
    """
    if not 1 <= horizon <= n:
        raise ValueError(f"a horizon lies between 1 and {n}, not {horizon}")
    return sqrt(max(0.0, (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n))


def cube_root_lags(n: int) -> int:
    """The largest k whose cube is at most n, but at least 1."""
    return max(1, cube_root(n))


@dataclass(frozen=True, slots=True)
class StatisticForm:
    """How a statistic is corrected and looked up.

    With a `horizon` it is multiplied by the small-sample factor; it is looked up in t with
    `student` degrees of freedom, in the normal distribution without.
    """

    name: str
    terms: int
    horizon: int | None = None
    student: int | None = None
    fell_back: bool = False


def state_of(d: Floats, least: int = 2) -> State:
    """What the differences can say; `least` of them are needed for a variance."""
    if d.size == 0:
        return State.EMPTY
    if d.size == 1:
        return State.SINGLE
    if no_spread(float(d.std(ddof=1)), float(d.mean())):
        return State.DEGENERATE
    return State.OK if d.size >= least else State.TOO_FEW


def difference_test(
    d: Floats, variance: Callable[[], float], form: StatisticForm, least: int = 2
) -> DieboldMariano:
    """The test, or why there is none."""
    n, state = d.size, state_of(d, least)
    if state is State.OK:
        return difference_test_at(d, variance(), form)
    same = state is State.DEGENERATE and abs(float(d.mean())) <= ROUNDING
    mean = float(d.mean()) if n else None
    test = Test(form.name, n, n, mean, p=1.0 if same else None, state=state)
    return DieboldMariano(test, terms=form.terms, fell_back=form.fell_back)


def difference_test_at(d: Floats, variance: float, form: StatisticForm) -> DieboldMariano:
    """The test at a given variance of the mean; NOT_ESTIMABLE if that is not positive."""
    n, mean = d.size, float(d.mean())
    factor = 1.0 if form.horizon is None else hln_factor(n, form.horizon)
    if variance <= 0 or factor == 0:
        none = Test(form.name, n, n, mean, state=State.NOT_ESTIMABLE)
        return DieboldMariano(none, variance, None, factor, form.terms, form.fell_back)
    raw = mean / sqrt(variance)
    statistic = raw * factor
    test = Test(
        form.name,
        n,
        n,
        mean,
        se=sqrt(variance) / factor,
        statistic=statistic,
        df=() if form.student is None else (float(form.student),),
        p=p_value(statistic, df=form.student),
    )
    return DieboldMariano(test, variance, raw, factor, form.terms, form.fell_back)


@dataclass(frozen=True, slots=True, eq=False)
class LossPanel:
    """Losses of k contestants on m questions, sorted by event.

    `losses` (k, m) is 0 where `there` (k, m) is False; `events` (m,) are the events' codes.
    """

    losses: Floats
    there: Flags
    events: Whole


def panel(
    losses: ArrayLike,
    contestants: ArrayLike,
    questions: ArrayLike,
    events: ArrayLike,
) -> LossPanel:
    """Rows as a matrix; several forecasts of one question by one contestant are averaged.

    Args:
        losses: (n,) one a forecast.
        contestants: (n,) their numbers, from 0.
        questions: (n,) codes of what the losses are paired by.
        events: (n,) codes of the events.

    Raises:
        ValueError: A loss is not finite, a code is missing or negative, or a question is in
            two events.
    """
    column = finite(losses, "losses")
    n = column.size
    who, event = codes(contestants, n, "contestants"), codes(events, n)
    k = int(who.max(initial=-1)) + 1
    question = codes(questions, n, "questions")
    event_of = np.zeros(int(question.max(initial=-1)) + 1, dtype=np.intp)
    event_of[question] = event
    if np.any(event_of[question] != event):
        raise ValueError("a question is in two events")
    there = np.flatnonzero(np.bincount(question, minlength=event_of.size))
    there = there[np.argsort(event_of[there], kind="stable")]
    place = np.zeros_like(event_of)
    place[there] = np.arange(there.size)
    cell = who * there.size + place[question]
    counts = np.bincount(cell, minlength=k * there.size).reshape(k, there.size)
    sums = np.bincount(cell, weights=column, minlength=counts.size).reshape(counts.shape)
    sums = sums.astype(np.float64, copy=False)
    made = counts > 0
    means = np.divide(sums, counts, out=sums, where=made)
    return LossPanel(means, made, event_of[there])


def events_needed(mean: float, sd: float, *, significance: float = 0.05) -> float | None:
    """How many independent units show a mean difference in 80 %; None if it is 0.

    Args:
        mean: The difference to be shown.
        sd: Standard deviation of a unit's difference.
        significance: Of the two-sided test, in (0, 1).

    Raises:
        ValueError: Significance is not in (0, 1), or `sd` is negative.

    Source:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences.
    """
    level_of(significance)
    if not sd >= 0:
        raise ValueError("a standard deviation is not negative")
    if mean == 0:
        return None
    return float(((ndtri(1 - significance / 2) + ndtri(0.80)) * sd / mean) ** 2)
