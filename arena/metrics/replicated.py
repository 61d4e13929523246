"""Metrics of many resamples at once: from how often each event is drawn, not from its rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from arena.scoring.bins import put_in_bins
from arena.scoring.corp import Loss
from arena.scoring.logarithmic import log_terms
from arena.scoring.proper import brier_terms
from arena.scoring.resampled import Batch
from arena.scoring.table import Floats, Forecasts, Whole

CELLS: Final = 1_000_000  # of resamples by levels that are held at a time
BINS: Final = 10

Terms = Callable[[Floats, Whole], Floats]


def replicates(
    keys: Sequence[str], own: Forecasts, event: Whole, times: Floats
) -> Mapping[str, Floats]:
    """What metrics come to in resamples of events: (draws,), NaN where one has no value.

    Args:
        keys: Keys of `REPLICATED`.
        own: Yes/no forecasts of one contestant, n of them.
        event: (n,) the event of each row, 0 to G - 1.
        times: (draws, G) how often each event is in each resample.
    """
    parts = list(_parts(own, event, times))
    return {key: np.concatenate([REPLICATED[key](part) for part in parts]) for key in keys}


def _parts(own: Forecasts, event: Whole, times: Floats) -> Iterator["_Resamples"]:
    values, level = np.unique(own.p, return_inverse=True)
    shape = (times.shape[1], len(values))
    number, yes = (
        csr_array((rows, (event, level)), shape=shape)
        for rows in (np.ones(len(own)), own.outcome.astype(np.float64))
    )
    rows = _Rows(own, event, values, number, yes)
    each = max(1, CELLS // max(1, len(values)))
    for start in range(0, len(times), each):
        yield _Resamples(rows, times[start : start + each])


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """One contestant's forecasts: by row, and by event and level of the forecast."""

    own: Forecasts
    event: Whole
    values: Floats
    number: csr_array
    yes: csr_array


class _Resamples:
    """Some resamples: what each has of every level, worked out when it is asked for."""

    def __init__(self, rows: _Rows, times: Floats) -> None:
        self._rows, self._times = rows, times

    @cached_property
    def number(self) -> Floats:
        """How many forecasts of each level, (draws, levels)."""
        return np.asarray(self._times @ self._rows.number)

    @cached_property
    def yes(self) -> Floats:
        """How many of them came true."""
        return np.asarray(self._times @ self._rows.yes)

    @cached_property
    def n(self) -> Floats:
        return self.number.sum(axis=1)

    @cached_property
    def base(self) -> Floats:
        return np.asarray(self.yes.sum(axis=1) / self.n)

    @property
    def uncertainty(self) -> Floats:
        return self.base * (1 - self.base)

    @cached_property
    def miscalibration(self) -> Floats:
        sample, level = np.nonzero(self.number)
        held = (sample, level)
        batch = Batch(
            self._rows.values[level],
            sample,
            self.number[held].astype(np.intp),
            self.yes[held].astype(np.intp),
            len(self.n),
        )
        return np.maximum(batch.miscalibration(Loss.BRIER), 0.0)

    @property
    def discrimination(self) -> Floats:
        v = self._rows.values
        given = (self.yes @ (1 - v) ** 2 + (self.number - self.yes) @ v**2) / self.n
        return np.maximum(self.uncertainty - (given - self.miscalibration), 0.0)

    @property
    def area(self) -> Floats:
        """The area under the ROC curve; NaN where all outcomes are alike."""
        no = self.number - self.yes
        below = np.cumsum(no, axis=1) - no
        above = np.sum(self.yes * (2 * below + no), axis=1) / 2
        pairs = self.yes.sum(axis=1) * no.sum(axis=1)
        return np.asarray(
            np.divide(above, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
        )

    @property
    def variance(self) -> Floats:
        apart = self._rows.values - self._rows.own.p.mean()
        mean = self.number @ apart / self.n
        return np.maximum(self.number @ apart**2 / self.n - mean**2, 0.0)

    @cached_property
    def bins(self) -> "_Binned":
        values = self._rows.values
        codes = put_in_bins(values, count=BINS).codes.astype(np.intp)
        into = np.zeros((len(values), BINS))
        into[np.arange(len(values)), codes] = 1.0
        apart = values - (codes + 0.5) / BINS
        return _Binned(
            self.number @ into,
            self.yes @ into,
            self.number @ (into * apart[:, None]),
            self.number @ (into * apart[:, None] ** 2),
            self.yes @ (into * apart[:, None]),
        )

    def skill(self, terms: Terms, reference: Floats) -> Floats:
        """One less a ratio of mean losses; NaN where the reference loses nothing."""
        own = self._rows.own
        known = ~np.isnan(reference)
        truth, size = own.outcome[known], self._times.shape[1]
        loss, base = (
            self._times @ np.bincount(self._rows.event[known], terms(p, truth), minlength=size)
            for p in (own.p[known], reference[known])
        )
        ratio = np.divide(loss, base, out=np.full(len(base), np.nan), where=base > 0)
        return np.asarray(1 - ratio)

    def against_price(self, terms: Terms) -> Floats:
        return self.skill(terms, self._rows.own.market_p)

    def against_close(self) -> Floats:
        return self.skill(brier_terms, self._rows.own.close_p)

    def against_half(self) -> Floats:
        return self.skill(brier_terms, np.full(len(self._rows.own), 0.5))

    def index(self) -> Floats:
        """See `brier_index`."""
        v = self._rows.values
        given = (self.yes @ (1 - v) ** 2 + (self.number - self.yes) @ v**2) / self.n
        return np.asarray(100 * (1 - np.sqrt(np.clip(given, 0.0, 1.0))))


@dataclass(frozen=True, slots=True, eq=False)
class _Binned:
    """Counts and sums of bins, (draws, bins); forecasts count from the middle of their bin."""

    number: Floats
    yes: Floats
    apart: Floats
    squares: Floats
    apart_of_yes: Floats

    @property
    def _gap(self) -> Floats:
        middle = (np.arange(BINS) + 0.5) / BINS
        return np.asarray(self._mean(self.apart) + (self.number > 0) * middle - self._frequency)

    @property
    def _frequency(self) -> Floats:
        return self._mean(self.yes)

    def _mean(self, sums: Floats) -> Floats:
        return np.asarray(sums / np.maximum(self.number, 1))

    def _over_rows(self, sums: Floats) -> Floats:
        return np.asarray(sums.sum(axis=1) / self.number.sum(axis=1))

    def reliability(self) -> Floats:
        return self._over_rows(self.number * self._gap**2)

    def resolution(self) -> Floats:
        base = self._over_rows(self.yes)[:, None]
        return self._over_rows(self.number * (self._frequency - base) ** 2)

    def variance(self) -> Floats:
        within = self.squares - self.number * self._mean(self.apart) ** 2
        return self._over_rows(np.maximum(within, 0.0))

    def covariance(self) -> Floats:
        return 2 * self._over_rows(self.apart_of_yes - self.yes * self._mean(self.apart))

    def expected_error(self) -> Floats:
        return self._over_rows(self.number * np.abs(self._gap))


REPLICATED: Final[Mapping[str, Callable[[_Resamples], Floats]]] = {
    "brier_skill": lambda r: r.against_price(brier_terms),
    "brier_skill_close": _Resamples.against_close,
    "brier_skill_half": _Resamples.against_half,
    "log_skill": lambda r: r.against_price(log_terms),
    "brier_index": _Resamples.index,
    "mcb": lambda r: r.miscalibration,
    "dsc": lambda r: r.discrimination,
    "unc": lambda r: r.uncertainty,
    "rel": lambda r: r.bins.reliability(),
    "res": lambda r: r.bins.resolution(),
    "wbv": lambda r: r.bins.variance(),
    "wbc": lambda r: r.bins.covariance(),
    "ece": lambda r: r.bins.expected_error(),
    "auc": lambda r: r.area,
    "sharpness": lambda r: r.variance,
}
