"""Difficulty-adjusted effects of resampled events, all replicates at once."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.difficulty import Panel
from arena.scoring.table import Floats, Whole
from arena.stats.columns import codes

REPLICATES: Final = 1000
CHUNK: Final = 4096
SINGULAR: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Effects of contestants in each replicate, (replicates, agents), of mean 0 in a group.

    `dropped` counts the replicates that lost the questions which connect a group, and are
    not among the rows: contestants cannot be compared in them.
    """

    effects: Floats
    dropped: int

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Percentile intervals of the effects.

        Raises:
            ValueError: The level is not in (0, 1), or no replicate is left.
        """
        if not 0 < level < 1 or not len(self.effects):
            raise ValueError(f"no intervals of level {level} of {len(self.effects)} replicates")
        ends = np.quantile(self.effects, ((1 - level) / 2, (1 + level) / 2), axis=0)
        return ends[0], ends[1]


def bootstrap_effects(
    found: Panel, event: ArrayLike, rng: np.random.Generator, replicates: int = REPLICATES
) -> Replicates:
    """Resample whole events with replacement and fit all effects anew.

    Args:
        found: The scores.
        event: The event of each row, whole numbers from 0, (n,); a question has one event.
        rng: Where the draws come from.
        replicates: How many.

    Raises:
        ValueError: A bad code, a question of two events, or no replicate.
    """
    if replicates < 1:
        raise ValueError(f"there is at least one replicate, not {replicates}")
    given = codes(event, len(found.score))
    number = int(given.max()) + 1 if len(given) else 0
    there = np.unique(given)
    drawn = rng.integers(len(there), size=(replicates, len(there))) if len(there) else there
    place = np.repeat(np.arange(replicates), len(there)) * number
    cells = place + there[drawn].ravel() if len(there) else place
    weights = np.bincount(cells, minlength=replicates * number)
    return weighted_effects(found, given, weights.reshape(replicates, number))


def weighted_effects(found: Panel, event: ArrayLike, weights: ArrayLike) -> Replicates:
    """Fit effects with each event counted as often as a row of weights says.

    Weights multiply whole questions, so that the equations of a replicate are a weighted sum
    of what each question puts into them: one matrix product serves all replicates.

    Args:
        found: The scores.
        event: The event of each row, whole numbers from 0, (n,); a question has one event.
        weights: How often each event counts, 0 or more, (replicates, events).

    Raises:
        ValueError: A bad code or weight, or a question of two events.
    """
    of_question = _event_of_question(found, codes(event, len(found.score)))
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 2 or (len(of_question) and given.shape[1] <= of_question.max()):  # noqa: PLR2004  a row a replicate
        raise ValueError("weights have a row a replicate and a column an event")
    if not np.isfinite(given).all() or np.any(given < 0):
        raise ValueError("a weight is 0 or more")
    size = len(found.agents)
    first, second = np.triu_indices(size)
    matrices = np.zeros((len(given), size, size))
    halves, right = np.zeros((len(given), len(first))), np.zeros((len(given), size))
    for start in range(0, len(of_question), CHUNK):
        part = slice(start, start + CHUNK)
        weight = given[:, of_question[part]]
        times, sums = found.times[:, part], found.sums[:, part]
        number = times.sum(axis=0)
        shares = times / number
        pieces = -times[first] * shares[second]
        pieces[first == second] += times
        halves += weight @ pieces.T
        right += weight @ (sums - times * (sums.sum(axis=0) / number)).T
    matrices[:, first, second] = halves
    matrices[:, second, first] = halves
    return _solved(matrices, right, found)


def _solved(matrices: Floats, right: Floats, found: Panel) -> Replicates:
    joined = (found.group[:, None] == found.group).astype(np.float64)
    if not right.size:
        return Replicates(right, 0)
    scale = np.maximum(np.trace(matrices, axis1=1, axis2=2) / len(joined), SINGULAR)
    full = matrices / scale[:, None, None] + joined
    connected = np.linalg.eigvalsh(full)[:, 0] > SINGULAR
    effects = np.linalg.solve(full[connected], (right / scale[:, None])[connected, :, None])
    return Replicates(effects[:, :, 0], int(np.count_nonzero(~connected)))


def _event_of_question(found: Panel, event: Whole) -> Whole:
    of_question = np.zeros(len(found.questions), dtype=np.intp)
    of_question[found.question] = event
    if np.any(of_question[found.question] != event):
        raise ValueError("a question belongs to one event")
    return of_question
