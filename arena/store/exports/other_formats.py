"""What the arena knows in the formats of others: Inspect, ForecastBench, tournaments.

Calls to models are logs of Inspect: one for each contestant of a cohort, a sample a call
(`EvalLog`, version 2, https://inspect.aisi.org.uk/eval-logs.html). A contestant's forecasts of
ForecastBench's questions are a forecast set. Cohorts are a tournament: a question a market, a
forecaster a contestant.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from arena.records.cohort import CohortId
from arena.records.market import MarketId
from arena.scoring.published import MARKETS
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
from arena.store.sqlite import Connection, Row
from arena.store.tape.prices import closes, first_due
from arena.store.tape.quotes import outcome_of

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


_SAID = """
SELECT substr(rounds.at, 1, 10) AS due, said.market AS market, said.probability AS p
FROM turns CROSS JOIN rounds ON rounds.cohort = turns.cohort AND rounds.round = turns.round
CROSS JOIN journal_forecasts AS said ON said.entry = turns.entry
WHERE turns.contestant = ? ORDER BY said.entry, said.number
"""


def forecast_sets(
    db: Connection, contestant: str, organization: str
) -> Mapping[str, Mapping[str, Any]]:
    """A forecast set by the day of its round; the last forecast of a day counts.

    Markets that are of none of ForecastBench's sources are left out. Market questions have no
    date of resolution.

    Source: ForecastBench, "How to submit to ForecastBench", its project's wiki on GitHub.
    """
    days: dict[str, dict[str, Any]] = {}
    for row in db.rows(_SAID, contestant):
        source, _, name = row["market"].partition(":")
        if source in MARKETS and name:
            days.setdefault(row["due"], {})[row["market"]] = {
                "id": name,
                "source": source,
                "forecast": row["p"],
                "resolution_date": None,
                "reasoning": None,
            }
    return {
        due: {
            "organization": organization,
            "model": contestant,
            "model_organization": organization,
            "question_set": f"{due}-llm.json",
            "forecast_due_date": due,
            "forecasts": list(forecasts.values()),
        }
        for due, forecasts in sorted(days.items())
    }


_CALLS: Final = """
SELECT cohort, contestant, round, call, at, llm, model, provider, finish, trouble, detail,
    words_of(system_digest) AS system, words_of(shared_digest) || words_of(own_digest) AS user,
    words_of(text_digest) AS reply, tokens_in, tokens_cached, tokens_out, tokens_reasoning,
    cost_micro, latency_ms
FROM tape_calls WHERE ? IS NULL OR cohort = ? ORDER BY cohort, contestant, round, rowid
"""
# Providers' own words on why a reply ended, as Inspect has them.
_STOPS: Final = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "completed"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens"), "max_tokens"),
    **dict.fromkeys(("content_filter", "safety", "refusal"), "content_filter"),
}


def inspect_logs(db: Connection, cohort: CohortId | None) -> Iterator[tuple[str, str, int]]:
    """Each log: its name, its JSON, and how many calls are in it; of one cohort or of all.

    Only one log is in memory at a time. A reply that never came is an error of its sample.
    """
    with db.in_words():
        calls = db.raw.execute(_CALLS, (cohort, cohort))
        for (name, who), group in groupby(
            calls, key=lambda row: (row["cohort"], row["contestant"])
        ):
            rows = list(group)
            yield f"{name}_{who}", json.dumps(_log(rows), allow_nan=False), len(rows)


def _log(rows: list[Row]) -> dict[str, Any]:
    oldest, newest = rows[0], rows[-1]
    cohort, contestant = newest["cohort"], newest["contestant"]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "run_id": cohort,
            "created": oldest["at"],
            "task": f"{cohort}/{contestant}",
            "task_id": f"{cohort}/{contestant}",
            "dataset": {"name": cohort, "samples": len(rows)},
            "model": newest["model"] or newest["llm"],
            "config": {},
            "metadata": {"cohort": cohort, "contestant": contestant},
        },
        "results": {
            "total_samples": len(rows),
            "completed_samples": sum(row["trouble"] is None for row in rows),
        },
        "stats": {"started_at": oldest["at"], "completed_at": newest["at"]},
        "samples": [_sample(row) for row in rows],
    }


def _sample(row: Row) -> dict[str, Any]:
    asked = [{"role": role, "content": row[role]} for role in ("system", "user") if row[role]]
    model = row["model"] or row["llm"]
    answer = {"role": "assistant", "content": row["reply"] or "", "model": model}
    output: dict[str, Any] = {"model": model, "choices": [], "time": row["latency_ms"] / 1000}
    sample = {
        "id": f"round {row['round']}, {row['call']}",
        "epoch": 1,
        "input": asked,
        "target": "",
        "messages": asked,
        "output": output,
        "started_at": row["at"],
        "metadata": {"round": row["round"], "call": row["call"], "provider": row["provider"]},
    }
    if row["reply"] is not None:
        stop = _STOPS.get(row["finish"].lower(), "unknown")
        output["choices"] = [{"message": answer, "stop_reason": stop}]
        sample["messages"] = [*asked, answer]
    if row["tokens_in"] is not None and row["tokens_out"] is not None:
        output["usage"] = {
            "input_tokens": row["tokens_in"],
            "output_tokens": row["tokens_out"],
            "total_tokens": row["tokens_in"] + row["tokens_out"],
            "input_tokens_cache_read": row["tokens_cached"],
            "reasoning_tokens": row["tokens_reasoning"],
            "total_cost": None if row["cost_micro"] is None else row["cost_micro"] / 10**6,
        }
        sample["model_usage"] = {model: output["usage"]}
    if row["trouble"] is not None:
        text = f"{row['trouble']}: {row['detail']}"
        sample["error"] = {"message": text, "traceback": "", "traceback_ansi": ""}
    return sample
