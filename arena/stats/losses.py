"""How sure a mean is of numbers that are bounded below and skewed: losses, and growth.

Few losses are large, and the mean of such numbers is skewed, so that an interval with two
equal arms ends too low: of the Brier scores of 40 events, a t interval of 95 % lies below the
truth four times as often as above it. On the scale of logarithms the two are nearly even.
Differences of two contestants are not skewed in this way: for them there is
`arena.stats.regression.clusters`.
"""

from dataclasses import dataclass, replace
from math import exp
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.records.estimate import Estimate, Interval, State
from arena.stats.bootstrap import resamples
from arena.stats.columns import Floats, codes, finite, level_of, tally
from arena.stats.regression.clusters import ClusterCorrection, estimates, fit, satterthwaite

METHOD: Final = "cluster t, CR3, log scale"
_FARTHEST: Final = 700.0  # exp of more is no float


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
    room = Interval(low, high if most is None else min(most, high), level, METHOD)
    return replace(estimate, interval=room)


Flags = NDArray[np.bool_]
Whole = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class MeanLosses:
    """Means (k,) and the covariance (k, k) that resampling whole events would give them.

    `forecasts` and `events` (k,) count what each mean is of. `covariance` is None where a
    contestant has a single event: see `state`.
    """

    means: Floats
    covariance: Floats | None
    forecasts: Whole
    events: Whole
    state: State


def mean_losses(losses: Floats, event: Whole, made: Flags | None = None) -> MeanLosses:
    """The means of all contestants and their joint covariance, events being the units.

    With gaps, each mean is over what that contestant forecast. Means over different
    questions say who had the easier ones: give losses that allow for it, as differences to
    the market's, or only the rows that all forecast.

    Args:
        losses: (n, k) a question a row and a contestant a column.
        event: (n,) each question's event.
        made: (n, k) where a forecast was made; everywhere if not given. What stands in
            `losses` elsewhere is not looked at.

    Raises:
        ValueError: A loss is not finite, lengths differ, or a contestant has no forecast.

    Source:
        Liang and Zeger (1986), Biometrika 73, for the vector of means; the correction
        G / (G - 1) is split between both contestants of an entry.
    """
    sums, counts = event_sums(losses, event, made)
    total = counts.sum(axis=0)
    if np.any(total == 0):
        raise ValueError("a contestant without a forecast has no mean loss")
    means = sums.sum(axis=0) / total
    units = np.count_nonzero(counts, axis=0)
    if not units.size or units.min() <= 1:
        state = State.SINGLE if units.size else State.EMPTY
        return MeanLosses(means, None, total.astype(np.intp), units, state)
    pulls = (sums - counts * means) / total * np.sqrt(units / (units - 1.0))
    return MeanLosses(means, pulls.T @ pulls, total.astype(np.intp), units, State.OK)


def resampled_means(
    losses: Floats,
    event: Whole,
    rng: np.random.Generator,
    draws: int = 10_000,
) -> Floats:
    """Mean losses in resamples of whole events, the same events for all contestants.

    Args:
        losses: (n, k) a question a row and a contestant a column.
        event: (n,) each question's event.
        rng: Where chance comes from.
        draws: How many resamples, B.

    Returns:
        (B, k) means.

    Raises:
        ValueError: See `mean_losses`.

    Source:
        Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8.
    """
    sums, counts = event_sums(losses, event)
    times = resamples(len(sums), draws, rng)
    return np.asarray((times @ sums) / (times @ counts))


def loss_table(losses: Floats, made: Flags | None) -> tuple[Floats, Flags]:
    """(questions, contestants) losses, and where there is one: everywhere if not given.

    Raises:
        ValueError: They are no such table, or a loss that is there is not finite.
    """
    table = np.asarray(losses, dtype=np.float64)
    there = np.ones(table.shape, dtype=np.bool_) if made is None else made
    if len(table.shape) != 2 or there.shape != table.shape:  # noqa: PLR2004
        raise ValueError("losses stand in a row a question and a column a contestant")
    if not np.isfinite(table[there]).all():
        raise ValueError("a loss must be finite")
    return table, there


def event_sums(
    losses: Floats, event: Whole, made: Flags | None = None
) -> tuple[Floats, Floats]:
    """Sums of losses and numbers of forecasts, an event a row: two arrays (G, k).

    Raises:
        ValueError: A loss is not finite where a forecast was made, or lengths differ.
    """
    table, there = loss_table(losses, made)
    code = codes(event, len(table))
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    if not starts.size:
        return np.zeros((0, table.shape[1])), np.zeros((0, table.shape[1]))
    kept = np.where(there, table, 0.0)[order]
    sums = np.add.reduceat(kept, starts, axis=0)
    return sums, np.add.reduceat(there[order].astype(np.float64), starts, axis=0)
