"""What a score is made of without any bins: miscalibration, discrimination, uncertainty."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from arena.records.estimate import State
from arena.scoring.calibration.murphy import state_of
from arena.scoring.calibration.pav import Levels, PooledBlocks, levels, pool
from arena.scoring.table import Floats, Whole, probabilities

FEW: Final = 20
EPS: Final = 1e-6
ROUNDING: Final = 1e-12


class Loss(StrEnum):
    """The proper score that is taken apart; smaller is better."""

    BRIER = "brier"
    LOG = "log"  # in nats


@dataclass(frozen=True, slots=True)
class CorpTerms:
    """`score` = `miscalibration` - `discrimination` + `uncertainty`, none of them negative."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """The recalibrated forecasts: blocks from forecast `low` to `high`, lowest first.

    `number` forecasts of a block came true with `frequency`, which rises from block to block.
    """

    low: Floats
    high: Floats
    number: Whole
    frequency: Floats

    def recalibrated(self, p: ArrayLike) -> Floats:
        """The frequency of the block that a forecast is in; between two blocks, the lower.

        Raises:
            ValueError: A number is no probability, or there are no blocks.
        """
        forecasts = self._ask(p)
        place = np.searchsorted(self.low, forecasts, side="right") - 1
        return self.frequency[np.maximum(place, 0)]

    def interpolated(self, p: ArrayLike) -> Floats:
        """The same, with a straight line between blocks: the drawn reliability curve.

        Raises:
            ValueError: A number is no probability, or there are no blocks.
        """
        at = np.column_stack((self.low, self.high)).ravel()
        return np.interp(self._ask(p), at, np.repeat(self.frequency, 2))

    def _ask(self, p: ArrayLike) -> Floats:
        if not len(self.low):
            raise ValueError("no forecast, so nothing to recalibrate by")
        return probabilities(p)


@dataclass(frozen=True, slots=True, eq=False)
class Corp:
    """A decomposed mean score and the curve that it was taken apart by.

    `terms` is None for no forecast (`state` is EMPTY). One forecast is SINGLE. Outcomes that
    are all alike are DEGENERATE: uncertainty and discrimination are 0, and rightly so. With
    `few` forecasts, fewer than 20, the curve follows the noise.
    """

    n: int
    loss: Loss
    terms: CorpTerms | None
    curve: CalibrationCurve
    state: State

    @property
    def few(self) -> bool:
        """Whether a reader is to be warned."""
        return self.n < FEW


def corp(
    p: ArrayLike, outcome: ArrayLike, loss: Loss = Loss.BRIER, *, eps: float | None = EPS
) -> Corp:
    """Take a mean score apart by isotonic recalibration: no choice of bins, terms add up.

    Args:
        p: Forecasts of YES, (n,).
        outcome: 0 or 1, (n,).
        loss: The score.
        eps: The log score counts no probability of what came true as less than this. None
            counts it as it is: a forecast of 0 that came true then has an infinite score and
            miscalibration, and nothing else changes.

    Raises:
        ValueError: A bad forecast or outcome, or `eps` outside [0, 1).

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118 (8).

    >>> terms = corp([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1]).terms
    >>> round(terms.miscalibration, 12), terms.discrimination
    (0.01, 0.25)
    """
    return corp_of_levels(levels(p, outcome), loss, eps=eps)


def corp_of_levels(levels: Levels, loss: Loss = Loss.BRIER, *, eps: float | None = EPS) -> Corp:
    """What `corp` does, for forecasts that were counted by level already."""
    floor = 0.0 if eps is None else eps
    if not 0 <= floor < 1:
        raise ValueError(f"a floor of probabilities lies in [0, 1), not {eps}")
    blocks = pool(levels.number, levels.yes)
    curve = _curve(levels, blocks)
    n, yes = int(levels.number.sum()), int(levels.yes.sum())
    if n == 0:
        return Corp(0, loss, None, curve, State.EMPTY)
    base = yes / n
    given, best, constant = (
        float(np.sum(loss_terms(x, number, came, loss, eps=floor))) / n
        for x, number, came in (
            (levels.value, levels.number, levels.yes),
            (curve.frequency, blocks.number, blocks.yes),
            (np.array([base]), np.array([n]), np.array([yes])),
        )
    )
    terms = CorpTerms(given, _not_below(given - best), _not_below(constant - best), constant)
    return Corp(n, loss, terms, curve, state_of(n, base))


def _curve(levels: Levels, blocks: PooledBlocks) -> CalibrationCurve:
    last = np.append(blocks.first[1:], len(levels.value)) - 1
    low, high = levels.value[blocks.first], levels.value[last[: len(blocks.first)]]
    return CalibrationCurve(low, high, blocks.number, blocks.yes / np.maximum(blocks.number, 1))


def loss_terms(
    x: Floats, number: Whole, yes: Whole, loss: Loss = Loss.BRIER, *, eps: float = EPS
) -> Floats:
    """Summed loss of `number` forecasts x of each level, of which `yes` came true.

    No probability of what came true counts as less than `eps` in the log score.
    """
    no = number - yes
    if Loss(loss) is Loss.BRIER:
        return np.asarray(yes * (1 - x) ** 2 + no * x**2)
    likely, unlikely = np.maximum(x, eps), np.maximum(1 - x, eps)
    return np.asarray(-xlogy(yes, likely) - xlogy(no, unlikely))


def _not_below(term: float) -> float:
    """A term that rounding left a little below 0."""
    return 0.0 if -ROUNDING < term < 0 else term
