"""Which bin a forecast falls in, and what each bin holds.

Murphy's parts of a Brier score stand on them: reliability, resolution, uncertainty, and what
bins hide.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.records.estimate import State
from arena.scoring.table import Floats, Outcomes, Whole, checked, probabilities

Codes = NDArray[np.unsignedinteger]

CHUNK: Final = 1 << 16
DIGITS: Final = 9
BYTE: Final = 256


class BinningRule(StrEnum):
    """How the unit interval is cut.

    DECIMAL is ours: [k/K, (k+1)/K), the last one closed, where a forecast counts as the
    decimal that it was written as, so that 0.3 of ten bins is in the one that starts at 0.3.
    FLOAT_EDGES is what a guide to scoring rules for betting agents does: the same intervals
    with edges as floats leave them, which puts 0.3 and 0.7 one bin low. UNIQUE has a bin for
    each forecast that was ever made.
    """

    DECIMAL = "decimal"
    FLOAT_EDGES = "float-edges"
    UNIQUE = "unique"


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bin of each forecast: `codes[i]` from 0 to `count - 1`.

    `edges` are the `count + 1` ends of the bins, None where a bin is a single value.
    """

    codes: Codes
    count: int
    edges: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Counts and means of each bin by outcome, (count, 2): NO first, then YES.

    `codes[i]` is the cell of row i in the flattened arrays; the mean of no row is 0.
    """

    codes: Codes
    number: Whole
    mean: Floats


@dataclass(frozen=True, slots=True, eq=False)
class BinTable:
    """The bins that hold something, in order of the forecast.

    `index` is where a bin stands among all of them, `number` how many forecasts it holds,
    `mean_forecast` and `frequency` their mean and the share of them that came true. `low`
    and `high` are the ends of the bins, None where a bin is a single value.
    """

    index: Whole
    number: Whole
    mean_forecast: Floats
    frequency: Floats
    low: Floats | None = None
    high: Floats | None = None

    @property
    def n(self) -> int:
        """How many forecasts the bins hold together."""
        return int(self.number.sum())


def put_in_bins(p: ArrayLike, rule: BinningRule = BinningRule.DECIMAL, count: int = 10) -> Bins:
    """Sort forecasts into bins by a rule; `count` says nothing under UNIQUE.

    Raises:
        ValueError: `count` is not positive, or a forecast is no probability.

    >>> put_in_bins([0.3, 0.7, 1.0]).codes.tolist()
    [3, 7, 9]
    >>> put_in_bins([0.3, 0.7, 1.0], BinningRule.FLOAT_EDGES).codes.tolist()
    [2, 6, 9]
    """
    rule, forecasts = BinningRule(rule), probabilities(p)
    if count < 1:
        raise ValueError(f"there is at least one bin, not {count}")
    if rule is BinningRule.UNIQUE:
        values, codes = np.unique(forecasts, return_inverse=True)
        return Bins(codes.astype(np.uintp), len(values))
    if rule is BinningRule.DECIMAL:
        return Bins(_decimal(forecasts, count), count, np.arange(count + 1) / count)
    edges = np.linspace(0, 1, count + 1)
    codes = np.searchsorted(edges[1:-1], forecasts, side="right")
    return Bins(codes.astype(np.uintp), count, edges)


def bin_table(p: ArrayLike, outcome: ArrayLike, bins: Bins | None = None) -> BinTable:
    """Count, mean forecast and frequency of each bin that is not empty; ten bins by default.

    No forecast gives a table without rows.

    Raises:
        ValueError: A bad forecast or outcome, or bins of other forecasts.
    """
    forecasts, came = checked(p, outcome)
    where = bins or put_in_bins(forecasts)
    return tabulate(cells(forecasts, came, where), where)


def tabulate(cells: Cells, bins: Bins) -> BinTable:
    """The table of what `cells` counted."""
    number = cells.number.sum(axis=1)
    held = np.flatnonzero(number)
    inside, total = cells.number[held], number[held]
    return BinTable(
        held,
        total,
        np.sum(inside * cells.mean[held], axis=1) / total,
        inside[:, 1] / total,
        None if bins.edges is None else bins.edges[held],
        None if bins.edges is None else bins.edges[held + 1],
    )


def cells(p: Floats, outcome: Outcomes, bins: Bins) -> Cells:
    """Count forecasts, checked already, by bin and outcome.

    Raises:
        ValueError: Bins of other forecasts.
    """
    if len(bins.codes) != len(p):
        raise ValueError(f"{len(p)} forecasts, but bins of {len(bins.codes)}")
    width = 2 * bins.count
    codes = np.empty(len(p), dtype=np.min_scalar_type(width))
    total = np.zeros(width)
    for part in chunks(len(p), width):
        place = bins.codes[part].astype(np.intp)
        place *= 2
        place += outcome[part]
        codes[part] = place
        total += np.bincount(place, p[part], width)
    number = _times(codes, width)
    mean = total / np.maximum(number, 1)
    return Cells(codes, number.reshape(-1, 2), mean.reshape(-1, 2))


def chunks(n: int, at_least: int = 0) -> Iterator[slice]:
    """Stretches of n rows that fit a processor's cache, whose sums are also more exact."""
    size = max(CHUNK, 8 * at_least)
    return (slice(start, start + size) for start in range(0, n, size))


def _times(codes: Codes, width: int) -> Whole:
    """How often each code occurs; many codes of one byte are counted two at a time."""
    number = np.zeros(width, dtype=np.intp)
    pays = codes.dtype == np.uint8 and len(codes) > CHUNK
    even = len(codes) - len(codes) % 2 if pays else 0
    if even:
        pairs, both = codes[:even].view(np.uint16), np.zeros(BYTE * BYTE, dtype=np.intp)
        for part in chunks(len(pairs), len(both)):
            both += np.bincount(pairs[part], minlength=len(both))
        grid = both.reshape(BYTE, BYTE)
        number += (grid.sum(axis=0) + grid.sum(axis=1))[:width]
    for part in chunks(len(codes) - even, width):
        number += np.bincount(codes[even:][part].astype(np.intp), minlength=width)
    return number


def _decimal(p: Floats, count: int) -> Codes:
    codes = np.empty(len(p), dtype=np.min_scalar_type(count))
    for part in chunks(len(p)):
        scaled = p[part] * count
        np.round(scaled, DIGITS, out=scaled)
        codes[part] = scaled
    return np.minimum(codes, count - 1, out=codes)


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
