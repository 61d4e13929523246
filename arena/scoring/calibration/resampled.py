"""Many samples of forecasts at once, each counted by level and recalibrated by itself."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression
from scipy.sparse import csr_array

from arena.scoring.calibration.corp import Levels, corp_of_levels
from arena.scoring.table import Floats, Outcomes, Whole
from arena.stats.columns import codes

GRID: Final = 1000  # to which forecasts of more different values are counted
CELLS: Final = 500_000  # of rows by samples that are looked at at a time

Chances = NDArray[np.float32]


def on_levels(p: Floats) -> tuple[Floats, Whole]:
    """The levels that forecasts are counted on, and the level of each.

    Each different forecast is one; where they are more than the grid of 1/1000 has, that is.

    >>> on_levels(np.array([0.25, 0.5, 0.25]))[1].tolist()
    [0, 1, 0]
    """
    values, level = np.unique(p, return_inverse=True)
    if len(values) <= GRID + 1:
        return values, level
    steps, level = np.unique(np.rint(p * GRID), return_inverse=True)
    return steps / GRID, level


def recalibrated(sample: Whole, number: Floats, yes: Floats) -> Floats:
    """Rising frequencies of each sample's levels: isotonic regression of all of them at once.

    Args:
        sample: (n,) whose a level is, from 0, in order; within it, lowest level first.
        number: (n,) forecasts of the level, above 0.
        yes: (n,) how many of them came true.
    """
    apart = 2.0 * sample  # so that no level of a sample is pooled with one of the next
    return np.asarray(isotonic_regression(yes / number + apart, weights=number).x - apart)


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedSamples:
    """Forecasts as they are, with outcomes drawn from them, by event.

    `value` and `number` (levels,) are a level and how many forecasts it has; `yes` (samples,
    levels) is how many of them came true in each sample, `fitted` their recalibrated frequency.
    One number an event and sample
    decides, below which each of its forecasts comes true: so a ladder of prices, or a market
    that is asked often, resolves. That is the widest way in which outcomes may hang together.
    """

    value: Floats
    level: Whole
    number: Floats
    yes: Floats
    fitted: Floats
    events: int

    def miscalibration(self) -> Floats:
        """Each sample's miscalibration by the Brier score, (samples,)."""
        given = self.number @ self.value**2 - 2 * (self.yes @ self.value)
        return np.asarray((given + (self.yes * self.fitted).sum(axis=1)) / self.number.sum())

    def observed(self, outcome: Outcomes) -> float:
        """The miscalibration of what came true, counted on the same levels."""
        number, yes = (
            np.bincount(self.level, weights, minlength=len(self.value)).astype(np.intp)
            for weights in (None, outcome)
        )
        terms = corp_of_levels(Levels(self.value, number, yes)).terms
        return terms.miscalibration if terms else 0.0


def calibrated(p: Floats, event: ArrayLike | None, chances: Chances) -> CalibratedSamples:
    """Draw the outcomes of forecasts that mean what they say.

    Args:
        p: (n,) forecasts of YES.
        event: (n,) their events, from 0; without it each forecast is an event of its own.
        chances: (events, samples) what decides each event in each sample.

    Raises:
        ValueError: An event is no code, or there is no sample.
    """
    n, samples = len(p), chances.shape[1]
    if samples < 1:
        raise ValueError("there is at least one resample")
    group = np.arange(n) if event is None else codes(event, n)
    value, level = on_levels(p)
    width = int(group.max(initial=0)) + 1
    cell, many = np.unique(level * width + group, return_counts=True)
    of_level, of_event = np.divmod(cell, width)
    yes = np.zeros((len(value), samples), np.float32)
    for at in range(0, len(cell), max(1, CELLS // samples)):
        part = slice(at, at + max(1, CELLS // samples))
        came = (chances[of_event[part]] < value[of_level[part]][:, None]).astype(np.float32)
        first = of_level[part][0]
        rows = of_level[part] - first
        adds = csr_array((many[part].astype(np.float32), (rows, np.arange(len(rows)))))
        yes[first : first + adds.shape[0]] += adds @ came
    drawn = np.ascontiguousarray(yes.T, np.float64)
    number = np.bincount(level, minlength=len(value)).astype(np.float64)
    sample = np.repeat(np.arange(samples), len(value))
    fitted = recalibrated(sample, np.tile(number, samples), drawn.ravel()).reshape(drawn.shape)
    return CalibratedSamples(value, level, number, drawn, fitted, len(np.unique(group)))
