"""How much of a reference's loss a forecaster avoids: 1 - loss / loss of the reference.

A ratio of sums over the same rows: pool the rows of several cohorts, and never average skill.
It says how accurate the forecasts are, not how well calibrated nor how profitable, and whether
it is there at all is a question for the paired difference of the losses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.records.estimate import State
from arena.scoring.logarithmic import Clip, log_terms
from arena.scoring.proper import brier_terms
from arena.scoring.table import chosen

Floats = NDArray[np.float64]


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
    weights: ArrayLike | None = None,
    optimistic: bool = False,
) -> SkillScore:
    """Skill from the rows' losses, lower being better, of any rule.

    Args:
        loss: (n,) losses of the forecaster.
        reference: (n,) losses of the reference under the same rule; NaN where unknown.
        name: Of the rule and the reference, for the record.
        weights: (n,) how much each row counts; the same, if not said.
        optimistic: Whether the reference knew more than a forecaster could.

    Raises:
        ValueError: Columns of different lengths, a loss that is NaN or negative, or weights
            that are negative, not finite or all 0.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.

    >>> skill_of_terms([0.04, 0.16], [0.25, 0.25]).value
    0.6
    """
    own, theirs = np.asarray(loss, np.float64), np.asarray(reference, np.float64)
    weight = np.ones(own.shape) if weights is None else np.asarray(weights, np.float64)
    if not (own.ndim == 1 and own.shape == theirs.shape == weight.shape):
        raise ValueError("losses, those of the reference and weights are columns of one length")
    has_reference = ~np.isnan(theirs)
    own, theirs, weight = own[has_reference], theirs[has_reference], weight[has_reference]
    n, unknown = int(has_reference.sum()), int(has_reference.size - has_reference.sum())
    if not n:
        return SkillScore(name, None, 0, unknown, optimistic=optimistic, state=State.EMPTY)
    if not (np.all(own >= 0) and np.all(theirs >= 0)):
        raise ValueError("a loss is not negative")
    if not (np.all((weight >= 0) & np.isfinite(weight)) and weight.sum() > 0):
        raise ValueError("weights are finite and not negative, and some are positive")
    counted = weight > 0
    share = weight[counted] / weight.sum()
    mean, base = (float(np.sum(loss[counted] * share)) for loss in (own, theirs))
    value, state = _ratio(mean, base)
    return SkillScore(name, value, n, unknown, mean, base, optimistic=optimistic, state=state)


def brier_skill(
    p: ArrayLike,
    outcome: ArrayLike,
    reference: ArrayLike,
    *,
    against: Reference | str = Reference.PRICE,
    weights: ArrayLike | None = None,
) -> SkillScore:
    """Brier skill of yes/no forecasts against a reference's P(YES).

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        reference: P(YES) of the reference: (n,), NaN where unknown, or one number.
        against: What the reference is.
        weights: (n,) how much each row counts; the same, if not said.

    Raises:
        ValueError: A row that is refused (see `arena.scoring.table`), or see
            `skill_of_terms`.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """
    rule = "Brier skill"
    return _skill(rule, brier_terms, (p, outcome, reference), against, weights)


def log_skill(  # noqa: PLR0913  columns and named options
    p: ArrayLike,
    outcome: ArrayLike,
    reference: ArrayLike,
    *,
    against: Reference | str = Reference.PRICE,
    weights: ArrayLike | None = None,
    clip: Clip = Clip.DEFAULT,
) -> SkillScore:
    """Log skill of yes/no forecasts against a reference's P(YES), under one clip.

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        reference: P(YES) of the reference: (n,), NaN where unknown, or one number.
        against: What the reference is.
        weights: (n,) how much each row counts; the same, if not said.
        clip: How near to 0 a likelihood may come, for both.

    Raises:
        ValueError: As for `brier_skill`.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """

    def terms(forecasts: ArrayLike, truth: ArrayLike) -> Floats:
        return log_terms(forecasts, truth, clip=clip)

    rule = f"log skill, {clip.name}"
    return _skill(rule, terms, (p, outcome, reference), against, weights)


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
    weights: ArrayLike | None,
) -> SkillScore:
    p, outcome, reference = (np.asarray(column) for column in columns)
    own = terms(p, outcome)
    base = np.broadcast_to(reference.astype(np.float64), own.shape)
    has_reference = ~np.isnan(base)
    theirs = np.full(own.shape, np.nan)
    theirs[has_reference] = terms(base[has_reference], outcome[has_reference])
    return skill_of_terms(
        own,
        theirs,
        name=f"{rule} against: {against}",
        weights=weights,
        optimistic=against in OPTIMISTIC,
    )


def _ratio(loss: float, reference: float) -> tuple[float | None, State]:
    if reference == 0:
        return None, State.PERFECT_REFERENCE
    if not (np.isfinite(loss) and np.isfinite(reference)):
        return None, State.NOT_ESTIMABLE
    return 1 - loss / reference, State.OK
