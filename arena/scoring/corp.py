"""What a score is made of without any bins: miscalibration, discrimination, uncertainty.

Many samples of forecasts are taken at once, each counted by level and recalibrated by itself.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression
from scipy.sparse import csr_array
from scipy.special import xlogy

from arena.records.estimate import State
from arena.scoring.bins import chunks, state_of
from arena.scoring.table import Floats, Outcomes, Whole, checked, probabilities
from arena.stats.columns import codes

GRIDS: Final = (1000, 10_000)
SAMPLE: Final = 4096
SLOW: Final = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Each forecast that was made: how often, and how often it came true. Lowest first."""

    value: Floats
    number: Whole
    yes: Whole


@dataclass(frozen=True, slots=True, eq=False)
class PooledBlocks:
    """Neighbouring levels pooled into blocks; `first` is a block's lowest level."""

    first: Whole
    number: Whole
    yes: Whole


def levels(p: ArrayLike, outcome: ArrayLike) -> Levels:
    """Count equal forecasts together, which makes all that is computed from levels exact.

    Prices on a grid of 1/1000 or 1/10,000 are counted in one pass; others are sorted.

    Raises:
        ValueError: A bad forecast or outcome.

    >>> levels([0.5, 0.2, 0.5], [1, 0, 0]).yes.tolist()
    [0, 1]
    """
    forecasts, came = checked(p, outcome)
    for grid in GRIDS:
        if gridded := _on_grid(forecasts, came, grid):
            return gridded
    return _sorted(forecasts, came)


def pool(number: Whole, yes: Whole) -> PooledBlocks:
    """Pool adjacent violators until the frequencies rise: isotonic regression, exactly.

    Every run of frequencies that does not rise lies in one block of the answer, so that all
    runs can be pooled at once. Frequencies are compared as ratios of whole numbers.

    Args:
        number: Forecasts of each level, at least 1, lowest level first.
        yes: How many of them came true.

    Source:
        Ayer, Brunk, Ewing, Reid and Silverman (1955), Annals of Mathematical Statistics 26.

    >>> pool(np.array([1, 1, 1]), np.array([0, 1, 0])).first.tolist()
    [0, 1]
    """
    number, yes = np.asarray(number, dtype=np.intp), np.asarray(yes, dtype=np.intp)
    first = np.arange(len(number))
    while len(number):
        rising = yes[:-1] * number[1:] < yes[1:] * number[:-1]
        start = np.flatnonzero(np.concatenate(([True], rising)))
        before = len(number)
        if len(start) == before:
            break
        number, yes = np.add.reduceat(number, start), np.add.reduceat(yes, start)
        first = first[start]
        if len(start) > SLOW * before:
            return _one_by_one(PooledBlocks(first, number, yes))
    return PooledBlocks(first, number, yes)


def _one_by_one(blocks: PooledBlocks) -> PooledBlocks:
    """The same from left to right, where few blocks can be pooled at once."""
    first: list[int] = []
    number: list[int] = []
    yes: list[int] = []
    rows = zip(blocks.first.tolist(), blocks.number.tolist(), blocks.yes.tolist(), strict=True)
    for at, many, came in rows:
        start, held, true = at, many, came
        while first and yes[-1] * held >= true * number[-1]:
            start = first.pop()
            held, true = held + number.pop(), true + yes.pop()
        first.append(start)
        number.append(held)
        yes.append(true)
    return PooledBlocks(np.array(first), np.array(number), np.array(yes))


def _on_grid(p: Floats, outcome: Outcomes, grid: int) -> Levels | None:
    """Levels of forecasts that are all k / grid to the last bit; None if one is not."""
    sample = p[:SAMPLE]
    if not np.array_equal(np.rint(sample * grid) / grid, sample):
        return None
    both = np.zeros(2 * (grid + 1), dtype=np.intp)
    for part in chunks(len(p)):
        steps = np.rint(p[part] * grid)
        if not np.array_equal(steps / grid, p[part]):
            return None
        codes = steps.astype(np.intp)
        both += np.bincount(2 * codes + outcome[part], minlength=len(both))
    number = both[::2] + both[1::2]
    held = np.flatnonzero(number)
    return Levels(held / grid, number[held], both[1::2][held])


def _sorted(p: Floats, outcome: Outcomes) -> Levels:
    """Levels by one sort of whole numbers: a forecast's bits, and the outcome as the last.

    Floats from 0 to 1 stand in the order of their bits, and leave the highest bit free.
    """
    keys = (p + 0.0).view(np.uint64)
    keys <<= np.uint64(1)
    keys |= outcome.astype(np.uint64)
    keys.sort()
    came = (keys & np.uint64(1)).astype(np.intp)
    keys >>= np.uint64(1)
    start = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    number = np.diff(start, append=len(keys))
    return Levels(keys[start].view(np.float64), number, np.add.reduceat(came, start))


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


def corp(p: ArrayLike, outcome: ArrayLike, loss: Loss = Loss.BRIER) -> Corp:
    """Take a mean score apart by isotonic recalibration: no choice of bins, terms add up.

    Args:
        p: Forecasts of YES, (n,).
        outcome: 0 or 1, (n,).
        loss: The score. The log score counts no probability of what came true as less than
            1e-6.

    Raises:
        ValueError: A bad forecast or outcome.

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118 (8).

    >>> terms = corp([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1]).terms
    >>> round(terms.miscalibration, 12), terms.discrimination
    (0.01, 0.25)
    """
    return corp_of_levels(levels(p, outcome), loss)


def corp_of_levels(levels: Levels, loss: Loss = Loss.BRIER) -> Corp:
    """What `corp` does, for forecasts that were counted by level already."""
    blocks = pool(levels.number, levels.yes)
    curve = _curve(levels, blocks)
    n, yes = int(levels.number.sum()), int(levels.yes.sum())
    if n == 0:
        return Corp(0, loss, None, curve, State.EMPTY)
    base = yes / n
    given, best, constant = (
        float(np.sum(loss_terms(x, number, came, loss))) / n
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


def loss_terms(x: Floats, number: Whole, yes: Whole, loss: Loss) -> Floats:
    """Summed loss of `number` forecasts x of each level, of which `yes` came true."""
    no = number - yes
    if Loss(loss) is Loss.BRIER:
        return np.asarray(yes * (1 - x) ** 2 + no * x**2)
    likely, unlikely = np.maximum(x, EPS), np.maximum(1 - x, EPS)
    return np.asarray(-xlogy(yes, likely) - xlogy(no, unlikely))


def _not_below(term: float) -> float:
    """A term that rounding left a little below 0."""
    return 0.0 if -ROUNDING < term < 0 else term


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
