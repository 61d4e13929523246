"""Runs a protocol over forecasts: every part that they allow, and why not the others."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from arena.metrics.study.accuracy import accuracy, by_stage, reliabilities
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
from arena.metrics.study.efficiency import criticals, efficiency, prices
from arena.metrics.study.forecasts import StudyForecasts, StudyLosses, known, losses
from arena.metrics.study.ledger import ledger
from arena.metrics.study.protocol import StudyProtocol, StudyScore
from arena.metrics.study.report import (
    AblationRow,
    BetBook,
    StudyReport,
)
from arena.odds.gate import GateVerdict
from arena.scoring.table import Flags

DECIMALS = 4  # of the ablation table


@dataclass(frozen=True, slots=True, eq=False)
class _Material:
    """What every part is made of."""

    forecasts: StudyForecasts
    protocol: StudyProtocol
    losses: StudyLosses
    books: tuple[FairBook, ...]
    verdicts: tuple[GateVerdict, ...]
    gated: Flags

    @property
    def without(self) -> dict[str, str]:
        """What the forecasts lack, in words; what they have is not there."""
        forecasts, protocol = self.forecasts, self.protocol
        reasons = {
            "baseline": (protocol.baseline in forecasts.models, "there are no forecasts of it"),
            "market": (protocol.market in forecasts.models, "it has no forecasts or prices"),
            "opening": (known(forecasts.opening).any(), "there are no opening quotes (open_1)"),
            "closing": (
                known(forecasts.closing).any(),
                "there are no closing quotes (close_1)",
            ),
            "books": (self.books, "the protocol names no book"),
            "pairs": (len(forecasts.models) > 1, "there is one model"),
            "order": (protocol.ordered, "the options have no order"),
            "stage": (forecasts.stage is not None, "there is no column stage"),
            "fold": (forecasts.fold is not None, "there is no column fold"),
        }
        return {key: why for key, (there, why) in reasons.items() if not there}


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
        missing=_missing(made.without),
    )
    report = _with_bets(_with_prices(_with_tests(report, made), made), made)
    return replace(report, ablation=_ablation(report, protocol))


def _missing(without: Mapping[str, str]) -> dict[str, str]:
    """The reason of each part that is not there."""
    no_prices = without.get("opening") if "closing" in without else None
    needs = {
        "rps": without.get("order"),
        "stages": without.get("stage"),
        "comparisons": without.get("pairs"),
        "tests against the baseline": without.get("baseline"),
        "tests against the market": without.get("market"),
        "kill": without.get("baseline"),
        "folds": without.get("fold"),
        "power": without.get("market"),
        "efficiency": no_prices,
        "prices": no_prices,
        "books": without.get("books"),
        "gate": without.get("opening"),
        "edges": without.get("opening"),
        "stakes": without.get("opening"),
        "bets": without.get("opening") or without.get("closing"),
    }
    return {part: why for part, why in needs.items() if why}


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
    books: Mapping[str, BetBook] = {book.model: book for book in reversed(report.bets or ())}
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
