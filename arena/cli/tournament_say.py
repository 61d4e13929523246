"""How a scored tournament is printed: as tables, and as one JSON document."""

from collections.abc import Iterable, Sequence
from typing import Any

import click

from arena.cli import say
from arena.cli.tables import table
from arena.cli.tournament_json import spoken
from arena.scoring.tournament.records import Rule
from arena.scoring.tournament.result import Entry, QuestionResult, Result, Stretch

WHAT = {
    Rule.Y2022: "relative log scores, rules of 2022",
    Rule.PEER: "peer scores",
    Rule.BASELINE: "baseline scores",
    Rule.SPOT_PEER: "peer scores at one time",
    Rule.SPOT_BASELINE: "baseline scores at one time",
    Rule.RELATIVE_LEGACY: "relative scores as the platform computes them",
    Rule.PEER_GLOBAL: "peer scores over coverage, which counts as 30 at least",
    Rule.PEER_GLOBAL_BEFORE_2024: "peer scores over questions, which count as 40 at least",
    Rule.BASELINE_GLOBAL: "sum of baseline scores",
}
NOTE = "Differences have not been tested: a higher line is not yet a better forecaster."
HEAD = (
    "rank",
    "forecaster",
    "score",
    "coverage",
    "questions",
    "take",
    "share",
    "prize",
    "medal",
)
ALWAYS = 5  # columns that every set of rules fills


def in_words(result: Result, each: str, *, dated: bool) -> None:
    """Print the leaderboard, then each question as far as is wanted."""
    tournament = result.tournament
    if tournament.title:
        click.echo(say.one_line(tournament.title))
    click.echo(_rules(result))
    click.echo()
    if result.entries:
        _leaderboard(result.entries)
        click.echo(NOTE)
    else:
        click.echo("Nobody has a score: no question has an outcome and a standing forecast.")
    if each != "none":
        for question in result.questions:
            click.echo()
            _question(question, each, [e.name for e in result.entries], dated=dated)
    _left_out(result)


def document(result: Result, *, dated: bool) -> dict[str, Any]:
    """Everything that was computed, as JSON has words for it."""
    tournament = result.tournament
    return {
        "tournament": {
            "title": tournament.title,
            "rules": tournament.rule,
            "coverage": tournament.coverage if tournament.rule is Rule.Y2022 else None,
            "pool": tournament.pool,
            "minimum_prize": tournament.minimum_prize,
            "community": tournament.crowd.words if tournament.crowd else None,
        },
        "leaderboard": list(_entries(result)),
        "questions": [_as_json(question, dated=dated) for question in result.questions],
        "left_out": dict(result.left_out),
        "absent": list(result.absent),
    }


def _entries(result: Result) -> Iterable[dict[str, Any]]:
    """The leaderboard, each line with what it is made of; 0 for what was not forecast."""
    rows = [{name: n for n, name in enumerate(q.names)} for q in result.questions]
    for entry in result.entries:
        made_of = []
        for question, row in zip(result.questions, rows, strict=True):
            n = row.get(entry.name)
            made_of.append(
                {
                    "question": question.id,
                    "score": 0.0 if n is None else question.scores[n],
                    "coverage": 0.0 if n is None else question.coverage[n],
                }
            )
        yield {**say.as_plain(entry), "by_question": made_of}


def _rules(result: Result) -> str:
    tournament = result.tournament
    parts = [f"Rules: {tournament.rule} ({WHAT[tournament.rule]})"]
    if tournament.rule is Rule.Y2022:
        parts.append(f"coverage: {tournament.coverage}")
    if tournament.pool is not None:
        parts.append(f"pool: {tournament.pool:,.2f}")
    if tournament.minimum_prize:
        parts.append(f"smallest prize: {tournament.minimum_prize:,.2f}")
    return "; ".join([*parts, f"questions: {len(result.questions)}"])


def _leaderboard(entries: Sequence[Entry]) -> None:
    lines = [_line(entry) for entry in entries]
    kept = [
        n
        for n in range(len(HEAD))
        if n < ALWAYS or any(line[n] != say.MISSING for line in lines)
    ]
    table([HEAD[n] for n in kept], [[line[n] for n in kept] for line in lines])
    if any(not entry.included for entry in entries):
        click.echo("In brackets: the rank of who is shown, and neither ranked nor paid.")


def _line(entry: Entry) -> list[str]:
    return [
        str(entry.rank) if entry.included else f"({entry.rank})",
        entry.name,
        _number(entry.score),
        f"{entry.coverage:.6f}",
        str(entry.questions),
        _number(entry.take),
        say.percent(entry.share),
        say.MISSING if entry.prize is None else f"{entry.prize:,.2f}",
        entry.medal or say.MISSING,
    ]


def _question(
    question: QuestionResult, each: str, everybody: Sequence[str], *, dated: bool
) -> None:
    click.echo(f"Question {say.one_line(question.id)}{_weight(question)}")
    stretches: tuple[Stretch, ...] = ()
    if each == "interval":
        stretches = question.intervals
    elif each == "day":
        stretches = question.days
    heads = [_head(n, stretch, each, dated=dated) for n, stretch in enumerate(stretches, 1)]
    rows = [
        [
            name,
            _number(question.scores[n]),
            f"{question.coverage[n]:.6f}",
            *(_number(stretch.scores[n]) for stretch in stretches),
        ]
        for n, name in enumerate(question.names)
    ]
    nothing = [_number(0.0), f"{0.0:.6f}", *[_number(0.0)] * len(stretches)]
    here = set(question.names)
    rows += [[name, *nothing] for name in everybody if name not in here]
    table(["forecaster", "score", "coverage", *heads], rows)


def _weight(question: QuestionResult) -> str:
    return "" if question.weight == 1 else f" (weight {question.weight:g})"


def _head(n: int, stretch: Stretch, each: str, *, dated: bool) -> str:
    if each == "day":
        return f"day {n}"
    at = spoken(stretch.start, dated=dated)
    return f"from {at[:16] if isinstance(at, str) else f'{at:g}'}"


def _left_out(result: Result) -> None:
    if result.left_out:
        told = ", ".join(f"{say.one_line(q)} ({why})" for q, why in result.left_out.items())
        click.echo(f"\nWithout scores: {told}")
    if result.absent:
        told = ", ".join(say.one_line(name) for name in result.absent)
        click.echo(f"\nWithout a forecast that counted: {told}")


def _as_json(question: QuestionResult, *, dated: bool) -> dict[str, Any]:
    names = question.names
    return {
        "id": question.id,
        "type": question.kind,
        "weight": question.weight,
        "scores": [
            {
                "forecaster": name,
                "score": question.scores[n],
                "coverage": question.coverage[n],
                "stood": question.stood[n],
            }
            for n, name in enumerate(names)
        ],
        "intervals": list(_stretches(question.intervals, names, dated=dated, said=True)),
        "days": list(_stretches(question.days, names, dated=dated, said=False)),
    }


def _stretches(
    stretches: Iterable[Stretch], names: Sequence[str], *, dated: bool, said: bool
) -> Iterable[dict[str, Any]]:
    for found in stretches:
        times = {
            "start": spoken(found.start, dated=dated),
            "end": spoken(found.end, dated=dated),
        }
        scores = {"scores": dict(zip(names, found.scores, strict=True))}
        if said:
            told = dict(zip(names, found.said, strict=True))
            yield {**times, "community": found.community, "said": told, **scores}
        else:
            yield {**times, **scores}


def _number(value: float | None) -> str:
    if value is None:
        return say.MISSING
    text = f"{value:.6f}"
    return text.removeprefix("-") if float(text) == 0 else text
