"""Losses of several forecasters together: their means with the covariance, and joint errors.

Whether forecasters err together: the mean correlation of errors, and what it leaves. Copies say
how much is the model's, and how much the chance of one sample of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

import numpy as np

from arena.records.estimate import Estimate, State
from arena.stats.bootstrap import resamples
from arena.stats.columns import ROUNDING, Flags, Floats, Whole, codes
from arena.stats.replicates import jackknife

LEAST: Final = 3  # questions that two forecasters share: below, they have no correlation


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


@dataclass(frozen=True, slots=True)
class JointErrors:
    """The mean correlation of k forecasters' errors, and how many independent ones they are.

    The effective number is k / (1 + (k - 1) r): 1 where all err alike, k where nobody's error
    tells of another's. `pairs` (k, k) has each pair's correlation, NaN where two share too
    little or one's errors are all the same.
    """

    mean: Estimate
    effective: Estimate
    pairs: Floats


def joint_errors(
    errors: Floats, event: Whole, group: Whole, *, level: float = 0.95
) -> JointErrors:
    """Correlate errors over the questions that each pair answered.

    Args:
        errors: (k, m) forecast less outcome of k forecasters; NaN where one said nothing.
        event: (m,) the event of each question, from 0.
        group: (m,) which questions are left out together for the standard error, from 0; an
            event is in one group.
        level: Confidence of the intervals, a jackknife over the groups, in (0, 1).

    Returns:
        EMPTY below two forecasters or without a pair that shares three questions.

    Source:
        Kish (1965), Survey Sampling, for the effective number; Tukey (1958) for the jackknife.
    """
    k, m = errors.shape
    there = ~np.isnan(errors)
    filled = np.where(there, errors, 0.0)
    size = int(group.max(initial=0)) + 1
    sums = np.zeros((size, 4, k, k))
    for own in range(size):
        rows = group == own
        e, t = filled[:, rows], there[:, rows].astype(np.float64)
        sums[own] = (t @ t.T, e @ t.T, e**2 @ t.T, e @ e.T)
    events = len(np.unique(event[there.sum(axis=0) > 1])) if m else 0
    mean = jackknife(
        sums[sums[:, 0].any(axis=(1, 2))],
        lambda total: _mean(_correlations(total)),
        (m, events),
        level=level,
        within=(-1.0, 1.0),
    )
    effective = _of_falling(mean, lambda r: _number(r, k))
    return JointErrors(mean, effective, _correlations(sums.sum(axis=0)))


def _correlations(total: Floats) -> Floats:
    """(k, k) from counts, sums, sums of squares and cross products over shared questions."""
    n, e, square, cross = total
    shared = np.where(n >= LEAST, n, np.nan)
    covariance = cross / shared - (e / shared) * (e.T / shared)
    variance = square / shared - (e / shared) ** 2
    spread = np.sqrt(np.where(variance > ROUNDING, variance, np.nan))
    return np.asarray(np.clip(covariance / (spread * spread.T), -1.0, 1.0))


def _mean(pairs: Floats) -> float | None:
    upper = pairs[np.triu_indices(len(pairs), 1)]
    known = upper[~np.isnan(upper)]
    return float(known.mean()) if known.size else None


def _of_falling(estimate: Estimate, function: Callable[[float], float | None]) -> Estimate:
    """A falling function of an estimate: the ends of its interval change places.

    There is no value where the function has none, and no interval where an end has none.
    """
    value = None if estimate.value is None else function(estimate.value)
    made = replace(estimate, value=value, se=None, df=None, interval=None)
    if estimate.interval is None:
        return made
    low, high = function(estimate.interval.high), function(estimate.interval.low)
    if low is None or high is None:
        return made
    return replace(made, interval=replace(estimate.interval, low=low, high=high))


def _number(r: float, k: int) -> float | None:
    """None where errors cancel so much that no number of independent ones would."""
    room = 1 + (k - 1) * r
    return k / room if room > 0 else None


NOISE: Final = 0.1  # of the events that a test needs may be due to the chance of samples


def intraclass(
    values: Floats, model: Whole, event: Whole, group: Whole, *, level: float = 0.95
) -> Estimate:
    """The share of the variance within questions that lies between models, not their copies.

    It is 1 where copies of a model all say the same, and 0 where they differ as much as models
    do. Below 0 chance made them differ more.

    Args:
        values: (k, m) what k contestants said of m questions, or lost; NaN where nothing.
        model: (k,) which model each is a copy of, from 0.
        event: (m,) the event of each question, from 0.
        group: (m,) which questions the jackknife leaves out together, from 0.
        level: Confidence of the interval, in (0, 1).

    Returns:
        EMPTY where no model has two copies, or nobody else answered the same questions.

    Source:
        Shrout and Fleiss (1979), Psychological Bulletin 86; components of variance of
        unbalanced samples by equating mean squares.
    """
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    models = int(model.max(initial=-1)) + 1
    member = (model == np.arange(models)[:, None]).astype(np.float64)
    counts = member @ there
    safe = np.maximum(counts, 1)
    means = member @ filled / safe
    squares = member @ filled**2 - counts * means**2
    answered = (counts > 0).sum(axis=0)
    shared = answered > 1
    grand = means.sum(axis=0) / np.maximum(answered, 1)
    apart = np.where(counts > 0, (means - grand) ** 2, 0.0).sum(axis=0)
    chance = np.where(counts > 0, 1 / safe, 0.0).sum(axis=0) * (1 - 1 / np.maximum(answered, 1))
    columns = np.array(
        [
            squares.sum(axis=0),
            np.maximum(counts - 1, 0).sum(axis=0),
            apart * shared,
            (answered - 1) * shared,
            chance * shared,
        ]
    )
    used = columns[1] + columns[3] > 0
    size = int(group.max(initial=-1)) + 1
    sums = np.array([columns[:, group == own].sum(axis=1) for own in range(size)])
    kept = sums[sums[:, 1] + sums[:, 3] > 0] if size else np.zeros((0, 5))
    rows = (int(used.sum()), len(np.unique(event[used])))
    return jackknife(kept, _share, rows, level=level, within=(-np.inf, 1.0))


def _share(sums: Floats) -> float | None:
    squares, free, apart, others, chance = sums.tolist()
    if not free or not others:
        return None
    within = squares / free
    between = (apart - within * chance) / others
    total = within + between
    return between / total if total > 0 else None


def copies_needed(share: Estimate) -> Estimate:
    """How many copies of each model a comparison needs, whatever its power.

    The events that a test of two models needs are in proportion to the variance of their
    difference, between + within / copies. From so many copies on, at most a tenth of them are
    needed because of the chance of samples.

    Args:
        share: The intraclass correlation of the losses that are compared.

    Returns:
        NOT_ESTIMABLE where copies differ as much as models do.

    Source:
        definition, from the variance of a mean.

    >>> copies_needed(Estimate(0.8, 10, 5)).value
    3.0
    """
    copies = _of_falling(share, _copies)
    if share.value is None or copies.value is not None:
        return copies
    return Estimate(None, share.n, share.events, state=State.NOT_ESTIMABLE)


def _copies(share: float) -> float | None:
    if share <= 0:
        return None
    return float(max(1, ceil((1 - share) / share * (1 - NOISE) / NOISE - 1e-9)))
