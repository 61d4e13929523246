"""What a Brier score is made of: reliability, resolution, uncertainty, and what bins hide."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import State
from arena.scoring.calibration.bins import (
    Bins,
    BinTable,
    Cells,
    cells,
    chunks,
    put_in_bins,
    tabulate,
)
from arena.scoring.table import Floats, checked

FEW: Final = 50


@dataclass(frozen=True, slots=True)
class MurphyTerms:
    """Brier = reliability - resolution + uncertainty + within-bin variance - covariance.

    `reliability` is an error: a calibrated contestant has little of it. `resolution` is how
    far the frequencies of the bins are apart, and more of it is better. `uncertainty` is the
    questions' own. The last two terms vanish where all forecasts of a bin are equal.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bin_variance: float
    within_bin_covariance: float

    @property
    def rel_minus_res_plus_unc(self) -> float:
        """The three terms of Murphy (1973), which are not the Brier score of binned forecasts.

        A guide to scoring rules for betting agents reports this sum as the Brier score.
        """
        return self.reliability - self.resolution + self.uncertainty

    @property
    def three_component_gap(self) -> float:
        """What the three terms miss of the Brier score: variance less covariance in bins."""
        return self.within_bin_variance - self.within_bin_covariance

    @property
    def generalised_resolution(self) -> float:
        """Resolution that makes three terms enough: RES - WBV + WBC."""
        return self.resolution - self.three_component_gap


@dataclass(frozen=True, slots=True, eq=False)
class Murphy:
    """A decomposed Brier score and the bins that it was taken apart by.

    `terms` is None for no forecast at all (`state` is EMPTY). One forecast is SINGLE, and
    outcomes that are all alike are DEGENERATE: the terms are there and say little. With `few`
    forecasts, fewer than 50, noise rules the terms: forecasts that all differ, each in a bin
    of its own, have their Brier score for reliability and all uncertainty for resolution.
    """

    n: int
    terms: MurphyTerms | None
    table: BinTable
    state: State

    @property
    def few(self) -> bool:
        """Whether a reader is to be warned."""
        return self.n < FEW


def murphy(p: ArrayLike, outcome: ArrayLike, bins: Bins | None = None) -> Murphy:
    """Take a mean Brier score apart by bins of the forecast, into five terms that add up.

    Args:
        p: Forecasts of YES, (n,).
        outcome: 0 or 1, (n,).
        bins: Of `put_in_bins`; ten decimal bins by default.

    Raises:
        ValueError: A bad forecast or outcome, or bins of other forecasts.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12; the terms within bins are those of
        Stephenson, Coelho and Jolliffe (2008), Weather and Forecasting 23.

    >>> terms = murphy([0.12, 0.18, 0.84], [0, 0, 1]).terms
    >>> round(terms.brier - terms.rel_minus_res_plus_unc, 12)
    0.0006
    """
    forecasts, came = checked(p, outcome)
    where = bins or put_in_bins(forecasts)
    counted = cells(forecasts, came, where)
    table = tabulate(counted, where)
    n = len(forecasts)
    if n == 0:
        return Murphy(0, None, table, State.EMPTY)
    base = int(counted.number[:, 1].sum()) / n
    return Murphy(n, _terms(forecasts, counted, table, base), table, state_of(n, base))


def state_of(n: int, base: float) -> State:
    """Whether forecasts with this share of YES can be told apart at all."""
    if n == 1:
        return State.SINGLE
    return State.OK if 0 < base < 1 else State.DEGENERATE


def _terms(p: Floats, counted: Cells, table: BinTable, base: float) -> MurphyTerms:
    """All terms from cell means and one sum of squares around them, so that none cancels."""
    n, share = len(p), table.number / len(p)
    around = _squares_in_cells(p, counted) / n
    weight, mean = counted.number[table.index] / n, counted.mean[table.index]
    apart = mean - table.mean_forecast[:, None]
    yes = np.array([0.0, 1.0])
    surprise = yes - table.frequency[:, None]
    return MurphyTerms(
        around + float(np.sum(weight * (mean - yes) ** 2)),
        float(share @ (table.mean_forecast - table.frequency) ** 2),
        float(share @ (table.frequency - base) ** 2),
        base * (1 - base),
        around + float(np.sum(weight * apart**2)),
        2 * float(np.sum(weight * apart * surprise)),
    )


def _squares_in_cells(p: Floats, counted: Cells) -> float:
    mean, total = counted.mean.ravel(), 0.0
    for part in chunks(len(p)):
        apart = p[part] - mean.take(counted.codes[part])
        apart *= apart
        total += float(apart.sum())
    return total
