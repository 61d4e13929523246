"""Whether forecasters err together: the mean correlation of errors, and what it leaves."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from arena.records.estimate import Estimate, Interval, State

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

GROUPS: Final = 20  # of events that are left out in turn for the standard error
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
    total = sums.sum(axis=0)
    pairs = _correlations(total)
    events = len(np.unique(event[there.sum(axis=0) > 1])) if m else 0
    value = _mean(pairs)
    if value is None:
        nothing = Estimate(None, m, events, state=State.EMPTY)
        return JointErrors(nothing, nothing, pairs)
    held = [own for own in range(size) if sums[own, 0].any()]
    again = [_mean(_correlations(total - sums[own])) for own in held]
    left = np.array([mean for mean in again if mean is not None])
    if len(left) <= 2 or len(left) < len(held):  # noqa: PLR2004  no spread of two
        mean = Estimate(value, m, events, state=State.NOT_ESTIMABLE)
        return JointErrors(
            mean, Estimate(_effective(value, k), m, events, state=mean.state), pairs
        )
    n = len(left)
    se = sqrt((n - 1) / n * float(np.sum((left - left.mean()) ** 2)))
    arm = float(stdtrit(n - 1, (1 + level) / 2)) * se
    low, high = max(-1.0, value - arm), min(1.0, value + arm)
    method = f"jackknife, {n} groups of events"
    mean = Estimate(
        value, m, events, se=se, df=n - 1.0, interval=Interval(low, high, level, method)
    )
    ends = _effective(high, k), _effective(low, k)
    bounds = None if None in ends else Interval(ends[0] or 0.0, ends[1] or 0.0, level, method)
    return JointErrors(mean, Estimate(_effective(value, k), m, events, interval=bounds), pairs)


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


def _effective(r: float, k: int) -> float | None:
    """None where errors cancel so much that no number of independent ones would."""
    room = 1 + (k - 1) * r
    return k / room if room > 0 else None
