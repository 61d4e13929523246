"""The Rasch model: how hard each item is, whoever happened to try it.

The chance of a right answer is the logistic function of ability minus difficulty. Given how
many a person got right, which ones they were says nothing of ability: difficulties are
estimated from that alone, so they do not hang on who took part.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.bradley_terry import components

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Whole = NDArray[np.intp]

_STEPS: Final = 100
_CLOSE: Final = 1e-10
_MOST: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class Difficulties:
    """Difficulties (k,) that sum to 0, with their covariance (k, k), and the likelihood.

    All are None where nothing can be said: EMPTY without an item or a person, SINGLE with
    one item, NOT_ESTIMABLE where some items were never failed by one who got others right.
    `persons` counts those that say anything: neither all right nor all wrong.
    """

    difficulty: Floats | None
    covariance: Floats | None
    log_likelihood: float | None
    persons: int
    state: State

    @property
    def se(self) -> Floats | None:
        """The standard error of each difficulty about their mean."""
        return None if self.covariance is None else np.sqrt(np.diag(self.covariance))


def rasch(answers: Whole, asked: Flags | None = None) -> Difficulties:
    """Difficulties by conditional maximum likelihood.

    Args:
        answers: (n, k) 1 for right and 0 for wrong, a person a row and an item a column; at
            most 200 items.
        asked: (n, k) which items a person was given; all if not given. What stands in
            `answers` elsewhere is not looked at.

    Raises:
        ValueError: An answer is neither 0 nor 1, shapes differ, or too many items.

    Source:
        Andersen (1972), Journal of the Royal Statistical Society B 34; Fischer (1981),
        Psychometrika 46, for when the estimate exists.
    """
    right, there = _checked(answers, asked)
    n, k = right.shape
    useful = (right.sum(axis=1) > 0) & (right.sum(axis=1) < there.sum(axis=1))
    right, there = right[useful], there[useful]
    state = State.OK
    if n == 0 or k <= 1:
        state = State.SINGLE if n and k else State.EMPTY
    else:
        missed = there.astype(np.float64) - right
        if np.unique(components(right.T @ missed)).size > 1:
            state = State.NOT_ESTIMABLE
    if state is not State.OK:
        return Difficulties(None, None, None, int(useful.sum()), state)
    return _fit(right, there)


def _fit(right: Floats, there: Flags) -> Difficulties:
    patterns, code = np.unique(there, axis=0, return_inverse=True)
    groups = [
        (pattern, right[code.reshape(-1) == number]) for number, pattern in enumerate(patterns)
    ]
    k = right.shape[1]
    easiness = np.zeros(k)
    height, slope, information = _surface(easiness, groups)
    for _ in range(_STEPS):
        step = np.linalg.solve(information + np.full((k, k), 1 / k), slope)
        for _ in range(_STEPS):
            tried = _surface(easiness + step, groups)
            if tried[0] >= height - _CLOSE * max(1.0, abs(height)):
                break
            step /= 2
        easiness = easiness + step
        height, slope, information = tried
        if np.abs(step).max() <= _CLOSE:
            break
    level = np.full((k, k), 1 / k)
    covariance = np.linalg.inv(information + level) - level
    difficulty = easiness.mean() - easiness
    return Difficulties(difficulty, covariance, height, len(right), State.OK)


def _surface(
    easiness: Floats, groups: list[tuple[Flags, Floats]]
) -> tuple[float, Floats, Floats]:
    """The conditional log likelihood, its slope and its information, over all patterns."""
    k = easiness.size
    height, slope, information = 0.0, np.zeros(k), np.zeros((k, k))
    for pattern, right in groups:
        items = np.flatnonzero(pattern)
        given = right[:, items]
        totals = given.sum(axis=1).astype(np.intp)
        times = np.bincount(totals, minlength=items.size + 1).astype(np.float64)
        log_all, one, two = _chances(easiness[items])
        height += float((given @ easiness[items]).sum() - times @ log_all)
        slope[items] += given.sum(axis=0) - times @ one
        both = np.einsum("r,rij->ij", times, two) - np.einsum("r,ri,rj->ij", times, one, one)
        information[np.ix_(items, items)] += both
    return height, slope, information


def _chances(easiness: Floats) -> tuple[Floats, Floats, Floats]:
    """For each number of right answers, the log of the symmetric function and the chances.

    Returns:
        (k + 1,) logs, (k + 1, k) chances that an item is right given the number, and
        (k + 1, k, k) that two are.
    """
    k = easiness.size
    middle = easiness.mean()
    each = np.exp(easiness - middle)
    without = np.zeros((k, k, k + 1))  # symmetric functions without items i and j
    without[..., 0] = 1.0
    both = np.arange(k)
    for item in range(k):
        used = (both[:, None] != item) & (both != item)
        without[..., 1:] += np.where(used, each[item], 0.0)[..., None] * without[..., :-1]
    single = without[both, both]  # without item i alone
    whole = single[0].copy()
    whole[1:] += each[0] * single[0, :-1]
    one = np.zeros((k + 1, k))
    one[1:] = (each[:, None] * single[:, :-1]).T / whole[1:, None]
    two = np.zeros((k + 1, k, k))
    pair = each[:, None] * each
    two[2:] = np.moveaxis(pair[..., None] * without[..., :-2], 2, 0) / whole[2:, None, None]
    two[:, both, both] = one
    return np.log(whole) + np.arange(k + 1) * middle, one, two


def _checked(answers: Whole, asked: Flags | None) -> tuple[Floats, Flags]:
    found = np.asarray(answers)
    there = np.ones(found.shape, dtype=np.bool_) if asked is None else np.asarray(asked)
    if len(found.shape) != 2 or there.shape != found.shape:  # noqa: PLR2004
        raise ValueError("answers stand in a row a person and a column an item")
    if found.shape[1] > _MOST:
        raise ValueError(f"at most {_MOST} items can be estimated together")
    if not np.all((found[there] == 0) | (found[there] == 1)):
        raise ValueError("an answer is 0 or 1")
    return np.where(there, found, 0).astype(np.float64), there
