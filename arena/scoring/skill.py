"""How much of a reference's loss a forecaster avoids: 1 - loss / loss of the reference.

A ratio of sums over the same rows: pool the rows of several cohorts, and never average skill.
It says how accurate the forecasts are, not how well calibrated nor how profitable, and whether
it is there at all is a question for the paired difference of the losses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import State
from arena.scoring.logarithmic import Clip, log_terms
from arena.scoring.proper import brier_terms
from arena.scoring.table import Floats, chosen


class Reference(StrEnum):
    """What a forecaster is compared with; the first is the one to rank by."""

    PRICE = "market price at the time of the forecast"
    CLOSE = "market price at the close"  # it has later information
    HALF = "constant 0.5"
    RATE = "base rate fixed in advance"
    SAMPLE_RATE = "base rate of this very sample"  # nobody could have known it


OPTIMISTIC = frozenset({Reference.SAMPLE_RATE, Reference.CLOSE})


@dataclass(frozen=True, slots=True)
class SkillScore:
    """A skill score and the two mean losses it is made from.

    `n` counts the rows whose reference is known, `unknown` the others, which are in neither
    mean. `optimistic` says that the reference knew more than a forecaster could. `value` is
    None where `state` is EMPTY (no row), PERFECT_REFERENCE (it loses nothing) or
    NOT_ESTIMABLE (a loss is infinite).
    """

    name: str
    value: float | None
    n: int
    unknown: int = 0
    loss: float | None = None
    reference_loss: float | None = None
    optimistic: bool = False
    state: State = State.OK


def skill_of_terms(
    loss: ArrayLike,
    reference: ArrayLike,
    *,
    name: str = "skill",
    optimistic: bool = False,
) -> SkillScore:
    """Skill from the rows' losses, lower being better, of any rule.

    Args:
        loss: (n,) losses of the forecaster.
        reference: (n,) losses of the reference under the same rule; NaN where unknown.
        name: Of the rule and the reference, for the record.
        optimistic: Whether the reference knew more than a forecaster could.

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
        return SkillScore(name, None, 0, unknown, optimistic=optimistic, state=State.EMPTY)
    if not (np.all(own >= 0) and np.all(theirs >= 0)):
        raise ValueError("a loss is not negative")
    mean, base = (float(np.sum(loss * (1 / n))) for loss in (own, theirs))
    value, state = _ratio(mean, base)
    return SkillScore(name, value, n, unknown, mean, base, optimistic=optimistic, state=state)


def brier_skill(
    p: ArrayLike,
    outcome: ArrayLike,
    reference: ArrayLike,
    *,
    against: Reference | str = Reference.PRICE,
) -> SkillScore:
    """Brier skill of yes/no forecasts against a reference's P(YES).

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        reference: P(YES) of the reference: (n,), NaN where unknown, or one number.
        against: What the reference is.

    Raises:
        ValueError: A row that is refused (see `arena.scoring.table`), or see
            `skill_of_terms`.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """
    return _skill("Brier skill", brier_terms, (p, outcome, reference), against)


def log_skill(
    p: ArrayLike,
    outcome: ArrayLike,
    reference: ArrayLike,
    *,
    clip: Clip = Clip.DEFAULT,
) -> SkillScore:
    """Log skill of yes/no forecasts against a price's P(YES), under one clip.

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        reference: P(YES) of the reference: (n,), NaN where unknown, or one number.
        clip: How near to 0 a likelihood may come, for both.

    Raises:
        ValueError: As for `brier_skill`.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """

    def terms(forecasts: ArrayLike, truth: ArrayLike) -> Floats:
        return log_terms(forecasts, truth, clip=clip)

    rule = f"log skill, {clip.name}"
    return _skill(rule, terms, (p, outcome, reference), Reference.PRICE)


def sample_rate(outcome: ArrayLike) -> float | None:
    """Share of YES among the outcomes themselves; None for none.

    Raises:
        ValueError: An outcome that is neither 0 nor 1.
    """
    outcomes = chosen(outcome, np.size(np.asarray(outcome)), 2)
    return float(outcomes.mean()) if outcomes.size else None


def _skill(
    rule: str,
    terms: Callable[[ArrayLike, ArrayLike], Floats],
    columns: tuple[ArrayLike, ArrayLike, ArrayLike],
    against: Reference | str,
) -> SkillScore:
    p, outcome, reference = (np.asarray(column) for column in columns)
    own = terms(p, outcome)
    base = np.broadcast_to(reference.astype(np.float64), own.shape)
    has_reference = ~np.isnan(base)
    theirs = np.full(own.shape, np.nan)
    theirs[has_reference] = terms(base[has_reference], outcome[has_reference])
    name = f"{rule} against: {against}"
    return skill_of_terms(own, theirs, name=name, optimistic=against in OPTIMISTIC)


def _ratio(loss: float, reference: float) -> tuple[float | None, State]:
    if reference == 0:
        return None, State.PERFECT_REFERENCE
    if not (np.isfinite(loss) and np.isfinite(reference)):
        return None, State.NOT_ESTIMABLE
    return 1 - loss / reference, State.OK
