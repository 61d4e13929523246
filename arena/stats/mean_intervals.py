"""The interval of a mean score, when rows come in events that share their news.

The event is the unit: every variance here is built from the sums of events. Arrays of sums
and weights have their events along the last axis, and whatever stands before it (contestants,
pairs) is computed at once; a weight of zero says that an event is not there. The weight of an
event is its number of rows for a mean, its sum of denominators for a ratio of sums.

Losses and growth are bounded below and skewed, so that an interval with two equal arms ends too
low: of the Brier scores of 40 events, a t interval of 95 % lies below the truth four times as
often as above it. On the scale of logarithms the two are nearly even: see `loss_estimates` and
`growth_interval`. Differences of two contestants are not skewed in this way: see `interval`.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtr, stdtrit

from arena.records.estimate import Estimate, Interval, Sided, State, Test
from arena.stats.columns import ROUNDING, Floats, Whole, codes, finite, level_of, tally

FEW: Final = 20
UNEVEN: Final = 0.5
LOG_SCALE: Final = "cluster t, CR3, log scale"
_FARTHEST: Final = 700.0  # exp of more is no float


class ClusterCorrection(StrEnum):
    """Which correction for the number and the sizes of events."""

    CR0 = "CR0"  # none
    CR1 = "CR1"  # G / (G - 1)
    CR2 = "CR2"  # by leverage: unbiased where rows are independent
    CR3 = "CR3"  # close to the jackknife over events


@dataclass(frozen=True, slots=True, eq=False)
class ClusterFit:
    """Means with their standard errors: arrays of one shape, NaN where nothing can be said.

    `uneven` says where CR2 with Satterthwaite's degrees of freedom was used, `kind` which
    correction everywhere else.
    """

    mean: Floats
    se: Floats
    df: Floats
    rows: Floats
    events: Whole
    degenerate: NDArray[np.bool_]
    uneven: NDArray[np.bool_]
    kind: ClusterCorrection = ClusterCorrection.CR1


def variance(
    sums: Floats, weights: Floats, kind: ClusterCorrection = ClusterCorrection.CR1
) -> Floats:
    """The variance of a mean, or of a ratio of sums.

    Args:
        sums: (..., G) sums over the rows of each event.
        weights: (..., G) the weights of the events, at least 0.
        kind: The correction; all but CR0 need two events.

    Returns:
        (...,) variances; NaN for fewer than two events, for CR0 none.

    Source:
        Liang and Zeger (1986), Biometrika 73; Bell and McCaffrey (2002), Survey Methodology
        28; Cameron and Miller (2015), Journal of Human Resources 50.
    """
    kind = ClusterCorrection(kind)
    total = weights.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sums.sum(axis=-1) / total
        squares = (sums - mean[..., None] * weights) ** 2
        share = weights / total[..., None]
        if kind is ClusterCorrection.CR2:
            squares = np.where(weights > 0, squares / (1 - share), 0.0)
        elif kind is ClusterCorrection.CR3:
            squares = np.where(weights > 0, squares / (1 - share) ** 2, 0.0)
        variances = squares.sum(axis=-1) / total**2
        if kind is ClusterCorrection.CR1:
            events = np.count_nonzero(weights, axis=-1)
            variances = np.where(events > 1, variances * (events / (events - 1.0)), np.nan)
    return np.asarray(variances)


def satterthwaite(weights: Floats) -> Floats:
    """Degrees of freedom of the CR2 variance of a mean; G - 1 for events of one size.

    Source:
        Bell and McCaffrey (2002), Survey Methodology 28; Pustejovsky and Tipton (2018),
        Journal of Business and Economic Statistics 36.

    >>> round(float(satterthwaite(np.ones(5))), 12)
    4.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = weights / weights.sum(axis=-1, keepdims=True)
        v = np.where(weights > 0, share**2 / (1 - share), 0.0)
        cross = v.sum(axis=-1) ** 2 - (v**2).sum(axis=-1)
        return np.asarray(1 / ((share**2).sum(axis=-1) + cross))


def effective_events(weights: Floats) -> Floats:
    """How many events of one size would weigh as unevenly: sum squared over sum of squares.

    Source:
        Kish (1965), Survey Sampling, on unequal weights.
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))


def fit(
    sums: Floats,
    weights: Floats,
    *,
    rows: Floats | None = None,
    kind: ClusterCorrection | None = None,
) -> ClusterFit:
    """Means with standard errors and degrees of freedom, for many columns of events at once.

    The default is CR1 with t of G - 1. Where `effective_events` are fewer than 20, or fewer
    than half of the events, it is CR2 with Satterthwaite's degrees of freedom. For events
    of one size the two are the same, and it is called CR1.

    Args:
        sums: (..., G) sums over the rows of each event.
        weights: (..., G) their weights, at least 0; 0 for an event that is not there.
        rows: (..., G) numbers of rows; the weights if not given.
        kind: One correction for all, in place of that choice; degrees of freedom are
            Satterthwaite's for CR2 and G - 1 for the others.
    """
    kind = None if kind is None else ClusterCorrection(kind)
    total = weights.sum(axis=-1)
    events = np.count_nonzero(weights, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(total > 0, sums.sum(axis=-1) / total, np.nan)
        few = _uneven(effective_events(weights), events)
    uneven = (
        np.full(np.shape(mean), kind is ClusterCorrection.CR2)
        if kind is not None
        else np.asarray(few)
    )
    squared = variance(sums, weights, kind or ClusterCorrection.CR1)
    df = np.where(events > 1, events - 1.0, np.nan)
    if uneven.any():
        some = weights[uneven]
        df[uneven] = np.where(events[uneven] > 1, satterthwaite(some), np.nan)
        squared = np.array(squared)
        squared[uneven] = variance(sums[uneven], some, ClusterCorrection.CR2)
    se = np.where(events > 1, np.sqrt(squared), np.nan)
    room = ROUNDING * np.maximum(1.0, np.abs(mean))
    return ClusterFit(
        mean=np.asarray(mean),
        se=se,
        df=df,
        rows=np.asarray((weights if rows is None else rows).sum(axis=-1)),
        events=np.asarray(events, dtype=np.intp),
        degenerate=np.asarray(se * np.sqrt(events) <= room),
        uneven=uneven,
        kind=kind or ClusterCorrection.CR1,
    )


def _uneven(effective: Floats, events: Whole) -> NDArray[np.bool_]:
    enough = effective >= np.maximum(FEW, UNEVEN * events)
    return np.asarray(~enough & (effective < events * (1 - ROUNDING)))


def estimates(fitted: ClusterFit, level: float = 0.95) -> tuple[Estimate, ...]:
    """Each fit with its t interval, flattened in C order.

    No row gives no value; one event gives a point and nothing about its spread.

    Args:
        fitted: As of `fit`.
        level: Confidence in (0, 1).

    Raises:
        ValueError: The level is not in (0, 1).
    """
    level_of(level)
    columns = (fitted.mean, fitted.se, fitted.df, fitted.rows, fitted.events)
    flat = zip(
        *(np.ravel(c).tolist() for c in columns),
        np.ravel(fitted.degenerate).tolist(),
        np.ravel(fitted.uneven).tolist(),
        np.ravel(stdtrit(fitted.df, (1 + level) / 2)).tolist(),
        strict=True,
    )
    made = []
    for mean, se, df, rows, events, degenerate, uneven, t in flat:
        n = round(rows)
        if events < 2 or degenerate:  # noqa: PLR2004  one event says nothing of spread
            made.append(_pointlike(mean, n, events))
        else:
            name = f"cluster t, {ClusterCorrection.CR2 if uneven else fitted.kind}"
            interval = Interval(mean - t * se, mean + t * se, level, name)
            made.append(Estimate(mean, n, events, se, df, interval))
    return tuple(made)


def _pointlike(mean: float, n: int, events: int) -> Estimate:
    if events == 0:
        state = State.NOT_ESTIMABLE if n else State.EMPTY
        return Estimate(None, n, 0, state=state)
    return Estimate(mean, n, events, state=State.SINGLE if events == 1 else State.DEGENERATE)


def interval(
    values: ArrayLike,
    events: ArrayLike,
    level: float = 0.95,
    *,
    kind: ClusterCorrection | None = None,
) -> Estimate:
    """A mean over rows with an interval that knows which rows share an event.

    Args:
        values: (n,) numbers, one a row.
        events: (n,) codes of the events, whole numbers from 0.
        level: Confidence in (0, 1).
        kind: A correction in place of the choice that `fit` describes.

    Returns:
        EMPTY without rows; SINGLE with one event and DEGENERATE without any spread of
        events, both without an interval.

    Raises:
        ValueError: A number is not finite, a code is missing or negative, or the level is
            not in (0, 1).

    >>> estimate = interval([0.1, 0.3, 0.2, 0.6], [0, 0, 1, 2])
    >>> estimate.events, round(estimate.value, 3), estimate.interval.method
    (3, 0.3, 'cluster t, CR2')
    """
    column = finite(values)
    sums, counts = tally(column, codes(events, column.size))
    return estimates(fit(sums, counts, kind=kind), level)[0]


def ratio(
    numerators: ArrayLike,
    denominators: ArrayLike,
    events: ArrayLike,
    level: float = 0.95,
) -> Estimate:
    """A ratio of sums (profit over stake), linearised, with events as the units.

    Args:
        numerators: (n,) numbers.
        denominators: (n,) numbers, at least 0.
        events: (n,) codes of the events.
        level: Confidence in (0, 1).

    Returns:
        NOT_ESTIMABLE where all denominators are zero; events without a denominator are
        left out of the count of events.

    Raises:
        ValueError: As for `interval`, or a denominator is negative, or a numerator stands
            over an event's denominator of zero.

    Source:
        Cochran (1977), Sampling Techniques, section 6.
    """
    top, bottom = finite(numerators, "numerators"), finite(denominators, "denominators")
    if top.size != bottom.size:
        raise ValueError("numerators and denominators differ in number")
    if np.any(bottom < 0):
        raise ValueError("a denominator is negative")
    event_codes = codes(events, top.size)
    sums, rows = tally(top, event_codes)
    weights = tally(bottom, event_codes)[0]
    if np.any((weights == 0) & (sums != 0)):
        raise ValueError("an event has a numerator and no denominator")
    return estimates(fit(sums, weights, rows=rows), level)[0]


def mean_test(
    values: ArrayLike,
    events: ArrayLike,
    *,
    kind: ClusterCorrection | None = None,
) -> Test:
    """Whether a mean is 0: a t test with events as the units.

    Without any spread there is no test, but where the mean is 0 itself p is 1.

    Args:
        values: (n,) numbers, one a row.
        events: (n,) codes of the events.
        kind: A correction in place of the choice that `fit` describes.

    Raises:
        ValueError: As for `interval`.
    """
    column = finite(values)
    sums, counts = tally(column, codes(events, column.size))
    fitted = fit(sums, counts, kind=kind)
    (e,) = estimates(fitted)
    name = f"cluster t, {ClusterCorrection.CR2 if fitted.uneven else fitted.kind}"
    if e.se is None or e.df is None or e.value is None:
        same = e.state is State.DEGENERATE and abs(e.value or 0.0) <= ROUNDING
        p = 1.0 if same else None
        return Test(name, e.n, e.events, e.value, p=p, state=e.state)
    t = e.value / e.se
    return Test(name, e.n, e.events, e.value, e.se, t, (e.df,), p_value(t, df=e.df))


def loss_estimates(
    sums: Floats, weights: Floats, level: float = 0.95, *, most: float | None = None
) -> tuple[Estimate, ...]:
    """Mean losses with intervals by event on the scale of logarithms, flattened in C order.

    The standard error is that of CR3, which is close to the jackknife over events, with
    Satterthwaite's degrees of freedom. The interval is the mean times and over
    exp(t x error / mean), and so stays above 0.

    Args:
        sums: (..., G) sums of the losses of each event, at least 0.
        weights: (..., G) numbers of rows; 0 for an event that is not there.
        level: Confidence in (0, 1).
        most: The largest loss there is, where an interval ends at the latest.

    Returns:
        EMPTY without rows; SINGLE with one event and DEGENERATE without any spread of
        events, both without an interval.

    Raises:
        ValueError: A loss is negative, or the level is not in (0, 1).

    Source:
        Davison and Hinkley (1997), Bootstrap Methods and their Application, chapter 5, on
        the choice of a scale; Bell and McCaffrey (2002), Survey Methodology 28; MacKinnon,
        Nielsen and Webb (2023), Journal of Econometrics 232, on the jackknife.
    """
    level_of(level)
    if np.any(sums < 0):
        raise ValueError("a loss is not negative")
    return _estimates(sums, weights, level, most)


def growth_interval(growth: ArrayLike, events: ArrayLike, level: float = 0.95) -> Estimate:
    """The mean of returns or closing line values: 1 is added, and they are like losses.

    Where the mean is -1 or less, as fees on top of a lost stake can make it, there is no
    logarithm, and the interval has equal arms.

    Args:
        growth: (n,) what was added to one dollar, or to a price of one.
        events: (n,) codes of the events.
        level: Confidence in (0, 1).

    Raises:
        ValueError: A number is not finite, a code is missing or negative, or the level is
            not in (0, 1).
    """
    level_of(level)
    column = finite(growth, "growth")
    sums, counts = tally(column + 1, codes(events, column.size))
    estimate = _estimates(sums, counts, level, None)[0]
    value = None if estimate.value is None else float(column.mean())
    if estimate.interval is None:
        return replace(estimate, value=value)
    low, high = estimate.interval.low - 1, estimate.interval.high - 1
    return replace(
        estimate, value=value, interval=replace(estimate.interval, low=low, high=high)
    )


def _estimates(
    sums: Floats, weights: Floats, level: float, most: float | None
) -> tuple[Estimate, ...]:
    fitted = fit(sums, weights, kind=ClusterCorrection.CR3)
    with_df = replace(fitted, df=np.where(fitted.events > 1, satterthwaite(weights), np.nan))
    return tuple(_on_log_scale(estimate, level, most) for estimate in estimates(with_df, level))


def _on_log_scale(estimate: Estimate, level: float, most: float | None) -> Estimate:
    if estimate.interval is None or estimate.value is None or estimate.value <= 0:
        return estimate
    arm = min((estimate.interval.high - estimate.value) / estimate.value, _FARTHEST)
    low, high = estimate.value * exp(-arm), estimate.value * exp(arm)
    room = Interval(low, high if most is None else min(most, high), level, LOG_SCALE)
    return replace(estimate, interval=room)


def p_value(statistic: float, sided: Sided = Sided.TWO, df: float | None = None) -> float:
    """The p-value of a statistic: from t with `df`, from the normal distribution without.

    >>> round(p_value(-1.959964), 6), round(p_value(2.0, Sided.GREATER, df=4), 4)
    (0.05, 0.0581)
    """
    match Sided(sided):
        case Sided.TWO:
            return min(1.0, 2 * _below(-abs(statistic), df))
        case Sided.GREATER:
            return _below(-statistic, df)
        case Sided.LESS:
            return _below(statistic, df)


def _below(statistic: float, df: float | None) -> float:
    return float(ndtr(statistic) if df is None else stdtr(df, statistic))
