"""Forecasts by level, and the rising frequencies that fit them best."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.calibration.bins import chunks
from arena.scoring.table import Floats, Outcomes, Whole, checked

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
