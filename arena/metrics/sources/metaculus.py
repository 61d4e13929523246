"""Worked examples of source D, Metaculus' tournament scoring of April 2022."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from arena.metrics.sources import Formula, Given, Values, alike
from arena.scoring.tournament.board import (
    BITS,
    MIXED,
    RelativeScoreVariant,
    score_question,
    score_tournament,
    take,
)
from arena.scoring.tournament.prizes import prize_shares
from arena.scoring.tournament.records import (
    Coverage,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentEntry,
    TournamentQuestion,
)

POOL = 1000.0
HIDDEN_DAYS = 2.0
BOT = "bot"  # the copy of the community's median


def _history(forecaster: str, days: Sequence[float | None]) -> tuple[TimedForecast, ...]:
    """The changes of a forecast that is given day by day; None where none stands."""
    before = (None, *days)
    return tuple(
        TimedForecast(forecaster, float(day), value)
        for day, (last, value) in enumerate(zip(before, days, strict=False))
        if value != last
    )


def _question(given: Given) -> TournamentQuestion:
    """A question of the example: it ends early where no median stands on its last day."""
    stands = [median for median in given["median"] if median is not None]
    every = [p for days in given["forecasts"].values() for p in days if p is not None]
    return TournamentQuestion(
        id="question",
        kind=QuestionKind.DENSITY if max(every) > 1 else QuestionKind.BINARY,
        open=0.0,
        close=float(given["days"]),
        closed=float(len(stands)) if len(stands) < given["days"] else None,
        outcome=1,
        hidden_until=HIDDEN_DAYS,
        forecasts=tuple(
            forecast
            for name, days in given["forecasts"].items()
            for forecast in _history(name, days)
        ),
        community=(),
    )


def _tournament(given: Given) -> Tournament:
    """The three questions; coverage counts on all days, or on those with hidden medians."""
    questions = tuple(
        replace(_question(question), id=f"q{number}")
        for number, question in enumerate(given["questions"], start=1)
    )
    hidden = "days1-2" in given.get("coverage_weights", "")
    coverage = Coverage.HIDDEN if hidden else Coverage.ALL
    return Tournament(questions, coverage=coverage, pool=POOL)


def _scores(given: Given) -> tuple[Values, Values]:
    question = _question(given)
    names = tuple(given["forecasts"])
    result = score_question(Tournament((question,)), question)
    hidden = score_question(Tournament((question,), coverage=Coverage.HIDDEN), question)
    days = zip(*(day.scores for day in result.days), strict=True)
    none = dict.fromkeys(names, 0.0)
    return alike(
        {
            "question_score": none | dict(zip(result.names, result.scores, strict=True)),
            "coverage_all": none | dict(zip(result.names, result.coverage, strict=True)),
            "coverage_hidden": none | dict(zip(hidden.names, hidden.coverage, strict=True)),
            "daily": dict.fromkeys(names, [0.0] * given["days"])
            | dict(zip(result.names, days, strict=True)),
        }
    )


def _entries(given: Given) -> dict[str, TournamentEntry]:
    return {entry.name: entry for entry in score_tournament(_tournament(given)).entries}


def _leaderboard(given: Given) -> tuple[Values, Values]:
    entries = _entries(given)
    return alike(
        {
            "prize": {name: entry.prize for name, entry in entries.items()},
            "take_sum": sum(e.take for e in entries.values() if e.take is not None),
            "score": {name: entry.score for name, entry in entries.items()},
            "coverage": {name: entry.coverage for name, entry in entries.items()},
            "take": {name: entry.take for name, entry in entries.items()},
            "prize_share": {name: entry.share for name, entry in entries.items()},
        }
    )


def _bases(given: Given) -> tuple[Values, Values]:
    """The scores in base 2: with a take of base 2, and with one of base e."""
    entries = _entries(given)

    def takes(form: RelativeScoreVariant) -> dict[str, float]:
        return {
            name: take(e.score / np.log(2), e.coverage, form)
            for name, e in entries.items()
            if e.score is not None
        }

    def shares(by_name: Mapping[str, float]) -> dict[str, float]:
        order = sorted(by_name, key=by_name.__getitem__, reverse=True)
        return dict(
            zip(order, prize_shares([by_name[name] for name in order]) or (), strict=True)
        )

    mixed, bits = takes(MIXED), takes(BITS)
    return {"share_log2_with_e": shares(mixed), "take_log2_with_e": mixed}, {
        "share_B_base2_exp2": shares(bits)["B"],
        "take_base2_exp2": bits,
    }


def _copied_median(given: Given) -> tuple[Values, Values]:
    """The bot's forecasts are the medians that were published, on each day."""
    tournament = _tournament(given)
    questions = []
    for question, printed in zip(tournament.questions, given["questions"], strict=True):
        stands = [median for median in printed["median"] if median is not None]
        others = tuple(f for f in question.forecasts if f.forecaster != BOT)
        questions.append(
            replace(
                question,
                forecasts=(*others, *_history(BOT, stands)),
                community=_history("", stands),
            )
        )
    result = score_tournament(replace(tournament, questions=tuple(questions)))
    bot = next(entry for entry in result.entries if entry.name == BOT)
    before = _entries(given)[BOT].prize
    return alike(
        {"bot_prize": bot.prize, "bot_prize_before": before, "bot_coverage": bot.coverage}
    )


def _inline(given: Given) -> tuple[Values, Values]:
    result = score_tournament(_tournament(given))
    first = next(entry for entry in result.entries if entry.name == "A")
    return alike(
        {
            "ln_0_8_over_0_4": float(np.log(0.8 / 0.4)),
            "A_day1": result.questions[0].intervals[0].scores[0],
            "match": float(np.log(0.55 / 0.55)),
            "A_take": first.take,
        }
    )


FORMULAS: Mapping[str, Formula] = {
    "s003.q": _scores,
    "s003.leaderboard": _leaderboard,
    "s003.base_invariance": _bases,
    "s003.bot_full_visibility": _copied_median,
    "s003.inline": _inline,
}
