"""Forecast histories as a panel: the standing forecast of each between any two changes."""

from dataclasses import dataclass
from math import nan

import numpy as np

from arena.scoring import relative
from arena.scoring.table import Flags, Floats, Whole
from arena.scoring.tournament.records import (
    Period,
    QuestionKind,
    TimedForecast,
    TournamentQuestion,
    Value,
    Void,
)

NOBODY = -1


@dataclass(frozen=True, slots=True, eq=False)
class ForecastPanel:
    """A question's forecasts, with a row for each of F forecasters.

    The T columns are the times between two changes: column t lasts from `cuts[t]` to
    `cuts[t + 1]`, from the opening to the scheduled close. `which` has the number of the
    forecast that stood in the question's list, -1 where none did; after an early close none
    stands. `p` has what it said of the outcome, NaN where none stood.
    """

    question: TournamentQuestion
    forecasters: tuple[str, ...]
    cuts: Floats
    which: Whole
    p: Floats

    @property
    def lasting(self) -> Floats:
        """How long each column lasts."""
        return np.diff(self.cuts)

    @property
    def stands(self) -> Flags:
        """(F, T) who has a standing forecast when."""
        return np.asarray(self.which != NOBODY)

    @property
    def open_time(self) -> float:
        """How long forecasting was possible."""
        return self.question.ended - self.question.open


def panel_of(question: TournamentQuestion) -> ForecastPanel:
    """Lay out a question's forecasts over its scheduled period.

    Forecasts made before the opening stand from the opening on; those made after the close
    never stand. Of two that one forecaster made at one time the later row holds.

    Raises:
        ValueError: The question has no outcome.
    """
    forecasters = forecasters_of(question)
    cuts = _cuts(question)
    which = standing_at(question, forecasters, cuts[:-1])
    which[:, cuts[:-1] >= question.ended] = NOBODY
    return ForecastPanel(question, forecasters, cuts, which, pick(on_outcome(question), which))


def moment_of(question: TournamentQuestion) -> ForecastPanel:
    """What stood at the time of the spot score: a panel of one column, which lasts no time.

    Raises:
        ValueError: The question has no outcome.
    """
    forecasters = forecasters_of(question)
    at = np.array([question.spot_time])
    which = standing_at(question, forecasters, at)
    values = pick(on_outcome(question), which)
    return ForecastPanel(question, forecasters, np.repeat(at, 2), which, values)


def forecasters_of(question: TournamentQuestion) -> tuple[str, ...]:
    """Everybody with a row in the question's list, in the order of their first."""
    return tuple(dict.fromkeys(forecast.forecaster for forecast in question.forecasts))


def standing_at(
    question: TournamentQuestion, forecasters: tuple[str, ...], times: Floats
) -> Whole:
    """(F, len(times)) the number of the forecast that each had standing; -1 for none."""
    rows: dict[str, list[int]] = {name: [] for name in forecasters}
    for n, forecast in enumerate(question.forecasts):
        rows[forecast.forecaster].append(n)
    standing = np.full((len(forecasters), len(times)), NOBODY, dtype=np.intp)
    for f, name in enumerate(forecasters):
        standing[f] = last_of(question.forecasts, rows[name], times)
    return standing


def last_of(history: tuple[TimedForecast, ...], rows: list[int], times: Floats) -> Whole:
    """Which of some rows of a history stood at each time; -1 for none or a withdrawal."""
    ordered = sorted(rows, key=lambda n: history[n].at)
    at = np.array([history[n].at for n in ordered])
    held = [NOBODY, *(NOBODY if history[n].value is None else n for n in ordered)]
    return np.array(held, dtype=np.intp)[np.searchsorted(at, times, side="right")]


def pick(values: Floats, which: Whole) -> Floats:
    """Read values by their numbers; NaN for number -1."""
    return np.append(values, nan)[which]


def on_outcome(
    question: TournamentQuestion, history: tuple[TimedForecast, ...] | None = None
) -> Floats:
    """What each forecast said of the outcome; NaN for a withdrawal.

    A probability is confined to [0.001, 0.999]; a density to its floor or more, and a bucket
    likewise.

    Args:
        question: Whose outcome.
        history: Forecasts of this question; its own, if not given.

    Raises:
        ValueError: The question has no outcome, or a forecast does not fit.
    """
    rows = question.forecasts if history is None else history
    values = (forecast.value for forecast in rows)
    likelihoods = [nan if value is None else value_on(question, value) for value in values]
    return np.array(likelihoods, dtype=np.float64)


def options_then(question: TournamentQuestion) -> Floats:
    """How many options the question had when each forecast was made; NaN for a withdrawal."""
    counts = [
        nan
        if forecast.value is None
        else sum(v == v for v in forecast.value)  # noqa: PLR0124  NaN: it did not exist
        if isinstance(forecast.value, tuple)
        else question.options
        for forecast in question.forecasts
    ]
    return np.array(counts, dtype=np.float64)


def value_on(question: TournamentQuestion, value: Value) -> float:
    """What one forecast says of the outcome, confined as its kind is.

    Raises:
        ValueError: The question has no outcome, or the forecast does not fit.
    """
    outcome = question.outcome
    if isinstance(outcome, Void):
        raise ValueError(f"the question has no outcome: it is {outcome}")  # noqa: TRY004
    if question.kind == QuestionKind.BINARY:
        return float(relative.confine(relative.on_outcome(_number(value), outcome)))
    if question.kind == QuestionKind.DENSITY:
        return max(_number(value), question.floor)
    numbers = np.asarray(value, dtype=np.float64)
    if question.kind == QuestionKind.MULTIPLE_CHOICE:
        return float(relative.confine(relative.on_option(numbers, outcome)))
    return float(bucket(question, numbers))


def bucket(question: TournamentQuestion, cumulative: Floats) -> float:
    """What a cumulative distribution gives to the bucket of the outcome, or its floor.

    Raises:
        ValueError: The question has no outcome.
    """
    outcome, n = question.outcome, question.buckets
    if isinstance(outcome, Void):
        raise ValueError(f"the question has no outcome: it is {outcome}")  # noqa: TRY004
    edges = np.concatenate(([0.0], cumulative, [1.0]))
    least = question.floor / n if inside(question) else relative.METACULUS[0]
    return max(float(edges[outcome + 1] - edges[outcome]), least)


def inside(question: TournamentQuestion) -> bool:
    """Whether a numeric question came true within its range."""
    return question.outcome not in {0, question.buckets + 1}


def covering(panel: ForecastPanel, periods: tuple[Period, ...]) -> Floats:
    """(T,) the weight of coverage that falls on each column of a panel."""
    left, right = panel.cuts[:-1], panel.cuts[1:]
    total = np.zeros(len(left))
    for period in periods:
        shared = np.minimum(right, period.end) - np.maximum(left, period.start)
        total += period.weight * np.maximum(shared, 0) / (period.end - period.start)
    return total


def by_day(panel: ForecastPanel, scores: Floats) -> tuple[Floats, Floats]:
    """The mean of each day's scores, from the opening to the scheduled close.

    Args:
        panel: Whose scores.
        scores: (F, T) a score for each column.

    Returns:
        (D + 1,) where days begin and end, and (F, D) their means; the last may be shorter.
    """
    start, end = panel.cuts[0], panel.cuts[-1]
    days = max(int(np.ceil(end - start - 1e-9)), 1)
    edges = np.append(start + np.arange(days), end)
    summed = np.zeros((len(scores), len(panel.cuts)))
    np.cumsum(scores * panel.lasting, axis=1, out=summed[:, 1:])
    at_edges = np.zeros((len(scores), len(edges)))
    for row, sums in zip(at_edges, summed, strict=True):
        row[:] = np.interp(edges, panel.cuts, sums)
    return edges, np.diff(at_edges, axis=1) / np.diff(edges)


def _cuts(question: TournamentQuestion) -> Floats:
    rows = (*question.forecasts, *question.community)
    inside_of = [
        forecast.at for forecast in rows if question.open < forecast.at < question.ended
    ]
    return np.unique([question.open, question.ended, question.close, *inside_of])


def _number(value: Value) -> float:
    if isinstance(value, tuple):
        raise ValueError("the forecast is one number")  # noqa: TRY004
    return value
