"""What a forecast knows that the price does not."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from arena.records.estimate import Estimate, Interval, State
from arena.stats.regression.clusters import interval
from arena.stats.regression.logit import Design, fit, log_odds
from arena.stats.regression.wald import clustered

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

CLIP: Final = 0.001  # nearer to 0 and 1 a few forecasts would decide everything
SAME: Final = 1e-9  # of log odds: a forecast that near to the price is the price


@dataclass(frozen=True, slots=True)
class Information:
    """The weight of a forecast beside the price, and what it adds to the mean log score."""

    weight: Estimate
    gain: Estimate


def information(  # noqa: PLR0913  columns and named options
    forecast: Floats,
    price: Floats,
    outcome: Whole,
    event: Whole,
    *,
    fold: Whole,
    level: float = 0.95,
) -> Information:
    """Fit log odds of YES = a + c logit(price) + w (logit(forecast) - logit(price)).

    The weight w is 0 of a forecast that adds nothing to the price. The gain is the mean log
    score of this fit less that of a and c alone, each row scored by a fit without the events of
    its fold; it is below 0 where a forecast adds nothing.

    Args:
        forecast: (n,) P(YES) of a contestant.
        price: (n,) the market's at that moment.
        outcome: (n,) 1 for YES, 0 for NO.
        event: (n,) the event of each row, from 0.
        fold: (n,) the fold of each row; an event is in one fold.
        level: Confidence of the intervals, by event, in (0, 1).

    Returns:
        EMPTY without rows, SINGLE with one event, DEGENERATE of a copy of the price, and
        NOT_ESTIMABLE where the data are separated, so that the best weight is infinite.

    Source:
        Fair and Shiller (1990), American Economic Review 80; Clemen (1989), International
        Journal of Forecasting 5.
    """
    n, events = len(outcome), int(np.count_nonzero(np.bincount(event))) if len(event) else 0
    known = log_odds(price, CLIP)
    apart = log_odds(forecast, CLIP) - known
    state = State.EMPTY if not n else State.SINGLE if events == 1 else State.OK
    if state is State.OK and np.abs(apart).max() <= SAME:
        state = State.DEGENERATE
    if state is not State.OK:
        nothing = Estimate(None, n, events, state=state)
        return Information(nothing, nothing)
    design = _design(np.column_stack([np.ones(n), known, apart]), outcome)
    return Information(_weight(design, event, events, level), _gain(design, event, fold, level))


def _design(columns: Floats, outcome: Whole) -> Design:
    came = (outcome == 1).astype(np.float64)[:, None]
    return Design(columns[:, None, :], np.zeros((len(columns), 1)), came)


def _weight(design: Design, event: Whole, events: int, level: float) -> Estimate:
    n, fitted = len(design), fit(design)
    if fitted.state is not State.OK:
        return Estimate(None, n, events, state=fitted.state)
    weight = float(fitted.beta[2])
    se = sqrt(float(clustered(fitted, design.x, event)[2, 2]))
    arm = float(stdtrit(events - 1, (1 + level) / 2)) * se
    bounds = Interval(weight - arm, weight + arm, level, "cluster t, CR1")
    return Estimate(weight, n, events, se=se, df=events - 1.0, interval=bounds)


def _gain(design: Design, event: Whole, fold: Whole, level: float) -> Estimate:
    """The mean difference of two log scores; NOT_ESTIMABLE where a fold cannot be left out."""
    gains = np.zeros(len(design))
    columns = np.arange(design.x.shape[2])
    for own in np.unique(fold):
        tested = fold == own
        scored = [_log_scores(design.only(used), tested) for used in (columns, columns[:-1])]
        if scored[0] is None or scored[1] is None:
            state = State.NOT_ESTIMABLE
            return Estimate(None, len(design), len(np.unique(event)), state=state)
        gains[tested] = scored[0] - scored[1]
    return interval(gains, event, level)


def _log_scores(design: Design, tested: NDArray[np.bool_]) -> Floats | None:
    """The log score of each tested row by a fit to the others; None where there is no fit."""
    others = ~tested
    fitted = fit(Design(design.x[others], design.offset[others], design.came[others]))
    if fitted.state is not State.OK:
        return None
    odds = design.x[tested, 0] @ fitted.beta
    # of log odds beyond 37 the probability is 1, and the logarithm of what it leaves is none
    scores: Floats = -np.logaddexp(0, np.where(design.came[tested, 0] == 1, -odds, odds))
    return scores
