"""How each metric comes from forecasts: one function a metric, and nowhere else."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import log
from typing import Final

import numpy as np

from arena.errors import ArenaError, did_you_mean
from arena.metrics.claims.adjusted import adjusted_brier
from arena.metrics.claims.widened_intervals import SharedClusters, shared, widened
from arena.metrics.metric import BetterDirection
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, State
from arena.scoring.alpha import alpha_terms, market_slope
from arena.scoring.bins import MurphyTerms, bin_table, murphy
from arena.scoring.corp import CorpTerms, corp
from arena.scoring.logarithmic import Clip, log_option_terms, log_terms
from arena.scoring.proper import (
    brier_index,
    brier_option_terms,
    brier_terms,
    rps_terms,
    spherical_option_terms,
    spherical_terms,
)
from arena.scoring.skill import SkillScore, brier_skill, log_skill
from arena.scoring.summaries import calibration_errors, discrimination, sharpness
from arena.scoring.table import Factor, Floats, Forecasts, Whole
from arena.stats.mean_intervals import estimates, fit, loss_estimates

LEVEL: Final = 0.95
CELLS: Final = 20_000_000  # of a table of contestants by events; above it, one at a time

ADJUSTED: Final = "brier_adjusted"
YES_NO: Final = ("brier", "log", "alpha", "slope", "brier_skill", "mcb", "dsc", "ece")
OPTIONS: Final = ("brier_sum", "log", "spherical")

LARGEST: Final[Mapping[str, float]] = {
    "brier": 1.0,
    "brier_sum": 2.0,
    "log": -log(Clip.DEFAULT.low),
    "rps": 1.0,
}  # of each loss
BETWEEN: Final[Mapping[str, tuple[float, float]]] = {
    "alpha": (-1.0, 1.0),
    "spherical": (0.0, 1.0),
}  # what a mean is never outside of

Terms = Callable[[Forecasts], Floats]
Sample = Callable[["_Part"], Estimate]


def unknown_contestant(
    name: str, known: Iterable[str], lacks: str = "has no resolved forecast"
) -> ArenaError:
    """The error for a contestant of whom there is nothing, with the names that there are."""
    hint = did_you_mean(name, known)
    return ArenaError("score.contestant", f"{name} {lacks}", hint=hint, status=2)


def unknown_metric(keys: Sequence[str], available: Iterable[str]) -> ArenaError:
    """The error for metrics that these forecasts do not have."""
    message = f"there is no metric {', '.join(keys)} for these forecasts"
    hint = did_you_mean(keys[0], available)
    return ArenaError("score.metric", message, hint=hint, status=2)


def default_metrics(forecasts: Forecasts, *, ordered: bool = False) -> tuple[str, ...]:
    """What is computed where nobody asks for anything else."""
    if forecasts.options is None:
        return YES_NO
    return (*OPTIONS, "rps") if ordered else OPTIONS


def computable(forecasts: Forecasts, *, ordered: bool = False) -> tuple[str, ...]:
    """Every metric that these forecasts can have, in the registry's order."""
    if forecasts.options is None:
        keys = _YES_NO_TERMS.keys() | _SAMPLES.keys() | {ADJUSTED}
    else:
        keys = _OPTION_TERMS.keys() - (set() if ordered else {"rps"})
    return tuple(key for key in METRICS if key in keys)


def terms(key: str, forecasts: Forecasts) -> Floats:
    """The rows that a metric is the mean of, (n,); NaN where the row's price is unknown.

    Raises:
        KeyError: The metric is not a mean over forecasts of this kind.
    """
    kind = _YES_NO_TERMS if forecasts.options is None else _OPTION_TERMS
    return kind[key](forecasts)


def is_mean(key: str, forecasts: Forecasts) -> bool:
    """Whether a metric is a mean over rows, so that differences of it can be tested."""
    return key in (_YES_NO_TERMS if forecasts.options is None else _OPTION_TERMS)


def mean_like(key: str, forecasts: Forecasts) -> str:
    """The metric itself, or the Brier score where it is no mean that can be tested."""
    if is_mean(key, forecasts):
        return key
    return "brier" if forecasts.options is None else "brier_sum"


def lower_is_better(key: str) -> bool:
    """Which way a metric points."""
    return METRICS[key].better is BetterDirection.LOWER


def measure(
    keys: Sequence[str],
    forecasts: Forecasts,
    *,
    by: Factor | None = None,
    level: float = LEVEL,
) -> Mapping[str, tuple[Estimate, ...]]:
    """Compute metrics for each name of a factor: the contestants, if not said.

    Means have an interval that takes events as the units. Where a metric is not a mean, it
    has the interval that the registry says, or none.

    Args:
        keys: Keys of `computable`.
        forecasts: The rows.
        by: What to group them by; its names are those of the answer, in their order.
        level: Confidence in (0, 1).

    Returns:
        For each key one estimate a name; EMPTY where it has no row that the metric can use.
    """
    groups = forecasts.contestant if by is None else by
    samples: dict[str, list[Estimate]] = {key: [] for key in keys if key in _SAMPLES}
    for part in _parts(forecasts, groups, level) if samples else ():
        for key, sample in samples.items():
            sample.append(_SAMPLES[key](part))
    shared_rows = shared(forecasts)
    return {
        key: tuple(samples[key])
        if key in samples
        else adjusted_brier(forecasts, groups, level)
        if key == ADJUSTED
        else _means(key, forecasts, groups, (level, shared_rows))
        for key in keys
    }


def _means(
    key: str, forecasts: Forecasts, groups: Factor, how: tuple[float, SharedClusters]
) -> tuple[Estimate, ...]:
    values, events, (level, shared_rows) = terms(key, forecasts), forecasts.event, how
    swing = np.zeros(0) if forecasts.options is not None else swings(key, forecasts)
    valued = ~np.isnan(values)
    if not valued.all():
        values, groups, events = values[valued], groups.take(valued), events.take(valued)
        swing, shared_rows = swing[valued[: len(swing)]], shared_rows.take(valued)
    if len(groups.names) * len(events.names) <= CELLS:
        means = _estimates(key, *_by_event(values, groups, events), level)
    else:
        means = _one_by_one(key, values, groups, events, level)
    if forecasts.options is not None:
        return means
    wide = widened(means, values, groups, (shared_rows, swing), (level, LARGEST.get(key)))
    return (
        tuple(estimate.within(*BETWEEN[key]) for estimate in wide) if key in BETWEEN else wide
    )


def swings(key: str, forecasts: Forecasts) -> Floats:
    """What YES adds to each row of a metric over NO, (n,)."""
    n = len(forecasts)
    no, yes = (
        terms(key, replace(forecasts, outcome=np.full(n, o), waiting=None)) for o in (0, 1)
    )
    return yes - no


def _one_by_one(
    key: str, values: Floats, groups: Factor, events: Factor, level: float
) -> tuple[Estimate, ...]:
    order, ends = _sorted(groups)
    means: list[Estimate] = []
    for start, end in pairwise(ends):
        rows = order[start:end]
        alone = Factor(("",), np.zeros(len(rows), dtype=np.intp))
        there, codes = np.unique(events.codes[rows], return_inverse=True)
        own = Factor(tuple(map(str, there)), codes)
        means += _estimates(key, *_by_event(values[rows], alone, own), level)
    return tuple(means)


def _by_event(values: Floats, groups: Factor, events: Factor) -> tuple[Floats, Floats]:
    shape = (len(groups.names), len(events.names))
    cell = groups.codes * shape[1] + events.codes
    size = shape[0] * shape[1]
    sums = np.bincount(cell, weights=values, minlength=size).reshape(shape)
    counts = np.bincount(cell, minlength=size).reshape(shape)
    return sums.astype(np.float64, copy=False), counts.astype(np.float64)


def _estimates(key: str, sums: Floats, counts: Floats, level: float) -> tuple[Estimate, ...]:
    if key in LARGEST:
        return loss_estimates(sums, counts, level, most=LARGEST[key])
    means = estimates(fit(sums, counts), level)
    if key in BETWEEN:
        return tuple(estimate.within(*BETWEEN[key]) for estimate in means)
    return means


def _parts(forecasts: Forecasts, groups: Factor, level: float) -> Iterator["_Part"]:
    """Each group's rows, in their order; one part is in memory at a time."""
    order, ends = _sorted(groups)
    for start, end in pairwise(ends):
        yield _Part(forecasts, order[start:end], level)


def _sorted(groups: Factor) -> tuple[Whole, Sequence[int]]:
    """The rows by group, and where each group begins and ends among them."""
    small = groups.codes.astype(np.min_scalar_type(len(groups.names)))
    counts = np.bincount(groups.codes, minlength=len(groups.names))
    return np.argsort(small, kind="stable"), [0, *np.cumsum(counts).tolist()]


def _alpha(forecasts: Forecasts) -> Floats:
    rows = ~np.isnan(forecasts.market_p)
    if rows.all():
        return alpha_terms(forecasts.p, forecasts.outcome, forecasts.market_p)
    gains = np.full(len(forecasts), np.nan)
    gains[rows] = alpha_terms(
        forecasts.p[rows], forecasts.outcome[rows], forecasts.market_p[rows]
    )
    return gains


def _options(forecasts: Forecasts) -> Floats:
    if forecasts.options is None:
        raise KeyError("forecasts of yes/no questions have no options")
    return np.nan_to_num(forecasts.options)  # what does not exist has no chance


def _rps(forecasts: Forecasts) -> Floats:
    """Ranked probability scores, each by how many options its own question has."""
    options = _options(forecasts)
    order = [str(k) for k in range(options.shape[1])]
    total = rps_terms(options, forecasts.outcome, order=order, normalised=False)
    steps = (~np.isnan(np.asarray(forecasts.options))).sum(axis=1) - 1
    return np.asarray(total / steps)


_YES_NO_TERMS: Final[Mapping[str, Terms]] = {
    "brier": lambda f: brier_terms(f.p, f.outcome),
    "log": lambda f: log_terms(f.p, f.outcome),
    "spherical": lambda f: spherical_terms(f.p, f.outcome),
    "alpha": _alpha,
}
_OPTION_TERMS: Final[Mapping[str, Terms]] = {
    "brier_sum": lambda f: brier_option_terms(_options(f), f.outcome),
    "log": lambda f: log_option_terms(_options(f), f.outcome),
    "spherical": lambda f: spherical_option_terms(_options(f), f.outcome),
    "rps": _rps,
}


class _Part:
    """The rows that a sample's metrics are taken from: its columns, each taken once."""

    def __init__(self, forecasts: Forecasts, rows: Whole, level: float) -> None:
        self.n, self.level = len(rows), level
        self._whole, self._rows = forecasts, rows

    @cached_property
    def p(self) -> Floats:
        return self._whole.p[self._rows]

    @cached_property
    def outcome(self) -> Whole:
        return self._whole.outcome[self._rows]

    @cached_property
    def price(self) -> Floats:
        return self._whole.market_p[self._rows]

    @cached_property
    def close(self) -> Floats:
        return self._whole.close_p[self._rows]

    @cached_property
    def event(self) -> Factor:
        return self._whole.event.take(self._rows)

    @cached_property
    def corp(self) -> CorpTerms | None:
        return corp(self.p, self.outcome).terms

    @cached_property
    def murphy(self) -> MurphyTerms | None:
        return murphy(self.p, self.outcome).terms

    @cached_property
    def events(self) -> int:
        return self.event.used()

    def point(self, value: float | None) -> Estimate:
        """A number of all rows, without an interval."""
        without = State.NOT_ESTIMABLE if self.n else State.EMPTY
        state = without if value is None else State.OK
        return Estimate(value, self.n, self.events, state=state)

    def brier_skill(self, reference: Floats) -> Estimate:
        """The Brier skill of the rows whose reference is known."""
        return self.skill(brier_skill(self.p, self.outcome, reference), reference)

    def skill(self, score: SkillScore, reference: Floats) -> Estimate:
        """A skill score of the rows whose reference is known."""
        event = self.event if score.n == self.n else self.event.take(~np.isnan(reference))
        return Estimate(score.value, score.n, event.used(), state=score.state)


def _slope(part: _Part) -> Estimate:
    priced = ~np.isnan(part.price)
    columns = (part.p, part.outcome, part.price, part.event.codes)
    p, outcome, market, event = (column[priced] for column in columns)
    return market_slope(p, outcome, market, event, part.level)


def _log_against_price(part: _Part) -> Estimate:
    return part.skill(log_skill(part.p, part.outcome, part.price), part.price)


def _of_corp(term: str) -> Sample:
    return lambda part: part.point(None if part.corp is None else getattr(part.corp, term))


def _of_murphy(term: str) -> Sample:
    return lambda part: part.point(None if part.murphy is None else getattr(part.murphy, term))


def _ece(part: _Part) -> Estimate:
    errors = calibration_errors(bin_table(part.p, part.outcome))
    return part.point(None if errors is None else errors.expected)


def _sharpness(part: _Part) -> Estimate:
    summary = sharpness(part.p)
    return part.point(None if summary is None else summary.variance)


def _index(part: _Part) -> Estimate:
    if not part.n:
        return part.point(None)
    return part.point(brier_index(float(brier_terms(part.p, part.outcome).mean())))


_SAMPLES: Final[Mapping[str, Sample]] = {
    "slope": _slope,
    "brier_skill": lambda part: part.brier_skill(part.price),
    "brier_skill_close": lambda part: part.brier_skill(part.close),
    "brier_skill_half": lambda part: part.brier_skill(np.full(part.n, 0.5)),
    "log_skill": _log_against_price,
    "brier_index": _index,
    "mcb": _of_corp("miscalibration"),
    "dsc": _of_corp("discrimination"),
    "unc": _of_corp("uncertainty"),
    "rel": _of_murphy("reliability"),
    "res": _of_murphy("resolution"),
    "wbv": _of_murphy("within_bin_variance"),
    "wbc": _of_murphy("within_bin_covariance"),
    "ece": _ece,
    "auc": lambda part: part.point(discrimination(part.p, part.outcome).auc),
    "sharpness": _sharpness,
}
