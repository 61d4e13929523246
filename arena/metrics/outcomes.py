"""Mean forecasts by outcome, and the forecasts that were nearly certain."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.metrics.calibration import Reliability
from arena.scoring.calibration.bands import binomial_band

NEARLY: Final = 0.8  # from here on a forecast calls something nearly certain


@dataclass(frozen=True, slots=True)
class UpperForecasts:
    """Forecasts of at least `NEARLY`: what they said on average, and how often it came.

    A calibrated contestant's frequency lies from `low` to `high` with the level's
    probability, as if each forecast were an event of its own.
    """

    n: int
    said: float
    came: float
    low: float
    high: float

    @property
    def too_sure(self) -> bool:
        """Whether things came less often than chance lets them come."""
        return self.came < self.low


def means_by_outcome(reliability: Reliability) -> tuple[float, float] | None:
    """The mean forecast where YES came and where NO came; None where one of them never did.

    They follow from the bins: forecasts and outcomes move together between bins and, half of
    WBC, inside them; that covariance over UNC is the distance of the two means.
    """
    spread, inside = reliability.scores["unc"].value, reliability.scores["wbc"].value
    if not spread or inside is None:
        return None
    n = np.array([row.n for row in reliability.bins], dtype=np.float64)
    forecasts = np.array([row.mean_forecast for row in reliability.bins])
    came = np.array([row.frequency for row in reliability.bins])
    mean, rate = float(n @ forecasts / n.sum()), float(n @ came / n.sum())
    together = float(n @ ((forecasts - mean) * (came - rate)) / n.sum()) + inside / 2
    apart = together / spread
    return mean + (1 - rate) * apart, mean - rate * apart


def upper(reliability: Reliability) -> UpperForecasts | None:
    """Forecasts of at least 0.8 taken together; None where there are none."""
    bins = [row for row in reliability.bins if row.starts >= NEARLY - 1e-9]
    n = sum(row.n for row in bins)
    if not n:
        return None
    mean_forecast = sum(row.n * row.mean_forecast for row in bins) / n
    came = sum(row.n * row.frequency for row in bins) / n
    band = binomial_band(np.array([mean_forecast]), np.array([n]), reliability.level)
    return UpperForecasts(n, mean_forecast, came, float(band.low[0]), float(band.high[0]))
