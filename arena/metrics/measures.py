"""How each metric comes from forecasts: one function a metric, and nowhere else."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from scipy.special import stdtrit

from arena.metrics.adjusted import adjusted_brier
from arena.metrics.metric import Better
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, Interval, State
from arena.scoring.alpha import alpha_terms, market_slope
from arena.scoring.bins import bin_table
from arena.scoring.calibration import calibration_errors
from arena.scoring.corp import corp
from arena.scoring.logarithmic import log_option_terms, log_terms
from arena.scoring.murphy import murphy
from arena.scoring.proper import (
    brier_index,
    brier_option_terms,
    brier_terms,
    spherical_option_terms,
    spherical_terms,
)
from arena.scoring.rps import rps_terms
from arena.scoring.sharpness import discrimination, sharpness
from arena.scoring.skill import Skill, brier_skill, log_skill
from arena.scoring.table import Factor, Floats, Forecasts, Whole
from arena.stats.clusters import estimates, fit

LEVEL: Final = 0.95
CELLS: Final = 20_000_000  # of a table of contestants by events; above it, one at a time

ADJUSTED: Final = "brier_adjusted"
YES_NO: Final = ("brier", "log", "alpha", "slope", "brier_skill", "mcb", "dsc", "ece")
OPTIONS: Final = ("brier_sum", "log", "spherical")

Terms = Callable[[Forecasts], Floats]
Sample = Callable[[Forecasts, float], Estimate]


def default_metrics(forecasts: Forecasts, *, ordered: bool = False) -> tuple[str, ...]:
    """What is computed where nobody asks for anything else."""
    if forecasts.options is None:
        return YES_NO
    return (*OPTIONS, "rps") if ordered else OPTIONS


def computable(forecasts: Forecasts, *, ordered: bool = False) -> tuple[str, ...]:
    """Every metric that these forecasts can have, in the registry's order."""
    if forecasts.options is None:
        known = _YES_NO_TERMS.keys() | _SAMPLES.keys() | {ADJUSTED}
    else:
        known = _OPTION_TERMS.keys() - (set() if ordered else {"rps"})
    return tuple(key for key in METRICS if key in known)


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
    return METRICS[key].better is Better.LOWER


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
    samples = [key for key in keys if key in _SAMPLES]
    parts = [forecasts.take(rows) for rows in _rows_of(groups)] if samples else []
    found: dict[str, tuple[Estimate, ...]] = {}
    for key in keys:
        if key in samples:
            found[key] = tuple(_SAMPLES[key](part, level) for part in parts)
        elif key == ADJUSTED:
            found[key] = adjusted_brier(forecasts, groups, level)
        else:
            found[key] = _means(terms(key, forecasts), groups, forecasts.event, level)
    return found


def _means(
    values: Floats, groups: Factor, events: Factor, level: float
) -> tuple[Estimate, ...]:
    known = ~np.isnan(values)
    if len(groups.names) * len(events.names) <= CELLS:
        return _at_once(values[known], groups.take(known), events.take(known), level)
    found: list[Estimate] = []
    for rows in _rows_of(groups):
        used = rows[known[rows]]
        alone = Factor(("",), np.zeros(len(used), dtype=np.intp))
        found += _at_once(values[used], alone, _anew(events.take(used)), level)
    return tuple(found)


def _at_once(
    values: Floats, groups: Factor, events: Factor, level: float
) -> tuple[Estimate, ...]:
    shape = (len(groups.names), len(events.names))
    cell = groups.codes * shape[1] + events.codes
    size = shape[0] * shape[1]
    sums = np.bincount(cell, weights=values, minlength=size).reshape(shape)
    counts = np.bincount(cell, minlength=size).reshape(shape)
    table = (np.asarray(column, dtype=np.float64) for column in (sums, counts))
    return estimates(fit(*table), level)


def _rows_of(groups: Factor) -> Sequence[Whole]:
    order = np.argsort(groups.codes, kind="stable")
    ends = np.searchsorted(groups.codes[order], np.arange(len(groups.names) + 1))
    return [order[start:end] for start, end in pairwise(ends)]


def _anew(events: Factor) -> Factor:
    there, codes = np.unique(events.codes, return_inverse=True)
    return Factor(tuple(str(n) for n in there), codes)


def _alpha(forecasts: Forecasts) -> Floats:
    found = np.full(len(forecasts), np.nan)
    rows = ~np.isnan(forecasts.market_p)
    found[rows] = alpha_terms(
        forecasts.p[rows], forecasts.outcome[rows], forecasts.market_p[rows]
    )
    return found


def _options(forecasts: Forecasts) -> Floats:
    if forecasts.options is None:
        raise KeyError("forecasts of yes/no questions have no options")
    return forecasts.options


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
    "rps": lambda f: rps_terms(
        _options(f), f.outcome, order=[str(k + 1) for k in range(_options(f).shape[1])]
    ),
}


def _events(forecasts: Forecasts) -> int:
    return int(np.count_nonzero(np.bincount(forecasts.event.codes)))


def _point(value: float | None, forecasts: Forecasts, state: State = State.OK) -> Estimate:
    n = len(forecasts)
    if value is None and state is State.OK:
        state = State.NOT_ESTIMABLE if n else State.EMPTY
    return Estimate(value, n, _events(forecasts), state=state)


def _slope(forecasts: Forecasts, level: float) -> Estimate:
    rows = ~np.isnan(forecasts.market_p)
    part = forecasts.take(rows)
    found = market_slope(part.p, part.outcome, part.market_p, event=part.event.codes)
    if found.b is None or found.se_events is None:
        return Estimate(found.b, found.n, found.events, state=found.state)
    df = found.events - 1.0
    reach = float(stdtrit(df, (1 + level) / 2)) * found.se_events
    interval = Interval(found.b - reach, found.b + reach, level, "cluster t, CR1")
    return Estimate(found.b, found.n, found.events, found.se_events, df, interval)


def _skill(found: Skill, forecasts: Forecasts) -> Estimate:
    return Estimate(found.value, found.n, _events(forecasts), state=found.state)


def _of_corp(term: str) -> Sample:
    def sample(forecasts: Forecasts, _level: float) -> Estimate:
        found = corp(forecasts.p, forecasts.outcome)
        value = None if found.terms is None else getattr(found.terms, term)
        return _point(value, forecasts)

    return sample


def _of_murphy(term: str) -> Sample:
    def sample(forecasts: Forecasts, _level: float) -> Estimate:
        found = murphy(forecasts.p, forecasts.outcome)
        value = None if found.terms is None else getattr(found.terms, term)
        return _point(value, forecasts)

    return sample


def _ece(forecasts: Forecasts, _level: float) -> Estimate:
    found = calibration_errors(bin_table(forecasts.p, forecasts.outcome))
    return _point(None if found is None else found.expected, forecasts)


def _sharpness(forecasts: Forecasts, _level: float) -> Estimate:
    found = sharpness(forecasts.p)
    return _point(None if found is None else found.variance, forecasts)


def _index(forecasts: Forecasts, _level: float) -> Estimate:
    if not len(forecasts):
        return _point(None, forecasts)
    mean = float(brier_terms(forecasts.p, forecasts.outcome).mean())
    return _point(brier_index(mean), forecasts)


_SAMPLES: Final[Mapping[str, Sample]] = {
    "slope": _slope,
    "brier_skill": lambda f, _: _skill(brier_skill(f.p, f.outcome, f.market_p), f),
    "brier_skill_close": lambda f, _: _skill(
        brier_skill(f.p, f.outcome, f.close_p, against="market price at the close"), f
    ),
    "brier_skill_half": lambda f, _: _skill(
        brier_skill(f.p, f.outcome, 0.5, against="constant 0.5"), f
    ),
    "log_skill": lambda f, _: _skill(log_skill(f.p, f.outcome, f.market_p), f),
    "brier_index": _index,
    "mcb": _of_corp("miscalibration"),
    "dsc": _of_corp("discrimination"),
    "unc": _of_corp("uncertainty"),
    "rel": _of_murphy("reliability"),
    "res": _of_murphy("resolution"),
    "wbv": _of_murphy("within_bin_variance"),
    "wbc": _of_murphy("within_bin_covariance"),
    "ece": _ece,
    "auc": lambda f, _: _point(discrimination(f.p, f.outcome).auc, f),
    "sharpness": _sharpness,
}
