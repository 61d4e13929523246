"""Reads the file of a tournament, and the table of its forecasts."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from math import nan
from pathlib import Path
from typing import Any

from arena.cli.scores.tournament_json import (
    WHOLE,
    LocatedObject,
    Times,
    numeric,
    read_json,
    read_text,
    shortly,
    wrong,
)
from arena.scoring.tournament.checks import bucket_of, check_question, check_value
from arena.scoring.tournament.records import (
    CROWDS,
    Coverage,
    Crowd,
    Period,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentQuestion,
    TournamentRule,
    Value,
    Void,
)

LONGEST = 36_600.0  # days that a question may be open
GIVEN = "given"
TOP = frozenset(
    {"title", "rules", "coverage", "pool", "minimum_prize", "community", "aggregates"}
    | {"excluded", "uncounted", "questions"}
)
QUESTION = frozenset(
    {"id", "title", "type", "open", "close", "actual_close", "resolution", "weight"}
    | {"hidden_until", "coverage_weights", "options", "range", "zero_point", "buckets"}
    | {"open_bounds", "density_floor", "community", "reveal", "spot", "forecasts"}
)
FORECAST = frozenset({"forecaster", "at", "value"})
COMMUNITY = frozenset({"at", "value"})
PERIOD = frozenset({"from", "to", "weight"})
COLUMNS = ("question", "forecaster", "at", "value")
ENDS = frozenset({"lower", "upper"})
RESOLVED = "resolved"  # all that there is to say where heights are at the outcome
SIDES = {"no": 0, "yes": 1}


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file has it; `dated` says that its times are dates."""

    tournament: Tournament
    dated: bool


def read_tournament(path: Path, forecasts: Path | None = None) -> TournamentFile:
    """Read a tournament from a JSON file, and further forecasts from a CSV file.

    Raises:
        ArenaError: A file says something that cannot be; the place is named.
        OSError: A file cannot be read.
    """
    parsed = read_json(read_text(path), str(path))
    if not isinstance(parsed, dict):
        raise wrong("value", WHOLE, f"an object with keys is wanted, not {shortly(parsed)}")
    top, times = LocatedObject(parsed, WHOLE), Times()
    top.known(TOP)
    top.need("questions")
    questions = [_question(part, times) for part in top.parts("questions", "question")]
    if forecasts is not None:
        questions = _with_rows(questions, forecasts, times)
    tournament = Tournament(
        tuple(questions),
        title=top.text("title", ""),
        rule=top.word("rules", TournamentRule, TournamentRule.Y2022),
        coverage=top.word("coverage", Coverage, Coverage.ALL),
        pool=top.maybe("pool"),
        minimum_prize=top.number("minimum_prize", 0.0),
        crowd=_crowd(top),
        aggregates=tuple(_of_words(word, "aggregates") for word in top.texts("aggregates")),
        excluded=frozenset(top.texts("excluded")),
        uncounted=frozenset(top.texts("uncounted")),
    )
    return TournamentFile(tournament, dated=bool(times.dated))


def _crowd(top: LocatedObject) -> Crowd | None:
    word = top.text("community", GIVEN)
    return None if word == GIVEN else _of_words(word, "community")


def _of_words(words: str, key: str) -> Crowd:
    match = next((crowd for crowd in CROWDS if crowd.words == words), None)
    if match is None:
        hint = f"it is one of: {', '.join(crowd.words for crowd in CROWDS)}"
        raise wrong("value", WHOLE, f"{key!r} has no {shortly(words)}", hint)
    return match


def _question(part: LocatedObject, times: Times) -> TournamentQuestion:
    """Read a question; from here on, places are told by its id."""
    part = LocatedObject(part.found, f"question {part.name('id')}")
    part.known(QUESTION)
    kind = part.word("type", QuestionKind)
    options = part.texts("options")
    if (kind is QuestionKind.MULTIPLE_CHOICE) != bool(options):
        raise wrong(
            "value", part.where, "a multiple_choice question, and no other, has options"
        )
    if len(set(options)) < len(options):
        raise wrong("value", part.where, "an option is named twice")
    ends = part.texts("open_bounds")
    if not set(ends) <= ENDS:
        raise wrong("value", part.where, "'open_bounds' are 'lower', 'upper', both or none")
    bare = TournamentQuestion(
        id=part.name("id"),
        kind=kind,
        open=part.needed_time("open", times),
        close=part.needed_time("close", times),
        outcome=Void.UNRESOLVED,
        closed=part.time("actual_close", times),
        weight=part.number("weight", 1.0),
        options=len(options) or 2,
        buckets=part.whole("buckets", 200),
        open_below="lower" in ends,
        open_above="upper" in ends,
        floor=part.number("density_floor", 0.01),
        hidden_until=part.time("hidden_until", times),
        coverage=_periods(part, times),
        reveal=part.time("reveal", times),
        spot=part.time("spot", times),
    )
    return _filled(bare, part, times, options)


def _filled(
    bare: TournamentQuestion, part: LocatedObject, times: Times, options: Sequence[str]
) -> TournamentQuestion:
    """Add what depends on the kind of question: its outcome, and what was said of it."""
    if bare.close - bare.open > LONGEST:
        raise wrong("time", part.where, "it is open for more than 100 years: numbers are days")
    question = replace(bare, outcome=_outcome(bare, part, options))
    _fits(question, part.where)
    rows = [
        _forecast(question, each, times, FORECAST)
        for each in part.parts("forecasts", "forecast")
    ]
    community = [
        _forecast(question, each, times, COMMUNITY)
        for each in part.parts("community", "community forecast")
    ]
    return replace(question, forecasts=tuple(rows), community=tuple(community))


def _fits(question: TournamentQuestion, where: str) -> None:
    try:
        check_question(question)
    except ValueError as error:
        raise wrong("question", where, str(error)) from error


def _periods(part: LocatedObject, times: Times) -> tuple[Period, ...]:
    weights = part.parts("coverage_weights", "coverage weight")
    for each in weights:
        each.known(PERIOD)
        each.need("weight")
    return tuple(
        Period(
            each.needed_time("from", times),
            each.needed_time("to", times),
            each.number("weight", 0.0),
        )
        for each in weights
    )


def _outcome(
    question: TournamentQuestion, part: LocatedObject, options: Sequence[str]
) -> int | Void:
    resolution = part.found.get("resolution")
    if resolution is None:
        return Void.UNRESOLVED
    if resolution in (Void.ANNULLED.value, Void.AMBIGUOUS.value) and resolution not in options:
        return Void(resolution)
    if (
        question.kind is QuestionKind.BINARY
        and isinstance(resolution, str)
        and resolution.lower() in SIDES
    ):
        return SIDES[resolution.lower()]
    if question.kind is QuestionKind.MULTIPLE_CHOICE and resolution in options:
        return options.index(resolution)
    if question.kind is QuestionKind.NUMERIC:
        return _bucket(question, part, resolution)
    if question.kind is QuestionKind.DENSITY and resolution == RESOLVED:
        return 0
    resolutions = {QuestionKind.BINARY: tuple(SIDES), QuestionKind.DENSITY: (RESOLVED,)}.get(
        question.kind, options
    )
    hint = f"it is one of: {', '.join([*resolutions, 'annulled', 'ambiguous', 'null'])}"
    raise wrong("value", part.where, f"'resolution' is not {shortly(resolution)}", hint)


def _bucket(question: TournamentQuestion, part: LocatedObject, resolution: object) -> int:
    if resolution == "below_lower_bound":
        return 0
    if resolution == "above_upper_bound":
        return question.buckets + 1
    value = numeric(resolution, f"{part.where}: 'resolution'")
    ends = [numeric(each, f"{part.where}: 'range'") for each in part.listed("range")]
    if len(ends) != 2:  # noqa: PLR2004  low and high
        raise wrong("value", part.where, "'range' has two numbers, the lower one first")
    zero = part.maybe("zero_point")
    try:
        return bucket_of(value, *ends, buckets=question.buckets, zero_point=zero)
    except ValueError as error:
        raise wrong("value", part.where, str(error)) from error


def _forecast(
    question: TournamentQuestion, part: LocatedObject, times: Times, keys: frozenset[str]
) -> TimedForecast:
    part.known(keys)
    if "value" not in part.found:
        raise wrong("key", part.where, "'value' is missing; null withdraws a forecast")
    who = part.name("forecaster") if "forecaster" in keys else ""
    where = f"{part.where} ({who})" if who else part.where
    value = _value(question, part.found["value"], where)
    return TimedForecast(who, part.needed_time("at", times), value)


def _value(question: TournamentQuestion, written: object, where: str) -> Value | None:
    if written is None:
        return None
    value: Value
    if isinstance(written, list):
        gaps = question.kind is QuestionKind.MULTIPLE_CHOICE
        value = tuple(nan if gaps and x is None else numeric(x, where) for x in written)
    else:
        value = numeric(written, where)
    try:
        check_value(question, value)
    except ValueError as error:
        raise wrong("forecast", where, str(error)) from error
    return value


def _with_rows(
    questions: list[TournamentQuestion], path: Path, times: Times
) -> list[TournamentQuestion]:
    """Add the forecasts of a table, each to its question."""
    question_by_id = {question.id: question for question in questions}
    rows: dict[str, list[TimedForecast]] = {question.id: [] for question in questions}
    for where, row in _lines(path):
        if row["question"] not in question_by_id:
            raise wrong("forecast", where, f"there is no question {shortly(row['question'])}")
        written = read_json(row["value"], where) if row["value"].strip() else None
        cells: dict[str, Any] = {**row, "at": _time_cell(row["at"]), "value": written}
        del cells["question"]
        read = _forecast(
            question_by_id[row["question"]], LocatedObject(cells, where), times, FORECAST
        )
        rows[row["question"]].append(read)
    return [replace(q, forecasts=(*q.forecasts, *rows[q.id])) for q in questions]


def _lines(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    reader = csv.reader(StringIO(read_text(path), newline=""), strict=True)
    try:
        head = [cell.strip() for cell in next(reader, [])]
        if sorted(head) != sorted(COLUMNS):
            hint = f"the first line is: {','.join(COLUMNS)}"
            raise wrong("columns", str(path), "its columns are not those of forecasts", hint)
        for cells in reader:
            where = f"{path}, line {reader.line_num}"
            if len(cells) != len(head) and cells:
                raise wrong("columns", where, f"it has {len(cells)} cells, not {len(head)}")
            if cells:
                yield where, dict(zip(head, cells, strict=True))
    except csv.Error as error:
        raise wrong("columns", f"{path}, line {reader.line_num}", str(error)) from error


def _time_cell(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell.strip()
