"""Whether probabilities mean what they say: one contestant's reliability, with its doubt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.metrics.measures import measure
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, Interval, State, Test
from arena.scoring.bands import binomial_band, consistency_band, miscalibration_test
from arena.scoring.bins import bin_table, put_in_bins
from arena.scoring.calibration import in_the_large
from arena.scoring.corp import corp
from arena.scoring.resampled import Resampling
from arena.scoring.table import Factor, Forecasts
from arena.stats.bootstrap import resamples
from arena.stats.replicates import percentile
from arena.stats.seeds import generator

DRAWS: Final = 2_000
KEYS: Final = (
    "brier", "mcb", "dsc", "unc", "rel", "res", "wbv", "wbc", "ece", "auc", "sharpness",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of a reliability diagram.

    `low` and `high` hold the frequency of a calibrated contestant with the level's
    probability, as if each forecast were an event of its own.
    """

    n: int
    mean_forecast: float
    frequency: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Block:
    """A step of the recalibrated curve: forecasts from `low` to `high` came true so often.

    A calibrated contestant's curve would lie between `band_low` and `band_high` at the
    middle of the step, with whole events resampled.
    """

    n: int
    low: float
    high: float
    frequency: float
    band_low: float
    band_high: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """One contestant's calibration: numbers by key, bins, the curve, and two tests."""

    contestant: str
    n: int
    events: int
    level: float
    scores: Mapping[str, Estimate]
    bins: tuple[Bin, ...]
    curve: tuple[Block, ...]
    bias: Estimate
    test: Test
    few: bool


def reliability(
    forecasts: Forecasts, contestant: str, *, level: float = 0.95, draws: int = DRAWS
) -> Reliability:
    """Take one contestant's calibration apart. The draws follow from its name.

    Args:
        forecasts: Yes/no forecasts of any contestants.
        contestant: Whose.
        level: Of intervals and bands, in (0, 1).
        draws: Resamples of events, for the bands, the intervals and the test.

    Raises:
        ValueError: It has no forecast, or forecasts over options.
    """
    own = forecasts.of(contestant)
    if not len(own) or own.options is not None:
        raise ValueError(f"{contestant} has no yes/no forecast that came out")
    rng = generator("calibration", contestant)
    how = Resampling(rng, own.event.codes, draws)
    scores = {key: found[0] for key, found in measure(KEYS, _alone(own), level=level).items()}
    found = corp(own.p, own.outcome)
    return Reliability(
        contestant=contestant,
        n=len(own),
        events=len(np.unique(own.event.codes)),
        level=level,
        scores=_with_intervals(own, scores, rng, level, draws),
        bins=_bins(own, level),
        curve=_curve(own, how, level),
        bias=in_the_large(own.p, own.outcome, own.event.codes, level),
        test=miscalibration_test(own.p, own.outcome, how),
        few=found.few,
    )


def _alone(own: Forecasts) -> Forecasts:
    return replace(own, contestant=Factor(("",), np.zeros(len(own), dtype=np.intp)))


def _bins(own: Forecasts, level: float) -> tuple[Bin, ...]:
    table = bin_table(own.p, own.outcome, put_in_bins(own.p))
    band = binomial_band(table.mean_forecast, table.number, level)
    columns = (table.number, table.mean_forecast, table.frequency, band.low, band.high)
    return tuple(Bin(int(n), *map(float, rest)) for n, *rest in zip(*columns, strict=True))


def _curve(own: Forecasts, how: Resampling, level: float) -> tuple[Block, ...]:
    curve = corp(own.p, own.outcome).curve
    band = consistency_band(own.p, how, level, at=(curve.low + curve.high) / 2)
    columns = (curve.number, curve.low, curve.high, curve.frequency, band.low, band.high)
    return tuple(Block(int(n), *map(float, rest)) for n, *rest in zip(*columns, strict=True))


def _with_intervals(
    own: Forecasts,
    scores: Mapping[str, Estimate],
    rng: np.random.Generator,
    level: float,
    draws: int,
) -> Mapping[str, Estimate]:
    """Give a percentile interval over resampled events to what the registry says has one."""
    keys = [key for key in scores if METRICS[key].interval.startswith("events resampled")]
    codes = np.unique(own.event.codes, return_inverse=True)[1]
    events = int(codes.max()) + 1
    if events < 2:  # noqa: PLR2004  one event has no other to be drawn in its place
        return scores
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(events + 1))
    replicates: dict[str, list[float]] = {key: [] for key in keys}
    for times in resamples(events, draws, rng).astype(np.intp):
        rows = order[np.repeat(np.arange(len(order)), np.repeat(times, np.diff(ends)))]
        again = measure(keys, _alone(own.take(rows)))
        for key in keys:
            value = again[key][0].value
            if value is not None:
                replicates[key].append(value)
    return {key: _between(found, replicates.get(key), level) for key, found in scores.items()}


def _between(found: Estimate, replicates: list[float] | None, level: float) -> Estimate:
    if not replicates or found.value is None:
        return found
    ends = percentile(replicates, level)
    method = f"events resampled {len(replicates)} times, percentile"
    return replace(found, interval=Interval(ends.low, ends.high, level, method), state=State.OK)
