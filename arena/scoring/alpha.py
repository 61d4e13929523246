"""How far forecasts beat the market's price, and what is in their deviations from it.

`alpha` is the loss of the price less the loss of the forecast, so that more is better for the
forecaster. The slope b of outcome less price on forecast less price takes it apart:
mean alpha = (2 b - 1) D exactly, where D is the mean squared deviation from the price. b > 0:
the deviations hold information. b > 1/2: a lower Brier score than the price's. b = 1: the
deviations have the right size. In between, m + b (f - m) would have been the better forecast.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.records.estimate import State
from arena.scoring.table import Floats, probabilities, yes_no
from arena.stats.columns import ROUNDING

SPARSE: Final = 4  # events of larger numbers than so many times the rows are numbered anew


@dataclass(frozen=True, slots=True)
class Slope:
    """The market-relative slope, its standard errors and the alpha it accounts for.

    `b` is None where nothing deviates from the price (DEGENERATE) or there is no row (EMPTY).
    `se` takes rows as independent (HC0), `se_events` only events (CR1: G / (G - 1) times the
    sandwich of event sums); it is None for a single event (SINGLE), both for a single row and
    where the fit leaves nothing over.
    """

    b: float | None
    n: int
    events: int
    deviation: float | None = None
    alpha: float | None = None
    se: float | None = None
    se_events: float | None = None
    state: State = State.OK


def alpha_terms(p: ArrayLike, outcome: ArrayLike, market: ArrayLike) -> Floats:
    """Brier score of the price less that of the forecast; positive: the forecast is better.

    Computed as 2 (f - m) (o - m) - (f - m)^2, which is 0 exactly for a copy of the price.

    Args:
        p: (n,) P(YES) of the forecaster.
        outcome: (n,) 0 or 1.
        market: (n,) the market's P(YES) when the forecast was made.

    Raises:
        ValueError: A row that is refused (see `arena.scoring.table`).

    Source:
        Nechepurenko and Shuvalov (2026), arXiv 2605.00420.

    >>> alpha_terms([0.7], [1], [0.5]).round(4).tolist()
    [0.16]
    """
    away, truth = _deviations(p, outcome, market)
    return 2 * away * truth - away**2


def market_slope(
    p: ArrayLike, outcome: ArrayLike, market: ArrayLike, *, event: ArrayLike | None = None
) -> Slope:
    """Regress outcome less price on forecast less price, through the origin.

    Args:
        p: (n,) P(YES) of the forecaster.
        outcome: (n,) 0 or 1.
        market: (n,) the market's P(YES) when the forecast was made.
        event: (n,) the event of each row, any labels; each row is its own, if not said.

    Raises:
        ValueError: A row that is refused (see `arena.scoring.table`).

    Source:
        Nechepurenko and Shuvalov (2026), arXiv 2605.00420; White (1980), Econometrica 48;
        Liang and Zeger (1986), Biometrika 73.
    """
    away, truth = _deviations(p, outcome, market)
    n = away.size
    units = np.arange(n) if event is None else _numbered(np.asarray(event))
    if units.shape != (n,):
        raise ValueError(f"{n} forecasts need as many events, not {units.size}")
    if not n:
        return Slope(None, 0, 0, state=State.EMPTY)
    events = int(np.count_nonzero(np.bincount(units)))
    deviation = float(np.mean(away**2))
    alpha = float(np.mean(2 * away * truth - away**2))
    if np.abs(away).max() <= ROUNDING:
        return Slope(None, n, events, deviation, alpha, state=State.DEGENERATE)
    total = float(np.sum(away**2))
    b = float(np.sum(away * truth)) / total
    score = away * (truth - b * away)
    se = sqrt(float(np.sum(score**2))) / total
    by_event = np.bincount(units, weights=score)
    exact = bool(np.abs(score).max() <= ROUNDING)
    if exact or events == 1:
        state = State.SINGLE if events == 1 else State.DEGENERATE
        own = None if exact else se
        return Slope(b, n, events, deviation, alpha, se=own, state=state)
    clustered = sqrt(events / (events - 1) * float(np.sum(by_event**2))) / total
    return Slope(b, n, events, deviation, alpha, se=se, se_events=clustered)


def _deviations(p: ArrayLike, outcome: ArrayLike, market: ArrayLike) -> tuple[Floats, Floats]:
    forecasts, truth = yes_no(p, outcome)
    price = probabilities(market)
    if price.shape != forecasts.shape:
        raise ValueError(f"{forecasts.size} forecasts need as many prices, not {price.size}")
    return forecasts - price, truth - price


def _numbered(event: NDArray[np.generic]) -> NDArray[np.intp]:
    """Events by number; whole numbers that are small already stay as they are."""
    if event.dtype.kind in "iu" and event.size:
        codes = event.astype(np.intp, copy=False)
        if codes.min() >= 0 and codes.max() <= SPARSE * codes.size:
            return codes
    return np.asarray(np.unique(event, return_inverse=True)[1], dtype=np.intp)
