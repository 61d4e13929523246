"""How far a small sample bends the terms of a decomposed Brier score, and how sure they are."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.bins import Bins, BinTable, cells, put_in_bins, tabulate
from arena.scoring.murphy import Murphy
from arena.scoring.table import Floats
from arena.scoring.yes_no import checked


class Bounds(StrEnum):
    """What becomes of corrected terms that no sample could have, such as a negative one.

    NONE leaves them. SCALED takes the largest share of the whole correction that keeps every
    term in its range, as R's SpecsVerification does. SHIFTED moves reliability or resolution
    up to zero and the other by as much, as R's s2dv does.
    """

    NONE = "none"
    SCALED = "scaled"
    SHIFTED = "shifted"


@dataclass(frozen=True, slots=True)
class Corrected:
    """Terms without the bias of a small sample."""

    reliability: float
    resolution: float
    uncertainty: float
    generalised_resolution: float


@dataclass(frozen=True, slots=True)
class TermErrors:
    """Standard deviations of the terms over samples like this one."""

    reliability: float
    resolution: float
    uncertainty: float


def bias_corrected(found: Murphy, bounds: Bounds = Bounds.SCALED) -> Corrected | None:
    """Reliability and resolution less what noise adds to both; uncertainty with its n - 1.

    A bin with one forecast says nothing of its noise and is not corrected. None for fewer
    than two forecasts.

    Source:
        Ferro and Fricker (2012), Quarterly Journal of the Royal Meteorological Society 138.
    """
    bounds, terms, n = Bounds(bounds), found.terms, found.n
    if terms is None or n == 1:
        return None
    noise, extra = _noise(found.table), terms.uncertainty / (n - 1)
    if bounds is Bounds.SCALED:
        share = _largest_share(found, noise, extra)
        noise, extra = share * noise, share * extra
    reliability, uncertainty = terms.reliability - noise, terms.uncertainty + extra
    resolution = terms.resolution - noise + extra
    general = terms.generalised_resolution - noise + extra
    if bounds is Bounds.SHIFTED:
        return Corrected(
            max(reliability, reliability - general, 0.0),
            max(resolution, resolution - reliability, 0.0),
            uncertainty,
            max(general, general - reliability, 0.0),
        )
    return Corrected(reliability, resolution, uncertainty, general)


def term_errors(
    p: ArrayLike, outcome: ArrayLike, bins: Bins | None = None, *, corrected: bool = False
) -> TermErrors | None:
    """Standard deviations of reliability, resolution and uncertainty, by the delta method.

    With `corrected`, those of the bias-corrected terms before any bounds; a bin with one
    forecast then counts as known. None for fewer than two forecasts.

    Raises:
        ValueError: A bad forecast or outcome, or bins of other forecasts.

    Source:
        Siegert (2014), Quarterly Journal of the Royal Meteorological Society 140.
    """
    forecasts, came = checked(p, outcome)
    n = len(forecasts)
    if n <= 1:
        return None
    where = bins or put_in_bins(forecasts)
    table = tabulate(cells(forecasts, came, where), where)
    slopes = _slopes(table, n, corrected=corrected)
    place = np.zeros(where.count, dtype=np.intp)
    place[table.index] = np.arange(len(table.index))
    row, yes = place[where.codes], came.astype(np.float64)
    by_yes, by_number, by_forecast = slopes.reliability
    reliability = by_yes[row] * yes + by_number[row] + by_forecast[row] * forecasts
    by_yes, by_number = slopes.resolution
    resolution = (by_yes[row] + slopes.resolution_in_all) * yes + by_number[row]
    uncertainty = slopes.uncertainty_in_all * yes
    return TermErrors(_root(reliability), _root(resolution), _root(uncertainty))


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    """How the terms move with a bin's YES, its number and its sum of forecasts.

    The last two are how resolution and uncertainty move with a YES in any bin.
    """

    reliability: tuple[Floats, Floats, Floats]
    resolution: tuple[Floats, Floats]
    resolution_in_all: float
    uncertainty_in_all: float


def _slopes(table: BinTable, n: int, *, corrected: bool) -> _Slopes:
    gap = table.mean_forecast - table.frequency
    base = float(table.number @ table.frequency) / n
    lift = table.frequency - base
    rel_yes, rel_number, rel_forecast = -2 * gap / n, -(gap**2) / n, 2 * gap / n
    res_yes, res_number = 2 * lift / n, -lift * (lift + 2 * base) / n
    res_all, unc_all = 0.0, (1 - 2 * base) / n
    if corrected:
        known = table.number > 1
        noise_yes, noise_number = _noise_slopes(table, n)
        rel_yes = np.where(known, rel_yes - noise_yes, 0)
        rel_number = np.where(known, rel_number - noise_number, 0)
        rel_forecast = np.where(known, rel_forecast, 0)
        res_yes = np.where(known, res_yes - noise_yes, 0)
        res_number = np.where(known, res_number - noise_number, 0)
        res_all, unc_all = unc_all / (n - 1), unc_all * n / (n - 1)
    reliability, resolution = (rel_yes, rel_number, rel_forecast), (res_yes, res_number)
    return _Slopes(reliability, resolution, res_all, unc_all)


def _noise_slopes(table: BinTable, n: int) -> tuple[Floats, Floats]:
    number = np.maximum(table.number, 2).astype(np.float64)
    yes = table.number * table.frequency
    pairs = number * (number - 1)
    by_number = yes / pairs - yes * (number - yes) * (2 * number - 1) / pairs**2
    return (number - 2 * yes) / pairs / n, by_number / n


def _noise(table: BinTable) -> float:
    """What the spread of outcomes within bins adds to reliability and to resolution."""
    known = table.number > 1
    number, frequency = table.number[known], table.frequency[known]
    return float(np.sum(number * frequency * (1 - frequency) / (number - 1))) / table.n


def _largest_share(found: Murphy, noise: float, extra: float) -> float:
    if found.terms is None:
        return 1.0
    shares, net = [1.0], noise - extra
    if noise > 0:
        shares.append(found.terms.reliability / noise)
    if net > 0:
        shares.append(found.terms.resolution / net)
    if net < 0:
        shares.append((found.terms.resolution - 1) / net)
    if extra > 0:
        shares.append((0.25 - found.terms.uncertainty) / extra)
    return max(0.0, min(shares))


def _root(pulls: Floats) -> float:
    return float(np.sqrt(np.sum((pulls - pulls.mean()) ** 2)))
