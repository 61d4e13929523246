"""Registered predictions and the champion's forecasts: what hit, what missed."""

from collections.abc import Sequence

import numpy as np

from arena.metrics.study.comparisons import p_of
from arena.metrics.study.forecasts import StudyForecasts, StudyLosses, known
from arena.metrics.study.protocol import Prediction, PredictionKind, StudyProtocol
from arena.metrics.study.report import (
    ConfidentMiss,
    LedgerReport,
    PairComparison,
    PredictionResult,
)
from arena.scoring.calibration.in_the_large import top_label

HIT, MISS, NEUTRAL = "HIT", "MISS", "NEUTRAL"
WORST = 3
Judged = tuple[float | None, str | None, str]  # value, result, reason


def ledger(
    forecasts: StudyForecasts,
    losses: StudyLosses,
    protocol: StudyProtocol,
    compared: Sequence[PairComparison],
) -> LedgerReport:
    """Judge each prediction, and find the champion's most confident misses."""
    results = []
    for prediction in protocol.predictions:
        value, result, reason = _judged(prediction, forecasts, losses, protocol, compared)
        results.append(
            PredictionResult(
                prediction.id,
                prediction.kind,
                statement(prediction),
                prediction.confidence,
                value,
                result,
                reason,
            )
        )
    p = forecasts.p[forecasts.models.index(protocol.champion)]
    rows = np.flatnonzero(known(p))
    stated, hit = top_label(p[rows], forecasts.outcome[rows])
    missed = np.flatnonzero(~hit)
    worst = missed[np.argsort(-stated[missed], kind="stable")][:WORST]
    return LedgerReport(
        predictions=tuple(results),
        hits=sum(result.result == HIT for result in results),
        misses=sum(result.result == MISS for result in results),
        forecasts=len(rows),
        forecast_hits=int(hit.sum()),
        worst=tuple(
            ConfidentMiss(
                forecasts.questions[rows[n]],
                protocol.options[int(p[rows[n]].argmax())],
                protocol.options[int(forecasts.outcome[rows[n]])],
                float(stated[n]),
            )
            for n in worst
        ),
    )


def statement(prediction: Prediction) -> str:
    """A prediction in words."""
    between = f"from {prediction.low:g} to {prediction.high:g}"
    where = f" of stage {prediction.stage}" if prediction.stage else ""
    name = prediction.score.words
    score = f"mean {name} of {prediction.model} below that of {prediction.against}"
    return {
        PredictionKind.BEATS: score,
        PredictionKind.REJECTS: f"{score}, and the registered test rejects equality",
        PredictionKind.OUTCOME: f"{prediction.option} in {prediction.question}",
        PredictionKind.FORECAST: f"P({prediction.option}) of {prediction.model} in "
        f"{prediction.question} {between}",
        PredictionKind.SHARE: f"share of {prediction.option}{where} {between}",
    }[prediction.kind]


def _judged(
    prediction: Prediction,
    forecasts: StudyForecasts,
    losses: StudyLosses,
    protocol: StudyProtocol,
    compared: Sequence[PairComparison],
) -> Judged:
    if prediction.kind in {PredictionKind.BEATS, PredictionKind.REJECTS}:
        return _of_pair(prediction, losses, protocol, compared)
    if prediction.kind is PredictionKind.SHARE:
        return _of_share(prediction, forecasts, protocol)
    option = protocol.options.index(prediction.option)
    if prediction.question not in forecasts.questions:
        return None, None, "the file has no resolved question of that name"
    row = forecasts.questions.index(prediction.question)
    if prediction.kind is PredictionKind.OUTCOME:
        came = bool(forecasts.outcome[row] == option)
        return float(came), HIT if came else MISS, ""
    p = forecasts.of(prediction.model)
    if p is None or np.isnan(p[row, option]):
        return None, None, "the model did not forecast it"
    return _within(prediction, float(p[row, option]))


def _of_pair(
    prediction: Prediction,
    losses: StudyLosses,
    protocol: StudyProtocol,
    compared: Sequence[PairComparison],
) -> Judged:
    names = prediction.model, prediction.against
    if prediction.score not in losses.terms:
        return None, None, "the options have no order"
    if not set(names) <= set(losses.models):
        return None, None, "the file has no forecasts of one of them"
    both, _ = losses.paired(*names, prediction.score)
    if not both.size:
        return None, None, "they forecast no question together"
    gap = float((both[0] - both[1]).mean())
    if prediction.kind is PredictionKind.REJECTS:
        test = p_of(compared, set(names), prediction.score)
        if test is None or test.p is None:
            return gap, None, "there is no such test"
        return gap, HIT if gap < 0 and test.p < protocol.level_of(*names) else MISS, ""
    return gap, NEUTRAL if gap == 0 else HIT if gap < 0 else MISS, ""


def _of_share(
    prediction: Prediction, forecasts: StudyForecasts, protocol: StudyProtocol
) -> Judged:
    among = np.ones(len(forecasts.outcome), np.bool_)
    if prediction.stage:
        code = forecasts.stage.code(prediction.stage) if forecasts.stage else None
        if forecasts.stage is None or code is None:
            return None, None, "the file has no such stage"
        among = forecasts.stage.codes == code
    if not among.any():
        return None, None, "no question has resolved"
    came = forecasts.outcome[among] == protocol.options.index(prediction.option)
    return _within(prediction, float(came.mean()))


def _within(prediction: Prediction, value: float) -> Judged:
    return value, HIT if prediction.low <= value <= prediction.high else MISS, ""
