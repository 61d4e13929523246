"""Ranks with how sure they are: sets of ranks, and who may be among the best.

A rank is one more than the number that are better; equals share it and the next is skipped.
Small is better unless said otherwise, as for losses.

Which contestants may be the best: the set that leaves out only those shown to be worse.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.records.estimate import State
from arena.stats.columns import ROUNDING, Flags, Floats, Whole, level_of

TIE: Final = 1e-9
_CELLS: Final = 4_000_000
_FEW: Final = 256  # samples that are worked on at a time


@dataclass(frozen=True, slots=True)
class RankOptions:
    """How a rank set is made: all ranks lie in theirs together with probability `level`.

    `draws` is the number of normal draws that the critical values come from. `events` says
    from how many the covariance was estimated: chance then has an estimated spread as well,
    as a t statistic has. None takes the covariance for known; ten equal contestants of ten
    events are then told apart somewhere in one table of five.
    """

    level: float = 0.95
    draws: int = 20_000
    events: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RankSets:
    """Ranks (k,), each inside [low, high]; empty where nothing can be said: see `state`.

    `better` (k, k) says at [i, j] that i is significantly better than j. DEGENERATE says that
    somebody's difference has no spread; such a pair is never told apart.
    """

    low: Whole
    rank: Whole
    high: Whole
    better: Flags
    state: State


@dataclass(frozen=True, slots=True, eq=False)
class RankChances:
    """How resampling moved the ranks: all (k,); empty without a resample.

    `first` is the share of resamples that each one won, shared among equals; [low, high]
    are ranks that held in at least `level` of the resamples, and `mean` the mean rank.
    These describe the spread of a ranking; they are not a test.
    """

    first: Floats
    mean: Floats
    low: Whole
    high: Whole
    level: float


def ranks(values: Floats, *, higher_is_better: bool = False) -> Whole:
    """Ranks from 1 along the last axis; values within a billionth of each other are equal.

    Raises:
        ValueError: A value is not finite.

    >>> ranks(np.array([0.3, 0.1, 0.2, 0.2])).tolist()
    [4, 1, 2, 2]
    """
    oriented = np.asarray(values, np.float64) * (-1.0 if higher_is_better else 1.0)
    if not np.isfinite(oriented).all():
        raise ValueError("what is ranked is finite")
    room = TIE * np.maximum(1e-300, np.abs(oriented))
    return np.asarray(
        1 + (oriented[..., None, :] < (oriented - room)[..., :, None]).sum(axis=-1)
    )


def rank_sets(
    estimates: Floats,
    covariance: Floats,
    rng: np.random.Generator,
    options: RankOptions | None = None,
) -> RankSets:
    """Confidence sets for ranks, from estimates and their joint covariance.

    Every difference is tested against the largest standardised difference that normal
    chance with this covariance makes, and again without what has been told apart, which only
    narrows; a rank counts those who are significantly better.

    Args:
        estimates: (k,) what is ranked, small being good.
        covariance: (k, k) of the estimates together, as of `mean_losses`.
        rng: Where chance comes from.
        options: See there.

    Returns:
        State EMPTY for none, SINGLE for one.

    Raises:
        ValueError: A number is not finite, shapes do not fit, `covariance` is not the
            covariance of anything, or is said to come from fewer than two events.

    Source:
        Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91; estimated
        spreads by Bartlett (1933), Proceedings of the Royal Society of Edinburgh 53.
    """
    how = options or RankOptions()
    level_of(how.level)
    if how.events is not None and how.events <= 1:
        raise ValueError("a covariance is estimated from two events at least")
    x, joint = _checked(estimates, covariance)
    k = x.size
    point = ranks(x)
    if k <= 1:
        state = State.SINGLE if k else State.EMPTY
        return RankSets(point, point, point, np.zeros((k, k), np.bool_), state)
    root = _root(joint)
    pairs = _Pairs(-x, joint)
    pairs.draw(root, how, rng)
    better = pairs.told_apart(how.level)
    low, high = 1 + better.sum(axis=0), k - better.sum(axis=1)
    still = pairs.sd + np.eye(k) <= ROUNDING
    state = State.DEGENERATE if still.any() else State.OK
    return RankSets(low, point, high, better, state)


def rank_chances(boot_means: Floats, level: float = 0.95) -> RankChances:
    """How often each came first in resamples, and which ranks it had.

    Args:
        boot_means: (B, k) means in resamples that kept contestants together.
        level: The share of resamples that [low, high] is to hold at least.

    Raises:
        ValueError: A mean is not finite.

    Source:
        Goldstein and Spiegelhalter (1996), Journal of the Royal Statistical Society A 159.
    """
    drawn = np.asarray(boot_means, dtype=np.float64)
    if len(drawn.shape) != 2 or not np.isfinite(drawn).all():  # noqa: PLR2004
        raise ValueError("resampled means are finite, a resample a row")
    tail = (1 - level_of(level)) / 2
    if not len(drawn):
        none = np.empty(0)
        return RankChances(none, none, none.astype(np.intp), none.astype(np.intp), level)
    places = ranks(drawn)
    won = places == 1
    first = (won / won.sum(axis=1, keepdims=True)).mean(axis=0)
    low = np.quantile(places, tail, axis=0, method="lower").astype(np.intp)
    high = np.quantile(places, 1 - tail, axis=0, method="higher").astype(np.intp)
    return RankChances(first, places.mean(axis=0), low, high, level)


class _Pairs:
    """Standardised differences of all pairs, and draws of them under the null."""

    def __init__(self, x: Floats, joint: Floats) -> None:
        k = x.size
        own = np.diag(joint)
        variance = own[:, None] + own - 2 * joint
        scale = float(own.max(initial=0.0))
        spread = np.sqrt(np.where(variance > ROUNDING * scale, variance, 0.0))
        gaps = x[:, None] - x
        self.sd = np.where(spread > ROUNDING * np.maximum(1.0, np.abs(gaps)), spread, 0.0)
        np.fill_diagonal(self.sd, np.inf)
        self._unit = np.where(self.sd > 0, self.sd, np.inf)
        self._gaps = gaps / self._unit
        self._upper = np.triu_indices(k, 1)
        self._chance = np.empty((0, k * (k - 1) // 2))

    def draw(self, root: Floats, how: RankOptions, rng: np.random.Generator) -> None:
        """Draw standardised differences under the null: (draws, pairs)."""
        left, right = self._upper
        drawn = rng.standard_normal((how.draws, root.shape[1])) @ root.T
        unit = self._unit[self._upper]
        self._chance = (drawn[:, left] - drawn[:, right]) / unit
        if how.events is not None:
            seen = _estimated(root, self._upper, how.events - 1, how.draws, rng)
            estimable = (unit < np.inf) & (seen > 0)
            self._chance /= np.divide(seen, unit, out=np.ones_like(seen), where=estimable)

    def told_apart(self, level: float) -> Flags:
        """(k, k) where [i, j] says that i is better than j."""
        left = np.asarray(self._unit < np.inf)
        significant = np.zeros_like(left)
        while left.any():
            fresh = left & (self._gaps > self._critical(left, level))
            significant |= fresh
            left &= ~fresh
            if not fresh.any():
                break
        return significant

    def _critical(self, family: Flags, level: float) -> float:
        forward, backward = family[self._upper], family.T[self._upper]
        largest = np.full(len(self._chance), -np.inf)
        if forward.any():
            largest = self._chance[:, forward].max(axis=1)
        if backward.any():
            largest = np.maximum(largest, -self._chance[:, backward].min(axis=1))
        return float(np.quantile(largest, level))


def _root(joint: Floats) -> Floats:
    """(k, k) the root that gives independent normal draws this covariance."""
    values, vectors = np.linalg.eigh(joint)
    if values[0] < -1e-8 * max(values[-1], 0.0):
        raise ValueError("a covariance has no negative variance in any direction")
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _estimated(
    root: Floats, pairs: tuple[Whole, Whole], df: int, draws: int, rng: np.random.Generator
) -> Floats:
    """Standard deviations of differences as samples would estimate them: (draws, pairs)."""
    left, right = pairs
    root = root[:, (root**2).sum(axis=0) > ROUNDING * (root**2).sum()]
    rank = root.shape[1]
    deviations = np.empty((draws, left.size))
    step = max(1, _CELLS // max(1, len(root) * max(len(root), min(df, rank))))
    for start in range(0, draws, step):
        many = min(step, draws - start)
        seen = rng.standard_normal((many, rank, min(df, rank)))
        if df > rank:  # the triangle of Bartlett: as good as df columns
            seen = np.tril(seen, -1)
            own = rng.chisquare(df - np.arange(rank), (many, rank))
            seen[:, np.arange(rank), np.arange(rank)] = np.sqrt(own)
        for part in range(0, many, _FEW):  # of which the sums stay near the processor
            spread = root @ seen[part : part + _FEW]
            joint = spread @ spread.swapaxes(1, 2)
            own = np.diagonal(joint, axis1=1, axis2=2)
            squares = own[:, left] + own[:, right] - 2 * joint[:, left, right]
            first = start + part
            deviations[first : first + len(squares)] = np.sqrt(np.maximum(squares, 0.0) / df)
    return deviations


def _checked(estimates: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    x, joint = np.asarray(estimates, np.float64), np.asarray(covariance, np.float64)
    if len(x.shape) != 1 or joint.shape != (x.size, x.size):
        raise ValueError("there is one estimate for each row and column of the covariance")
    if not (np.isfinite(x).all() and np.isfinite(joint).all()):
        raise ValueError("estimates and their covariance must be finite")
    if not np.allclose(joint, joint.T, rtol=1e-8, atol=0.0):
        raise ValueError("a covariance is symmetric")
    return x, (joint + joint.T) / 2


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
