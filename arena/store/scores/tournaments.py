"""Cohorts as a tournament: a question a market, a forecaster a contestant."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final

from arena.records.cohort import CohortId
from arena.records.market import MarketId
from arena.scoring.tournament.records import (
    DAY_ZERO,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentQuestion,
    TournamentRule,
    Void,
)
from arena.store.codec import read_moment
from arena.store.journal.packed import PackedKind, packed
from arena.store.sqlite import Connection
from arena.store.tape.prices import closes, first_due
from arena.store.tape.statuses import outcome_of

LEAST: Final = 1 / 86_400  # days: a question is open for at least a second


def tournament_of(
    db: Connection, cohort: CohortId | None = None, references: Collection[str] = ()
) -> Tournament:
    """Every forecast of one cohort, or of all of them, by the current peer rules.

    A question opens at the first forecast of its market and closes when the market was to
    close as first told, or when it resolved where nobody said; it closed early where the market
    did. A forecast stands until the same contestant's next of that market, in whatever cohort.
    Times are days since the start of 2020.

    Args:
        db: An open file.
        cohort: Only this one.
        references: Baselines: they are shown, in no count, and not paid.
    """
    columns = packed(db, PackedKind.SAID).of(cohort)
    _, who, at, market = (
        [column.names[code] for code in column.codes.tolist()] for column in columns.words
    )
    by_market: dict[str, list[TimedForecast]] = defaultdict(list)
    for name, moment, about, p in zip(
        who, at, market, columns.numbers[0].tolist(), strict=True
    ):
        by_market[about].append(TimedForecast(name, _days(read_moment(moment)), p))
    questions = _questions(db, by_market)
    present = {name for name in who if name in references}
    return Tournament(
        questions,
        title=f"cohort {cohort}" if cohort else "all cohorts",
        rule=TournamentRule.PEER,
        excluded=frozenset(present),
        uncounted=frozenset(present),
    )


def _questions(
    db: Connection, by_market: Mapping[str, list[TimedForecast]]
) -> tuple[TournamentQuestion, ...]:
    ended, due = closes(db), first_due(db, map(MarketId, by_market))
    ruled = {
        row["market"]: (read_moment(row["at"]), _outcome(row["void"], row["yes_pays_micro"]))
        for row in db.rows("SELECT market, at, void, yes_pays_micro FROM resolutions")
    }
    questions = []
    for market, forecasts in by_market.items():
        opened = min(forecast.at for forecast in forecasts)
        resolved, outcome = ruled.get(market, (None, Void.UNRESOLVED))
        known = [moment for moment in (due.get(market), resolved) if moment is not None]
        close = max(opened + LEAST, _days(known[0])) if known else opened + 1
        closed = ended.get(market)
        questions.append(
            TournamentQuestion(
                market,
                QuestionKind.BINARY,
                opened,
                close,
                outcome,
                tuple(forecasts),
                closed=max(opened, _days(closed.at)) if closed else None,
            )
        )
    return tuple(questions)


def _outcome(void: int | None, yes_pays: int | None) -> int | Void:
    outcome = outcome_of(void, yes_pays)
    if outcome is None:
        return Void.UNRESOLVED
    if outcome.yes_pays is None:
        return Void.ANNULLED
    return Void.AMBIGUOUS if outcome.truth is None else outcome.truth


def _days(at: datetime) -> float:
    return (at - DAY_ZERO) / timedelta(days=1)
