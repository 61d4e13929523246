"""Whether probabilities mean what they say: one contestant's reliability, with its doubt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.errors import ArenaError
from arena.metrics.metric_values import measure, unknown_contestant
from arena.metrics.registry.scores import CALIBRATION
from arena.metrics.resampled import alone, with_intervals
from arena.records.estimate import Estimate, Test
from arena.scoring.bands import binomial_band, consistency_band, miscalibration_test
from arena.scoring.bins import bin_table, put_in_bins
from arena.scoring.corp import CalibratedSamples, calibrated, corp
from arena.scoring.summaries import in_the_large
from arena.scoring.table import Forecasts
from arena.stats.bootstrap import event_chances

DRAWS: Final = 2_000
BINS: Final = 10
KEYS: Final = ("brier", *(metric.key for metric in CALIBRATION))


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of a reliability diagram: forecasts from `starts` up to, without it, `ends`.

    The last one holds 1 too. `low` and `high` hold the frequency of a calibrated contestant
    with the level's probability, as if each forecast were an event of its own.
    """

    starts: float
    ends: float
    n: int
    mean_forecast: float
    frequency: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Block:
    """A step of the recalibrated curve: forecasts from `low` to `high` came true so often.

    A calibrated contestant's curve would lie between `band_low` and `band_high` at the
    middle of the step, with outcomes drawn by event.
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


def reliabilities(
    forecasts: Forecasts, contestant: str | None = None, *, level: float, draws: int = DRAWS
) -> tuple[Reliability, ...]:
    """The calibration of everybody, by name, or of one contestant; see `reliability`.

    Raises:
        ArenaError: The forecasts are over options, or nobody of that name has one.
    """
    if forecasts.options is not None:
        raise ArenaError(
            "calibration.options",
            "calibration is of yes/no forecasts, and these are over several options",
            hint="`arena score` scores them",
            status=2,
        )
    there = sorted({forecasts.contestant.names[c] for c in forecasts.contestant.codes.tolist()})
    if contestant is not None and contestant not in there:
        raise unknown_contestant(contestant, there)
    return tuple(
        reliability(forecasts, who, level=level, draws=draws)
        for who in there
        if contestant in {None, who}
    )


def reliability(
    forecasts: Forecasts, contestant: str, *, level: float = 0.95, draws: int = DRAWS
) -> Reliability:
    """Take one contestant's calibration apart. The draws follow from the events' names.

    Args:
        forecasts: Yes/no forecasts of any contestants.
        contestant: Whose calibration.
        level: Of intervals and bands, in (0, 1).
        draws: Resamples of events for the intervals, of outcomes for the bands and the test.

    Raises:
        ValueError: It has no forecast, or forecasts over options.
    """
    own = forecasts.of(contestant)
    own = replace(own, event=own.event.in_order())
    if not len(own) or own.options is not None:
        raise ValueError(f"{contestant} has no resolved yes/no forecast")
    chances = event_chances(own.event.names, draws)
    drawn = calibrated(own.p, own.event.codes, chances)
    scores = {
        key: estimates[0] for key, estimates in measure(KEYS, alone(own), level=level).items()
    }
    decomposition = corp(own.p, own.outcome)
    return Reliability(
        contestant=contestant,
        n=len(own),
        events=len(np.unique(own.event.codes)),
        level=level,
        scores=with_intervals(own, scores, level=level, draws=draws),
        bins=_bins(own, level),
        curve=_curve(own, drawn, level),
        bias=in_the_large(own.p, own.outcome, own.event.codes, level),
        test=miscalibration_test(own.outcome, drawn),
        few=decomposition.few,
    )


def _bins(own: Forecasts, level: float) -> tuple[Bin, ...]:
    table = bin_table(own.p, own.outcome, put_in_bins(own.p, count=BINS))
    band = binomial_band(table.mean_forecast, table.number, level)
    columns = (table.number, table.mean_forecast, table.frequency, band.low, band.high)
    return tuple(
        Bin(place / BINS, (place + 1) / BINS, int(n), *map(float, rest))
        for place, n, *rest in zip(table.index.tolist(), *columns, strict=True)
    )


def _curve(own: Forecasts, drawn: CalibratedSamples, level: float) -> tuple[Block, ...]:
    curve = corp(own.p, own.outcome).curve
    band = consistency_band(drawn, level, at=(curve.low + curve.high) / 2)
    columns = (curve.number, curve.low, curve.high, curve.frequency, band.low, band.high)
    return tuple(Block(int(n), *map(float, rest)) for n, *rest in zip(*columns, strict=True))
