"""Whether forecasters err together: the mean correlation of errors, and what it leaves."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.estimate import Estimate
from arena.stats.resampling.jackknife import jackknife

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

LEAST: Final = 3  # questions that two forecasters share: below, they have no correlation


@dataclass(frozen=True, slots=True)
class JointErrors:
    """The mean correlation of k forecasters' errors, and how many independent ones they are.

    The effective number is k / (1 + (k - 1) r): 1 where all err alike, k where nobody's error
    tells of another's. `pairs` (k, k) has each pair's correlation, NaN where two share too
    little.
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
    return JointErrors(mean, _effective(mean, k), _correlations(sums.sum(axis=0)))


def _correlations(total: Floats) -> Floats:
    """(k, k) from counts, sums, sums of squares and cross products over shared questions."""
    n, e, square, cross = total
    shared = np.where(n >= LEAST, n, np.nan)
    covariance = cross / shared - (e / shared) * (e.T / shared)
    variance = square / shared - (e / shared) ** 2
    spread = variance * variance.T
    spread = np.where(spread > 0, spread, np.nan)
    correlations: Floats = covariance / np.sqrt(spread)
    return correlations


def _mean(pairs: Floats) -> float | None:
    upper = pairs[np.triu_indices(len(pairs), 1)]
    known = upper[~np.isnan(upper)]
    return float(known.mean()) if known.size else None


def _effective(mean: Estimate, k: int) -> Estimate:
    """The number that a mean correlation leaves, and its interval."""
    if mean.value is None:
        return mean
    effective = replace(mean, value=_number(mean.value, k), se=None, df=None, interval=None)
    if mean.interval is None:
        return effective
    low, high = _number(mean.interval.high, k), _number(mean.interval.low, k)
    if low is None or high is None:
        return effective
    return replace(effective, interval=replace(mean.interval, low=low, high=high))


def _number(r: float, k: int) -> float | None:
    """None where errors cancel so much that no number of independent ones would."""
    room = 1 + (k - 1) * r
    return k / room if room > 0 else None
