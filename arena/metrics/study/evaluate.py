"""Runs a protocol over forecasts: every part that they allow, and why not the others.

One part are registered predictions and the champion's forecasts: what hit, what missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.metrics.study.accuracy import (
    accuracy,
    by_stage,
    criticals,
    efficiency,
    prices,
    reliabilities,
)
from arena.metrics.study.bets import (
    FairBook,
    bet_book,
    edge_numbers,
    gate_report,
    placed,
    stakes,
    verdicts,
    with_fair_quotes,
)
from arena.metrics.study.comparisons import comparisons, families, kill, p_of, power, quoted
from arena.metrics.study.protocol import (
    Prediction,
    PredictionKind,
    StudyForecasts,
    StudyLosses,
    StudyProtocol,
    StudyScore,
    known,
    losses,
)
from arena.metrics.study.report import (
    AblationRow,
    BetBook,
    ConfidentMiss,
    LedgerReport,
    PairComparison,
    PredictionResult,
    StudyReport,
)
from arena.odds.edge import GateVerdict
from arena.scoring.summaries import top_label
from arena.scoring.table import Flags

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


DECIMALS = 4  # of the ablation table
NO_MARKET = "there are no forecasts of the market, and no closing quotes (close_1)"
NO_BASELINE = "there are no forecasts of the baseline"


@dataclass(frozen=True, slots=True, eq=False)
class _Material:
    """What every part is made of."""

    forecasts: StudyForecasts
    protocol: StudyProtocol
    losses: StudyLosses
    books: tuple[FairBook, ...]
    verdicts: tuple[GateVerdict, ...]
    gated: Flags


def run_study(given: StudyForecasts, protocol: StudyProtocol) -> StudyReport:
    """Evaluate a study's forecasts by its protocol.

    Raises:
        ValueError: The champion has no forecast.
    """
    if protocol.champion not in given.models:
        raise ValueError(f"there is no forecast of {protocol.champion}")
    quoted_forecasts, books = with_fair_quotes(given, protocol)
    forecasts = with_market(quoted_forecasts, protocol)
    made = _Material(
        forecasts,
        protocol,
        losses(forecasts, protocol),
        books,
        *verdicts(forecasts, protocol, books),
    )
    report = StudyReport(
        protocol=protocol.name,
        champion=protocol.champion,
        baseline=protocol.baseline,
        market=protocol.market,
        options=protocol.options,
        level=protocol.bootstrap.level,
        questions=len(forecasts.questions),
        events=len(np.unique(forecasts.event)),
        planned=protocol.matches,
        look=protocol.look.isoformat() if protocol.look else None,
        accuracy=accuracy(forecasts, made.losses, protocol),
        reliability=reliabilities(forecasts, protocol),
        families=families(protocol, len(forecasts.models), len(forecasts.questions)),
        criticals=criticals(protocol),
        quoted=quoted(protocol),
        missing=_missing(made),
    )
    report = _with_bets(_with_prices(_with_tests(report, made), made), made)
    return replace(report, ablation=_ablation(report, protocol))


def _missing(made: _Material) -> dict[str, str]:
    """The reason of each part that is not there."""
    forecasts, protocol = made.forecasts, made.protocol
    opening, closing = (known(q).any() for q in (forecasts.opening, forecasts.closing))
    needs = (
        (closing, "there are no closing quotes (close_1)", "bets"),
        (opening, "there are no opening quotes (open_1)", "gate, edges, stakes, bets"),
        (opening or closing, "there are no quotes (open_1, close_1)", "efficiency, prices"),
        (made.books, "the protocol names no book", "books"),
        (protocol.market in forecasts.models, NO_MARKET, "tests of the market, power"),
        (protocol.baseline in forecasts.models, NO_BASELINE, "tests of the baseline, kill"),
        (len(forecasts.models) > 1, "there is one model", "comparisons"),
        (forecasts.fold is not None, "there is no column fold", "folds"),
        (forecasts.stage is not None, "there is no column stage", "stages"),
        (protocol.ordered, "the options have no order", "rps"),
    )
    return {part: why for there, why, parts in needs if not there for part in parts.split(", ")}


def _with_tests(report: StudyReport, made: _Material) -> StudyReport:
    forecasts, protocol, missing = made.forecasts, made.protocol, report.missing
    stages = forecasts.stage
    compared = comparisons(forecasts, made.losses, protocol)
    return replace(
        report,
        stages=by_stage(forecasts, made.losses, protocol, stages) if stages else None,
        comparisons=compared or None,
        kill=None if "kill" in missing else kill(forecasts, made.losses, protocol),
        power=None if "power" in missing else power(forecasts, protocol),
        ledger=ledger(forecasts, made.losses, protocol, compared),
    )


def _with_prices(report: StudyReport, made: _Material) -> StudyReport:
    forecasts, protocol = made.forecasts, made.protocol
    if "efficiency" in report.missing:
        return report
    return replace(
        report,
        efficiency=efficiency(forecasts, protocol),
        prices=prices(forecasts, protocol),
        books=tuple(book.report for book in made.books) or None,
    )


def _with_bets(report: StudyReport, made: _Material) -> StudyReport:
    forecasts, protocol, missing = made.forecasts, made.protocol, report.missing
    if "stakes" in missing:
        return report
    _, own = next(placed(forecasts, protocol, protocol.champion, made.gated))
    return replace(
        report,
        gate=gate_report(made.verdicts),
        edges=edge_numbers(forecasts, protocol),
        stakes=stakes(forecasts, protocol, own),
        bets=None if "bets" in missing else bet_books(forecasts, protocol, made.gated),
    )


def with_market(forecasts: StudyForecasts, protocol: StudyProtocol) -> StudyForecasts:
    """The market as a model: its own rows, else its closing prices, else nothing."""
    quotes = forecasts.closing
    if protocol.market in forecasts.models or not known(quotes).any():
        return forecasts
    return replace(
        forecasts,
        models=(*forecasts.models, protocol.market),
        p=np.concatenate([forecasts.p, quotes[None]]),
        stake=np.vstack([forecasts.stake, np.full(len(quotes), np.nan)]),
        backed=np.vstack([forecasts.backed, np.full(len(quotes), -1, np.intp)]),
    )


def bet_books(
    forecasts: StudyForecasts,
    protocol: StudyProtocol,
    gated: Flags,
) -> tuple[BetBook, ...]:
    """The bets of every model but the market, the champion's first."""
    others = [m for m in forecasts.models if m not in {protocol.champion, protocol.market}]
    return tuple(
        bet_book(forecasts, protocol, (model, rule), bets, gated)
        for model in (protocol.champion, *others)
        for rule, bets in placed(forecasts, protocol, model, gated)
    )


def _ablation(report: StudyReport, protocol: StudyProtocol) -> tuple[AblationRow, ...]:
    """A line a model: the first of its books, and the efficiency at the protocol's prices."""
    compared = report.comparisons or ()
    books = {book.model: book for book in reversed(report.bets or ())}
    efficient = {each.model: each.test for each in report.efficiency or () if each.primary}
    rows = []
    for line in report.accuracy:
        book, lr = books.get(line.model), efficient.get(line.model)
        baseline, market = (
            p_of(compared, {line.model, other}, StudyScore.BRIER)
            for other in (protocol.baseline, protocol.market)
        )
        rows.append(
            AblationRow(
                model=line.model,
                n=line.n,
                brier=_rounded(line.brier),
                rps=_rounded(line.rps),
                log_loss=_rounded(line.log_loss),
                p_baseline=_rounded(baseline.p if baseline else None),
                p_market=_rounded(market.p if market else None),
                lr=_rounded(lr.statistic if lr else None),
                lr_p=_rounded(lr.p if lr else None),
                bets=book.bets if book else None,
                clv=_rounded(book.clv if book else None),
                sharpe=_rounded(book.closing.sharpe.value if book else None),
                label=book.label.value if book else None,
            )
        )
    return tuple(rows)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS) + 0.0
