"""Which contestants may be the best: the set that leaves out only those shown to be worse."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.columns import ROUNDING

Floats = NDArray[np.float64]

_CELLS: Final = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceSet:
    """The p-value of each contestant (k,), in the order given, that it may be the best.

    A contestant is in the set of level 1 - alpha if its p is above alpha. `p` is empty where
    nothing can be said: see `state`.
    """

    p: Floats
    state: State


def model_confidence_set(
    means: Floats, boot_means: Floats, *, add_one: bool = False
) -> ConfidenceSet:
    """The model confidence set from mean losses and their resampled values.

    The worst falls, again and again, with the p-value of "all that are left are equally
    good", or a larger one of an elimination before. Contestants that are exactly alike fall
    together.

    Args:
        means: (k,) mean losses.
        boot_means: (B, k) the same means in resamples that kept contestants together.
        add_one: Whether the sample itself counts as one draw, so that no p is 0.

    Returns:
        State EMPTY without a contestant, SINGLE with one (p = 1), TOO_FEW without a
        resample, DEGENERATE where two differ by a constant, so that no p can be had.

    Raises:
        ValueError: A mean is not finite, or shapes do not fit.

    Source:
        Hansen, Lunde and Nason (2011), Econometrica 79.

    >>> drawn = np.array([[0.1, 0.5], [0.2, 0.1], [0.15, 0.3]])
    >>> model_confidence_set(np.array([0.15, 0.3]), drawn).p.round(3).tolist()
    [1.0, 0.667]
    """
    middle, drawn = np.asarray(means, np.float64), np.asarray(boot_means, np.float64)
    if len(middle.shape) != 1 or drawn.shape[1:] != middle.shape:
        raise ValueError("resamples hold a mean loss for each contestant")
    if not (np.isfinite(middle).all() and np.isfinite(drawn).all()):
        raise ValueError("a mean loss must be finite")
    k, draws = middle.size, len(drawn)
    state = State.OK
    if k <= 1:
        state = State.SINGLE if k else State.EMPTY
    elif draws == 0:
        state = State.TOO_FEW
    elif _constant_gap(middle, drawn):
        state = State.DEGENERATE
    if state is not State.OK:
        p = np.ones(1) if state is State.SINGLE else np.empty(0)
        return ConfidenceSet(p, state)
    return _eliminate(middle, drawn - middle, add_one=add_one)


def _eliminate(means: Floats, errors: Floats, *, add_one: bool) -> ConfidenceSet:
    left = np.arange(means.size)
    p, worst = np.ones(means.size), 0.0
    extra = int(add_one)
    while left.size > 1:
        scores, chance = _range(means[left], errors[:, left])
        most = float(scores.max())
        if most <= 0:
            break
        share = (np.count_nonzero(chance > most) + extra) / (len(chance) + extra)
        worst = max(worst, share)
        p[left[scores == most]] = worst
        left = left[scores != most]
    return ConfidenceSet(p, State.OK)


def _range(means: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Each one's largest standardised difference to any other, and chance's largest."""
    k = means.size
    gaps = means[:, None] - means
    spread = np.zeros((k, k))
    largest = np.zeros(len(errors))
    step = max(1, _CELLS // (k * k))
    parts = [slice(at, at + step) for at in range(0, len(errors), step)]
    for part in parts:
        spread += ((errors[part, :, None] - errors[part, None, :]) ** 2).sum(axis=0)
    sd = np.sqrt(spread / len(errors))
    unit = np.where(sd > ROUNDING, sd, np.inf)  # who is alike is never told apart
    for part in parts:
        apart = (errors[part, :, None] - errors[part, None, :]) / unit
        largest[part] = apart.reshape(len(apart), -1).max(axis=1)
    return np.asarray((gaps / unit).max(axis=1)), largest


def _constant_gap(means: Floats, drawn: Floats) -> bool:
    for column in range(means.size):
        still = np.ptp(drawn - drawn[:, [column]], axis=0) <= ROUNDING
        if np.any(still & (np.abs(means - means[column]) > ROUNDING)):
            return True
    return False
