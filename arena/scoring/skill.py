"""How much of a reference's loss a forecaster avoids: 1 - loss / loss of the reference.

A ratio of sums over the same rows: pool the rows of several cohorts, and never average skill.
It says how accurate the forecasts are, not how well calibrated nor how profitable, and whether
it is there at all is a question for the paired difference of the losses.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import State
from arena.scoring.logarithmic import log_terms
from arena.scoring.proper import brier_terms
from arena.scoring.table import Floats, chosen


@dataclass(frozen=True, slots=True)
class SkillScore:
    """A skill score of `n` rows whose reference is known; `unknown` counts the others.

    `value` is None where `state` is EMPTY (no row), PERFECT_REFERENCE (it loses nothing) or
    NOT_ESTIMABLE (a loss is infinite).
    """

    value: float | None
    n: int
    unknown: int = 0
    state: State = State.OK


def skill_of_terms(loss: ArrayLike, reference: ArrayLike) -> SkillScore:
    """Skill from the rows' losses, lower being better, of any rule.

    Args:
        loss: (n,) losses of the forecaster.
        reference: (n,) losses of the reference under the same rule; NaN where unknown.

    Raises:
        ValueError: Columns of different lengths, or a loss that is NaN or negative.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.

    >>> skill_of_terms([0.04, 0.16], [0.25, 0.25]).value
    0.6
    """
    own, theirs = np.asarray(loss, np.float64), np.asarray(reference, np.float64)
    if not (own.ndim == 1 and own.shape == theirs.shape):
        raise ValueError("losses and those of the reference are columns of one length")
    has_reference = ~np.isnan(theirs)
    own, theirs = own[has_reference], theirs[has_reference]
    n, unknown = int(has_reference.sum()), int(has_reference.size - has_reference.sum())
    if not n:
        return SkillScore(None, 0, unknown, State.EMPTY)
    if not (np.all(own >= 0) and np.all(theirs >= 0)):
        raise ValueError("a loss is not negative")
    mean, base = (float(np.sum(loss * (1 / n))) for loss in (own, theirs))
    value, state = _ratio(mean, base)
    return SkillScore(value, n, unknown, state)


def brier_skill(p: ArrayLike, outcome: ArrayLike, reference: ArrayLike) -> SkillScore:
    """Brier skill of yes/no forecasts against a reference's P(YES).

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        reference: P(YES) of the reference: (n,), NaN where unknown, or one number.

    Raises:
        ValueError: A row that is refused (see `arena.scoring.table`), or see
            `skill_of_terms`.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """
    return _skill(brier_terms, p, outcome, reference)


def log_skill(p: ArrayLike, outcome: ArrayLike, reference: ArrayLike) -> SkillScore:
    """Log skill of yes/no forecasts against a reference's P(YES), both clipped at 1e-6.

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        reference: P(YES) of the reference: (n,), NaN where unknown, or one number.

    Raises:
        ValueError: As for `brier_skill`.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """
    return _skill(log_terms, p, outcome, reference)


def sample_rate(outcome: ArrayLike) -> float | None:
    """Share of YES among the outcomes themselves; None for none.

    Raises:
        ValueError: An outcome that is neither 0 nor 1.
    """
    outcomes = chosen(outcome, np.size(np.asarray(outcome)), 2)
    return float(outcomes.mean()) if outcomes.size else None


def _skill(
    terms: Callable[[ArrayLike, ArrayLike], Floats],
    p: ArrayLike,
    outcome: ArrayLike,
    reference: ArrayLike,
) -> SkillScore:
    own = terms(p, outcome)
    base = np.broadcast_to(np.asarray(reference, np.float64), own.shape)
    has_reference = ~np.isnan(base)
    theirs = np.full(own.shape, np.nan)
    theirs[has_reference] = terms(base[has_reference], np.asarray(outcome)[has_reference])
    return skill_of_terms(own, theirs)


def _ratio(loss: float, reference: float) -> tuple[float | None, State]:
    if reference == 0:
        return None, State.PERFECT_REFERENCE
    if not (np.isfinite(loss) and np.isfinite(reference)):
        return None, State.NOT_ESTIMABLE
    return 1 - loss / reference, State.OK
