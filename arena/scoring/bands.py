"""How far a calibrated contestant's curve strays from the diagonal by chance."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrik

from arena.records.estimate import Sided, State, Test
from arena.scoring.corp import CalibratedSamples, Loss
from arena.scoring.table import Floats, Whole, checked, probabilities
from arena.stats.columns import level_of


def count_ends(n: ArrayLike, p: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """The `(1 - level) / 2` and `(1 + level) / 2` quantiles of a binomial count.

    Args:
        n: Trials, at least 0, of any shape.
        p: The probability of each, in [0, 1].
        level: The share of the distribution between the two, at least.

    Raises:
        ValueError: A count is negative or not whole, a probability is not in [0, 1], or the
            level is not in (0, 1).

    >>> [int(end) for end in count_ends(10, 0.3, 0.9)]
    [1, 5]
    """
    level_of(level)
    trials, chance = np.broadcast_arrays(
        np.asarray(n, dtype=np.float64), np.asarray(p, dtype=np.float64)
    )
    if not (np.all(trials >= 0) and np.all(trials == np.rint(trials))):
        raise ValueError("counts are whole numbers from 0")
    if not (np.all(chance >= 0) and np.all(chance <= 1)):
        raise ValueError("a probability lies in [0, 1]")
    return (
        _quantile((1 - level) / 2, trials, chance),
        _quantile((1 + level) / 2, trials, chance),
    )


def _quantile(at: float, n: Floats, p: Floats) -> Floats:
    """The least count whose distribution function reaches `at`."""
    inside = (p > 0) & (p < 1) & (n > 0)
    some, chance = np.where(inside, n, 1.0), np.where(inside, p, 0.5)
    rough = bdtrik(at, some, chance)  # NaN for a chance of less than 1e-16: 0 or 1 of them
    above = np.clip(np.ceil(np.where(np.isnan(rough), 1.0, rough)), 0, some)
    below = np.maximum(above - 1, 0)
    counts = np.where(bdtr(below, some.astype(np.intp), chance) >= at, below, above)
    return np.where(inside, counts, np.where(p == 1, n, 0.0))


POINTS: Final = 201
ROUNDING: Final = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationBand:
    """From `low` to `high` at each forecast `x`, for each point by itself."""

    x: Floats
    low: Floats
    high: Floats
    level: float
    method: str


def binomial_band(x: ArrayLike, number: ArrayLike, level: float = 0.9) -> CalibrationBand:
    """Quantiles of the frequency of `number` independent forecasts of x, exactly.

    For the mean forecast of a bin it is a little too wide.

    Raises:
        ValueError: A number is no probability, a count is below 1, or the level is not in
            (0, 1).

    Source:
        Broecker and Smith (2007), Weather and Forecasting 22.
    """
    values, counts = _points(x, number)
    low, high = count_ends(counts, values, level)
    return CalibrationBand(values, low / counts, high / counts, level, "binomial")


def consistency_band(
    drawn: CalibratedSamples, level: float = 0.9, *, at: ArrayLike | None = None
) -> CalibrationBand:
    """Where the CORP curve of a calibrated contestant with such forecasts would lie.

    The forecasts stay, outcomes are drawn from them by event, and the curve is fitted anew
    each time.

    Args:
        drawn: The samples, of at least one forecast.
        level: The share of samples that a point's band holds, in (0, 1).
        at: Where to evaluate the curves; by default at each distinct forecast, of which at
            most 201 are taken.

    Raises:
        ValueError: A bad level or place, or no forecast.

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118 (8), with events for their rows.
    """
    held = level_of(level)
    if not len(drawn.value):
        raise ValueError("no forecast, no band")
    places = _places(drawn.value) if at is None else probabilities(at)
    curves, last = drawn.fitted, len(drawn.value) - 1
    after = np.clip(np.searchsorted(drawn.value, places), min(1, last), last)
    before = np.maximum(after - 1, 0)
    width = drawn.value[after] - drawn.value[before]
    way = np.divide(
        places - drawn.value[before], width, out=np.zeros(len(places)), where=width > 0
    ).clip(0, 1)
    frequencies = curves[:, before] * (1 - way) + curves[:, after] * way
    low, high = np.quantile(frequencies, ((1 - held) / 2, (1 + held) / 2), axis=0)
    return CalibrationBand(places, low, high, held, "consistency, resampled by event")


def miscalibration_test(outcome: ArrayLike, drawn: CalibratedSamples) -> Test:
    """Whether the miscalibration of CORP is more than calibrated forecasts would show.

    The forecasts stay; outcomes are drawn from them, by event. The p-value counts the sample
    itself, and so is never 0. It is cautious where the outcomes of an event hang together
    less than they were drawn to.

    Args:
        outcome: (n,) 0 or 1, of the forecasts that were drawn for.
        drawn: The samples.

    Raises:
        ValueError: A bad outcome, or not one a forecast.

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118 (8); Phipson and Smyth (2010),
        Statistical Applications in Genetics and Molecular Biology 9, for the p-value.
    """
    _, came = checked(drawn.value[drawn.level], outcome)
    n, name = len(came), f"miscalibration, {Loss.BRIER}"
    if not n:
        return Test(name, 0, 0, sided=Sided.GREATER, state=State.EMPTY)
    observed = drawn.observed(came)
    if n == 1:
        return Test(name, 1, 1, observed, sided=Sided.GREATER, state=State.SINGLE)
    scores = drawn.miscalibration()
    reached = int(np.count_nonzero(scores >= observed - ROUNDING))
    return Test(
        name,
        n,
        drawn.events,
        observed,
        statistic=observed,
        p=(1 + reached) / (1 + len(scores)),
        sided=Sided.GREATER,
    )


def _points(x: ArrayLike, number: ArrayLike) -> tuple[Floats, Whole]:
    values, counts = probabilities(x), np.asarray(number)
    if counts.shape != values.shape:
        raise ValueError(f"{len(values)} points need as many counts")
    if not np.all((counts >= 1) & (counts == np.rint(counts))):
        raise ValueError("a point of a band has one forecast or more")
    return values, counts.astype(np.intp)


def _places(values: Floats) -> Floats:
    if len(values) <= POINTS:
        return values
    return values[np.linspace(0, len(values) - 1, POINTS).round().astype(np.intp)]
