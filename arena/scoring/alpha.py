"""How far forecasts beat the market's price, and what is in their deviations from it.

`alpha` is the loss of the price less the loss of the forecast, so that more is better for the
forecaster. The slope b of outcome less price on forecast less price takes it apart:
mean alpha = (2 b - 1) D exactly, where D is the mean squared deviation from the price. b > 0:
the deviations hold information. b > 1/2: a lower Brier score than the price's. b = 1: the
deviations have the right size. In between, m + b (f - m) would have been the better forecast.
"""

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import Estimate, State
from arena.scoring.table import Floats, probabilities, yes_no
from arena.stats.columns import ROUNDING, codes
from arena.stats.mean_intervals import ratio


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
    p: ArrayLike, outcome: ArrayLike, market: ArrayLike, event: ArrayLike, level: float = 0.95
) -> Estimate:
    """Regress outcome less price on forecast less price, through the origin.

    It is a ratio of sums, with the interval of `arena.stats.mean_intervals.ratio`: an event
    weighs as much as it departs from the price, and one that does not is not counted.

    Args:
        p: (n,) P(YES) of the forecaster.
        outcome: (n,) 0 or 1.
        market: (n,) the market's P(YES) when the forecast was made.
        event: (n,) codes of the events, whole numbers from 0.
        level: Confidence in (0, 1).

    Returns:
        Without a value: EMPTY for no row, DEGENERATE where nothing departs from the price.

    Raises:
        ValueError: A row that is refused (see `arena.scoring.table`), or see `ratio`.

    Source:
        Nechepurenko and Shuvalov (2026), arXiv 2605.00420; Liang and Zeger (1986),
        Biometrika 73.
    """
    away, truth = _deviations(p, outcome, market)
    away = np.where(np.abs(away) > ROUNDING, away, 0.0)
    if away.size and not away.any():
        events = len(np.unique(codes(event, away.size)))
        return Estimate(None, away.size, events, state=State.DEGENERATE)
    return ratio(away * truth, away**2, event, level)


def _deviations(p: ArrayLike, outcome: ArrayLike, market: ArrayLike) -> tuple[Floats, Floats]:
    forecasts, truth = yes_no(p, outcome)
    price = probabilities(market)
    if price.shape != forecasts.shape:
        raise ValueError(f"{forecasts.size} forecasts need as many prices, not {price.size}")
    return forecasts - price, truth - price
