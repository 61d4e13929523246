"""How far a calibrated contestant's curve strays from the diagonal by chance."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import Sided, State, Test
from arena.scoring.corp import Loss, corp
from arena.scoring.resampled import Draws, Resampling
from arena.scoring.scored import probabilities
from arena.scoring.table import Floats, Whole
from arena.scoring.yes_no import Outcomes, checked
from arena.stats.binomial import count_ends
from arena.stats.columns import level_of
from arena.stats.tails import critical

POINTS: Final = 201


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """From `low` to `high` at each forecast `x`, for each point by itself."""

    x: Floats
    low: Floats
    high: Floats
    level: float
    method: str


def asymptotic_band(
    x: ArrayLike, number: ArrayLike, level: float = 0.9, *, around: ArrayLike | None = None
) -> Band:
    """The closed form for many forecasts at few prices: x -+ z sqrt(x (1 - x) / number).

    The band is cut to [0, 1].

    Args:
        x: Forecasts, (k,); the mean forecasts of bins will do.
        number: How many forecasts there are at each, at least 1.
        level: The share of calibrated samples that a point's band holds, in (0, 1).
        around: What to draw it around in place of x, such as the frequencies of a curve.

    Raises:
        ValueError: A number is no probability, a count is below 1, or the level is not in
            (0, 1).

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118 (8), for discrete forecasts.
    """
    values, counts = _points(x, number)
    middle = values if around is None else probabilities(around)
    if middle.shape != values.shape:
        raise ValueError("a band is drawn around as many points as it has")
    half = critical(1 - level) * np.sqrt(middle * (1 - middle) / counts)
    low, high = np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
    return Band(values, low, high, level, "discrete asymptotic")


def binomial_band(x: ArrayLike, number: ArrayLike, level: float = 0.9) -> Band:
    """Quantiles of the frequency of `number` independent forecasts of x, exactly.

    For the mean forecast of a bin it is a little too wide.

    Raises:
        ValueError: As for `asymptotic_band`.

    Source:
        Broecker and Smith (2007), Weather and Forecasting 22.
    """
    values, counts = _points(x, number)
    low, high = count_ends(counts, values, level)
    return Band(values, low / counts, high / counts, level, "binomial")


def consistency_band(
    p: ArrayLike, how: Resampling, level: float = 0.9, *, at: ArrayLike | None = None
) -> Band:
    """Where the CORP curve of a calibrated contestant with such forecasts would lie.

    Whole events are drawn with replacement, outcomes from the forecasts, and the curve is
    fitted anew each time.

    Args:
        p: Forecasts of YES, (n,), at least one.
        how: The draws.
        level: The share of samples that a point's band holds, in (0, 1).
        at: Where to evaluate the curves; by default at each distinct forecast, of which at
            most 201 are taken.

    Raises:
        ValueError: A bad forecast, event, level or place, no forecast, or no resample.

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118 (8), with events for their rows.
    """
    forecasts = probabilities(p)
    return _band(forecasts, None, how, (level, at))


def confidence_band(
    p: ArrayLike,
    outcome: ArrayLike,
    how: Resampling,
    level: float = 0.9,
    *,
    at: ArrayLike | None = None,
) -> Band:
    """Where the CORP curve may lie, given these outcomes: whole events are resampled.

    Drawn around the curve and not around the diagonal. `how.within` plays no part.

    Raises:
        ValueError: As for `consistency_band`, or a bad outcome.
    """
    forecasts, came = checked(p, outcome)
    return _band(forecasts, came, how, (level, at))


def miscalibration_test(
    p: ArrayLike, outcome: ArrayLike, how: Resampling, loss: Loss = Loss.BRIER
) -> Test:
    """Whether the miscalibration of CORP is more than calibrated forecasts would show.

    The forecasts stay; outcomes are drawn from them, by event. The p-value counts the sample
    itself, and so is never 0. With `Within.SHARED` it is cautious, where outcomes of an event
    hang together less than that.

    Raises:
        ValueError: A bad forecast, outcome or event, or no resample.

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118 (8); Phipson and Smyth (2010),
        Statistical Applications in Genetics and Molecular Biology 9, for the p-value.
    """
    forecasts, came = checked(p, outcome)
    n, name = len(forecasts), f"miscalibration, {loss}"
    terms = corp(forecasts, came, loss).terms
    if terms is None:
        return Test(name, 0, 0, sided=Sided.GREATER, state=State.EMPTY)
    found = terms.miscalibration
    if n == 1:
        return Test(name, 1, 1, found, sided=Sided.GREATER, state=State.SINGLE)
    draws = Draws(forecasts, None, how, stay=True)
    drawn = np.concatenate([batch.miscalibration(loss) for batch in draws.batches()])
    reached = int(np.count_nonzero(drawn >= found - 1e-12 * max(1.0, found)))
    return Test(
        name,
        n,
        draws.events,
        found,
        statistic=found,
        p=(1 + reached) / (1 + len(drawn)),
        sided=Sided.GREATER,
    )


def _points(x: ArrayLike, number: ArrayLike) -> tuple[Floats, Whole]:
    values, counts = probabilities(x), np.asarray(number)
    if counts.shape != values.shape:
        raise ValueError(f"{len(values)} points need as many counts")
    if not np.all((counts >= 1) & (counts == np.rint(counts))):
        raise ValueError("a point of a band has one forecast or more")
    return values, counts.astype(np.intp)


def _band(
    p: Floats, outcome: Outcomes | None, how: Resampling, asked: tuple[float, ArrayLike | None]
) -> Band:
    level, at = level_of(asked[0]), asked[1]
    if not len(p):
        raise ValueError("no forecast, no band")
    places = _places(p) if at is None else probabilities(at)
    draws = Draws(p, outcome, how)
    curves = np.concatenate([found.curves(places) for found in draws.batches()])
    low, high = np.quantile(curves, ((1 - level) / 2, (1 + level) / 2), axis=0)
    name = "consistency" if outcome is None else "confidence"
    return Band(places, low, high, level, f"{name}, resampled by event")


def _places(p: Floats) -> Floats:
    values = np.unique(p)
    if len(values) <= POINTS:
        return values
    return values[np.linspace(0, len(values) - 1, POINTS).round().astype(np.intp)]
