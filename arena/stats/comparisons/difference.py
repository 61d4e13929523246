"""A mean difference over its standard error, or why there is no such test."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from arena.records.estimate import Sided, State, Test
from arena.stats.columns import ROUNDING, no_spread, p_value
from arena.stats.series.longrun import cube_root

Floats = NDArray[np.float64]


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
    `student` degrees of freedom, in the normal distribution without, or not at all.
    """

    name: str
    sided: Sided
    terms: int
    horizon: int | None = None
    student: int | None = None
    fell_back: bool = False
    looked_up: bool = True


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
    test = Test(
        form.name,
        n,
        n,
        float(d.mean()) if n else None,
        p=1.0 if same else None,
        sided=form.sided,
        state=state,
    )
    return DieboldMariano(test, terms=form.terms, fell_back=form.fell_back)


def difference_test_at(d: Floats, variance: float, form: StatisticForm) -> DieboldMariano:
    """The test at a given variance of the mean; NOT_ESTIMABLE if that is not positive."""
    n, mean = d.size, float(d.mean())
    factor = 1.0 if form.horizon is None else hln_factor(n, form.horizon)
    if variance <= 0 or factor == 0:
        none = Test(form.name, n, n, mean, sided=form.sided, state=State.NOT_ESTIMABLE)
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
        p=p_value(statistic, form.sided, form.student) if form.looked_up else None,
        sided=form.sided,
    )
    return DieboldMariano(test, variance, raw, factor, form.terms, form.fell_back)
