"""Bootstrap intervals of metrics that are no means: whole events are resampled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from arena.metrics.metric_values import ADJUSTED
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, State
from arena.scoring.bins import put_in_bins
from arena.scoring.corp import on_levels, recalibrated
from arena.scoring.logarithmic import log_terms
from arena.scoring.proper import brier_terms
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.stats.bootstrap import event_weights
from arena.stats.columns import no_spread
from arena.stats.replicates import basic, percentile

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
    values, level = on_levels(own.p)
    shape = (times.shape[1], len(values))
    number, yes = (
        csr_array((rows, (event, level)), shape=shape)
        for rows in (np.ones(len(own), np.float32), own.outcome.astype(np.float32))
    )
    rows = _ContestantRows(own, event, values, number, yes)
    each = max(1, CELLS // max(1, len(values)))
    for start in range(0, len(times), each):
        yield _Resamples(rows, times[start : start + each])


@dataclass(frozen=True, slots=True, eq=False)
class _ContestantRows:
    """One contestant's forecasts: by row, and by event and level of the forecast."""

    own: Forecasts
    event: Whole
    values: Floats
    number: csr_array
    yes: csr_array


class _Resamples:
    """Sums and counts of some resamples, each computed when it is first read."""

    def __init__(self, rows: _ContestantRows, times: Floats) -> None:
        self.rows, self._times = rows, times

    def total(self, values: Floats, rows: Flags | None = None) -> Floats:
        """The sum of a column in each resample, of some of its rows."""
        event = self.rows.event if rows is None else self.rows.event[rows]
        by_event = np.bincount(event, values, minlength=self._times.shape[1])
        return np.asarray(np.einsum("de,e->d", self._times, by_event))

    @cached_property
    def number(self) -> Floats:
        """How many forecasts of each level, (draws, levels); exact, and so is `yes`."""
        return np.asarray(self._times.astype(np.float32) @ self.rows.number, np.float64)

    @cached_property
    def yes(self) -> Floats:
        """How many of them came true."""
        return np.asarray(self._times.astype(np.float32) @ self.rows.yes, np.float64)

    @cached_property
    def n(self) -> Floats:
        return self.total(np.ones(len(self.rows.own)))

    @cached_property
    def base(self) -> Floats:
        return np.asarray(self.total(self.rows.own.outcome.astype(np.float64)) / self.n)

    @cached_property
    def brier(self) -> Floats:
        own = self.rows.own
        return np.asarray(self.total(brier_terms(own.p, own.outcome)) / self.n)

    @property
    def uncertainty(self) -> Floats:
        return self.base * (1 - self.base)

    @cached_property
    def miscalibration(self) -> Floats:
        held = np.flatnonzero(self.number)
        sample = held // self.number.shape[1]
        number, yes = self.number.ravel()[held], self.yes.ravel()[held]
        fitted = yes * recalibrated(sample, number, yes)
        came = np.bincount(sample, yes - fitted, minlength=len(self.n))
        return np.maximum(self.brier - came / self.n, 0.0)

    @property
    def discrimination(self) -> Floats:
        return np.maximum(self.uncertainty - (self.brier - self.miscalibration), 0.0)

    @property
    def area(self) -> Floats:
        """The area under the ROC curve; NaN where all outcomes are alike."""
        no = self.number - self.yes
        below = np.cumsum(no, axis=1) - no
        above = np.sum(self.yes * (2 * below + no), axis=1) / 2
        return _ratio(above, self.n**2 * self.uncertainty)

    @property
    def variance(self) -> Floats:
        own = self.rows.own.p
        apart = own - own.mean()
        mean = self.total(apart) / self.n
        return np.maximum(self.total(apart**2) / self.n - mean**2, 0.0)

    @cached_property
    def bins(self) -> "_Binned":
        own = self.rows.own
        codes = put_in_bins(own.p, count=BINS).codes.astype(np.intp)
        apart, yes = own.p - (codes + 0.5) / BINS, own.outcome == 1
        cell, events = self.rows.event * BINS + codes, self._times.shape[1]
        columns = (np.ones(len(own)), yes, apart, apart**2, apart * yes)
        by_event = [
            np.bincount(cell, column, minlength=events * BINS).reshape(events, BINS)
            for column in columns
        ]
        drawn = self._times @ np.concatenate(by_event, axis=1)
        return _Binned(*np.split(drawn, len(columns), axis=1))

    def skill(self, terms: Terms, reference: Floats) -> Floats:
        """One less a ratio of mean losses; NaN where the reference loses nothing."""
        own, has_reference = self.rows.own, ~np.isnan(reference)
        truth = own.outcome[has_reference]
        loss, base = (
            self.total(terms(p[has_reference], truth), has_reference)
            for p in (own.p, reference)
        )
        return 1 - _ratio(loss, base)

    def index(self) -> Floats:
        """See `brier_index`."""
        return np.asarray(100 * (1 - np.sqrt(self.brier)))


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """A ratio; NaN over nothing."""
    room = np.full(len(bottom), np.nan)
    return np.asarray(np.divide(top, bottom, out=room, where=bottom > 0))


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
    "brier_skill": lambda r: r.skill(brier_terms, r.rows.own.market_p),
    "brier_skill_close": lambda r: r.skill(brier_terms, r.rows.own.close_p),
    "brier_skill_half": lambda r: r.skill(brier_terms, np.full(len(r.rows.own), 0.5)),
    "log_skill": lambda r: r.skill(log_terms, r.rows.own.market_p),
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


# What is never below 0 nor above this, and is lifted by noise: resamples hold that twice.
LIFTED: Final = {"mcb": 1.0, "dsc": 0.25, "unc": 0.25, "rel": 1.0, "res": 0.25, "ece": 1.0}
FEWEST: Final = 15  # events below which percentiles of resamples say nothing reliable


def alone(own: Forecasts) -> Forecasts:
    """Rows as if they were all one contestant's."""
    return replace(own, contestant=Factor(("",), np.zeros(len(own), dtype=np.intp)))


def with_intervals(
    own: Forecasts,
    scores: Mapping[str, Estimate],
    *,
    level: float,
    draws: int,
) -> Mapping[str, Estimate]:
    """Give intervals to those of one contestant's scores that are no means.

    Which ones the registry says; what is adjusted for the others' questions cannot be made
    from one contestant's rows, and has its own. They are percentiles of resamples. Of `LIFTED`
    these would lie above the truth: they are mirrored at the estimate (basic), cut to what is
    possible and widened to hold the estimate. A resample in which a metric has no value is
    left out of its interval, and the interval says how many were used. There is no interval
    below 15 events (TOO_FEW), nor where all resamples agree (DEGENERATE). Draws
    follow from the events' names (`event_weights`): the order of rows changes nothing.

    Source:
        Efron (1979), Annals of Statistics 7; Davison and Hinkley (1997), equation 5.6.
    """
    keys = [
        key
        for key, estimate in scores.items()
        if METRICS[key].interval.startswith("events resampled") and key != ADJUSTED
    ]
    event = own.event.in_order()
    codes, events = event.codes, len(event.names)
    if events < FEWEST:
        return {k: _too_few(e) if k in keys else e for k, e in scores.items()}
    if not keys:
        return scores
    drawn = replicates(keys, own, codes, event_weights(event.names, draws))
    return {
        key: _between(estimate, drawn.get(key), level, LIFTED.get(key))
        for key, estimate in scores.items()
    }


def _too_few(estimate: Estimate) -> Estimate:
    return estimate if estimate.value is None else replace(estimate, state=State.TOO_FEW)


def _between(
    estimate: Estimate, drawn: Floats | None, level: float, most: float | None
) -> Estimate:
    if drawn is None or estimate.value is None:
        return estimate
    some = drawn[~np.isnan(drawn)]
    if not some.size:
        return estimate
    if no_spread(float(np.std(some)), estimate.value):
        return replace(estimate, state=State.DEGENERATE)
    value, ends = estimate.value, percentile(some, level)
    if most is not None:
        ends = basic(some, value, level)
        low, high = min(max(ends.low, 0.0), value), max(min(ends.high, most), value)
        ends = replace(ends, low=low, high=high)
    return replace(
        estimate,
        interval=replace(ends, method=f"events resampled {some.size} times, {ends.method}"),
    )
