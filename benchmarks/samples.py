"""Data whose truth is known: markets in events, many trials at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from arena.scoring.logarithmic import log_terms
from arena.scoring.proper import brier_terms

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]
Score = Callable[[Floats, Whole], Floats]
Sizes = Callable[[np.random.Generator, int], Whole]

BRIER: Final[Score] = brier_terms
LOG: Final[Score] = log_terms
SPREAD: Final = 1.5  # of the truth's log odds among events, if not said
REACH: Final = 1.5  # how far a market's log odds lie from its event's, at most
NODES: Final = 80


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Trials of one size: a value and the number of its event a row, and the true mean.

    Events are numbered through all trials, so that event e belongs to trial e // events.
    """

    values: Floats
    event: Whole
    trials: int
    events: int
    truth: float

    def table(self) -> tuple[Floats, Floats]:
        """Sums and numbers of rows: two of (trials, events)."""
        shape, size = (self.trials, self.events), self.trials * self.events
        sums = np.bincount(self.event, weights=self.values, minlength=size).astype(np.float64)
        return sums.reshape(shape), self.counts().reshape(shape).astype(np.float64)

    def counts(self) -> Whole:
        """How many rows each event has."""
        return np.bincount(self.event, minlength=self.trials * self.events)

    def rows(self, trial: int) -> tuple[Floats, Whole]:
        """The values of one trial and their events, numbered from 0."""
        first = trial * self.events
        start, stop = np.searchsorted(self.event, [first, first + self.events])
        return self.values[start:stop], self.event[start:stop] - first


def one(_rng: np.random.Generator, events: int) -> Whole:
    """A market an event."""
    return np.ones(events, dtype=np.intp)


def five(_rng: np.random.Generator, events: int) -> Whole:
    """Five markets an event."""
    return np.full(events, 5)


def up_to_nine(rng: np.random.Generator, events: int) -> Whole:
    """One to nine markets, each as often."""
    return rng.integers(1, 10, events)


def one_or_ten(rng: np.random.Generator, events: int) -> Whole:
    """Ten markets in one event of five, one in each other."""
    return rng.choice([1, 1, 1, 1, 10], events)


def very_unequal(rng: np.random.Generator, events: int) -> Whole:
    """Geometric with mean 4, at most 20: most have few markets, some have many."""
    return np.minimum(rng.geometric(0.25, events), 20)


@dataclass(frozen=True, slots=True)
class Questions:
    """Markets of an event share one random draw, and a contestant's error about all of them.

    A forecast is the truth with normal noise of standard deviation `noise` in log odds, all
    of it multiplied by `stretch`: above 1 it is overconfident. With a second noise the value
    is a difference of two contestants' scores.
    """

    score: Score
    sizes: Sizes = one
    noise: tuple[float, ...] = (0.8,)
    stretch: float = 1.0
    spread: float = SPREAD

    def draw(self, rng: np.random.Generator, trials: int, events: int) -> Sample:
        """Trials with so many events each."""
        n = trials * events
        event = np.repeat(np.arange(n), self.sizes(rng, n))
        odds = rng.normal(0, self.spread, n)[event]
        if self.sizes is not one:
            odds = odds + rng.uniform(-REACH, REACH, event.size)
        outcome = (rng.random(n)[event] < expit(odds)).astype(np.intp)
        scores = [
            self.score(self._said(odds, rng.normal(0, noise, n)[event]), outcome)
            for noise in self.noise
        ]
        values = scores[0] - scores[1] if len(scores) > 1 else scores[0]
        return Sample(values, event, trials, events, self.truth())

    def truth(self) -> float:
        """The true mean of a row, by quadrature."""
        means = [self.moments(noise) for noise in self.noise]
        return means[0] - means[1] if len(means) > 1 else means[0]

    def moments(self, noise: float) -> float:
        """The expected score of one contestant."""
        x, w = np.polynomial.hermite_e.hermegauss(NODES)
        w = w / w.sum()
        y, v = np.polynomial.legendre.leggauss(NODES // 2)
        y, v = (np.zeros(1), np.ones(1)) if self.sizes is one else (REACH * y, v / 2)
        odds = (self.spread * x)[:, None, None] + y[:, None]
        said, truth = np.broadcast_arrays(self._said(odds, noise * x), expit(odds))
        flat = said.ravel()
        yes, no = (self.score(flat, np.full(flat.size, o)).reshape(said.shape) for o in (1, 0))
        weights = w[:, None, None] * v[:, None] * w
        return float((weights * (truth * yes + (1 - truth) * no)).sum())

    def _said(self, odds: Floats, error: Floats) -> Floats:
        return expit(self.stretch * (odds + error))


@dataclass(frozen=True, slots=True)
class Ratios:
    """Closing over opening price less 1, log-normal with mean 0: what a martingale leaves.

    `shared` is how much of a bet's logarithm it shares with the others of its event.
    """

    sd: float
    sizes: Sizes = one
    shared: float = 0.0

    def draw(self, rng: np.random.Generator, trials: int, events: int) -> Sample:
        """Trials with so many events each."""
        n = trials * events
        event = np.repeat(np.arange(n), self.sizes(rng, n))
        z = np.sqrt(self.shared) * rng.normal(size=n)[event]
        z += np.sqrt(1 - self.shared) * rng.normal(size=event.size)
        spread = np.sqrt(np.log1p(self.sd**2))
        return Sample(np.expm1(spread * z - spread**2 / 2), event, trials, events, 0.0)


@dataclass(frozen=True, slots=True)
class Student:
    """Student's t: symmetric, with tails so heavy that with 3 degrees it has no skewness."""

    df: float

    def draw(self, rng: np.random.Generator, trials: int, events: int) -> Sample:
        """Trials with so many events of one row each."""
        values = rng.standard_t(self.df, trials * events)
        return Sample(values, np.arange(values.size), trials, events, 0.0)


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of data. `losses` says that rows are losses, `null` that the true mean is 0.

    `beyond` says that the data are so uneven that the default is known to miss.
    """

    name: str
    law: Questions | Ratios | Student
    losses: bool = False
    null: bool = True
    beyond: bool = False


def _mean(name: str, law: Questions, *, beyond: bool = False) -> Family:
    return Family(name, law, losses=True, null=False, beyond=beyond)


EQUAL: Final = (0.8, 0.8)
FAMILIES: Final = (
    _mean("Mean Brier score, independent", Questions(BRIER)),
    _mean("Mean log loss, independent", Questions(LOG)),
    _mean("Mean Brier score, ladders of 5", Questions(BRIER, five)),
    _mean("Mean Brier score, ladders of 1 to 9", Questions(BRIER, up_to_nine)),
    _mean("Mean Brier score, very unequal ladders", Questions(BRIER, very_unequal)),
    _mean("Mean log loss, twice overconfident", Questions(LOG, stretch=2.0)),
    Family("Brier difference of equals, independent", Questions(BRIER, noise=EQUAL)),
    Family("Brier difference of equals, ladders of 5", Questions(BRIER, five, EQUAL)),
    Family(
        "Brier difference of equals, very unequal ladders",
        Questions(BRIER, very_unequal, EQUAL),
    ),
    Family(
        "Log difference of equals, twice overconfident",
        Questions(LOG, noise=EQUAL, stretch=2.0),
    ),
    Family(
        "Brier difference, one is better, ladders of 1 to 9",
        Questions(BRIER, up_to_nine, (0.5, 1.0)),
        null=False,
    ),
    Family("Heavy tails, t with 3 degrees of freedom", Student(3.0)),
    Family("Closing line value, sd 25 %", Ratios(0.25)),
    Family("Closing line value of long shots, sd 60 %", Ratios(0.60)),
    Family("Closing line value of long shots, 5 an event", Ratios(0.60, five, 0.5)),
    _mean("Mean Brier score, ladders of 1 or 10", Questions(BRIER, one_or_ten), beyond=True),
    _mean(
        "Mean log loss, clear truths, twice overconfident",
        Questions(LOG, noise=(0.3,), stretch=2.0, spread=2.5),
        beyond=True,
    ),
)
