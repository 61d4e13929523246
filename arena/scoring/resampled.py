"""Samples that a calibrated contestant could have had, drawn by whole events."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.corp import Loss, loss_terms
from arena.scoring.pav import pool
from arena.scoring.table import Floats, Whole
from arena.scoring.yes_no import Outcomes
from arena.stats.columns import codes

RESAMPLES: Final = 2000
ROWS: Final = 2_000_000  # of resamples that are drawn at a time
AT_ONCE: Final = 100_000  # rows that are counted at a time, so that they fit the cache


class Within(StrEnum):
    """How the outcomes of one event hang together, of which forecasts alone say nothing.

    SHARED has one draw for an event, below which each of its forecasts comes true: a ladder
    of prices, or one market asked often. It is the widest. INDEPENDENT draws each outcome.
    """

    SHARED = "shared"
    INDEPENDENT = "independent"


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """How samples are drawn: from whole events, so many times, and how outcomes hang together.

    Without `event` each forecast is an event of its own.
    """

    rng: np.random.Generator
    event: ArrayLike | None = None
    resamples: int = RESAMPLES
    within: Within = Within.SHARED


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Resamples, one after the other, and the levels that each has forecasts of.

    `sample` says whose a row is, from 0 to `samples` - 1; `value`, `number` and `yes` are a
    level, how many forecasts of it the sample holds, and how many of them came true.
    """

    value: Floats
    sample: Whole
    number: Whole
    yes: Whole
    samples: int

    def curves(self, at: Floats) -> Floats:
        """Each resample's recalibrated frequencies at some places, (samples, places)."""
        fitted = self._fitted()
        ends = np.searchsorted(self.sample, np.arange(self.samples + 1))
        return np.array(
            [
                np.interp(at, self.value[start:stop], fitted[start:stop])
                for start, stop in pairwise(ends)
            ]
        )

    def miscalibration(self, loss: Loss) -> Floats:
        """Each resample's miscalibration."""
        given = loss_terms(self.value, self.number, self.yes, loss)
        best = loss_terms(self._fitted(), self.number, self.yes, loss)
        total = np.bincount(self.sample, given - best, minlength=self.samples)
        return total / np.bincount(self.sample, self.number, minlength=self.samples)

    def _fitted(self) -> Floats:
        apart = np.concatenate(([False], self.sample[1:] != self.sample[:-1]))
        blocks = pool(self.number, self.yes, apart)
        size = np.diff(blocks.first, append=len(self.number))
        return np.repeat(blocks.yes / blocks.number, size)


class Draws:
    """Resamples of forecasts, so many at a time that they fit the memory.

    Outcomes are drawn from the forecasts, or resampled with them where they are given. With
    `stay` every sample has the forecasts as they are, and only outcomes are drawn.

    Raises:
        ValueError: An event is no code, or there is no resample.
    """

    def __init__(
        self, p: Floats, outcome: Outcomes | None, how: Resampling, *, stay: bool = False
    ) -> None:
        if how.resamples < 1:
            raise ValueError(f"there is at least one resample, not {how.resamples}")
        n = len(p)
        event = np.arange(n) if how.event is None else codes(how.event, n)
        rows = np.argsort(event, kind="stable")
        size = np.bincount(event)
        self._size = size[size > 0]
        self._start = np.cumsum(self._size) - self._size
        self._values, level = np.unique(p, return_inverse=True)
        self._p, self._cell = p[rows], (2 * level[rows]).astype(np.int32)
        self._outcome = None if outcome is None else outcome[rows]
        self._how, self._stay = how, stay

    @property
    def events(self) -> int:
        """How many events there are to draw from."""
        return len(self._size)

    def batches(self) -> Iterator[Batch]:
        """All resamples, some at a time; a second call draws others."""
        each = max(1, ROWS // len(self._p))
        for done in range(0, self._how.resamples, each):
            yield self._draw(min(each, self._how.resamples - done))

    def _draw(self, samples: int) -> Batch:
        rng, events = self._how.rng, self.events
        drawn = np.tile(np.arange(events), (samples, 1))
        if not self._stay:
            drawn = rng.integers(events, size=samples * events).reshape(samples, events)
        shared = Within(self._how.within) is Within.SHARED
        fell = rng.random(drawn.shape) if shared and self._outcome is None else None
        each = max(1, AT_ONCE // len(self._p))
        both = np.concatenate(
            [
                self._count(
                    drawn[at : at + each], None if fell is None else fell[at : at + each]
                )
                for at in range(0, samples, each)
            ]
        )
        number = both[::2] + both[1::2]
        held = np.flatnonzero(number)
        sample, level = np.divmod(held, len(self._values))
        return Batch(self._values[level], sample, number[held], both[1::2][held], samples)

    def _count(self, drawn: Whole, fell: Floats | None) -> Whole:
        """How many forecasts of each sample and level came false, and true, in turns."""
        size = self._size[drawn]
        ends = np.cumsum(size)
        before = (ends - size.ravel()).reshape(size.shape)
        shift = (self._start[drawn] - before).astype(np.int32).ravel()
        row = np.arange(ends[-1], dtype=np.int32) + np.repeat(shift, size.ravel())
        if self._outcome is not None:
            came = self._outcome[row] == 1
        elif fell is not None:
            came = np.repeat(fell.ravel(), size.ravel()) < self._p[row]
        else:
            came = self._how.rng.random(len(row)) < self._p[row]
        width = 2 * len(self._values)
        first = np.arange(0, len(drawn) * width, width, dtype=np.int32)
        key = self._cell[row] + came
        key += np.repeat(first, size.sum(axis=1))
        return np.bincount(key, minlength=len(drawn) * width)
