"""What was said where YES came and where NO came, and of what was called nearly certain."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.metrics.calibration import Reliability
from arena.scoring.calibration.bands import binomial_band

NEARLY: Final = 0.8  # from here on a forecast calls something nearly certain


@dataclass(frozen=True, slots=True)
class Upper:
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


def means_by_outcome(found: Reliability) -> tuple[float, float] | None:
    """The mean forecast where YES came and where NO came; None where one of them never did.

    They follow from the bins: forecasts and outcomes move together between bins and, half of
    WBC, inside them; that covariance over UNC is the distance of the two means.
    """
    spread, inside = found.scores["unc"].value, found.scores["wbc"].value
    if not spread or inside is None:
        return None
    n = np.array([one.n for one in found.bins], dtype=np.float64)
    said = np.array([one.mean_forecast for one in found.bins])
    came = np.array([one.frequency for one in found.bins])
    mean, rate = float(n @ said / n.sum()), float(n @ came / n.sum())
    together = float(n @ ((said - mean) * (came - rate)) / n.sum()) + inside / 2
    apart = together / spread
    return mean + (1 - rate) * apart, mean - rate * apart


def upper(found: Reliability) -> Upper | None:
    """Forecasts of at least 0.8 taken together; None where there are none."""
    bins = [one for one in found.bins if one.starts >= NEARLY - 1e-9]
    n = sum(one.n for one in bins)
    if not n:
        return None
    said = sum(one.n * one.mean_forecast for one in bins) / n
    came = sum(one.n * one.frequency for one in bins) / n
    band = binomial_band(np.array([said]), np.array([n]), found.level)
    return Upper(n, said, came, float(band.low[0]), float(band.high[0]))
