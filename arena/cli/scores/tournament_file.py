"""Reads the file of a tournament, and the table of its forecasts."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from math import isfinite, nan
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from arena.cli import say
from arena.cli.say import one_line, usage_error
from arena.cli.tables import Columns, table, table_of
from arena.errors import ArenaError
from arena.scoring.tournament.records import (
    CROWDS,
    DAY_ZERO,
    Coverage,
    Crowd,
    Period,
    QuestionKind,
    QuestionResult,
    Stretch,
    TimedForecast,
    Tournament,
    TournamentEntry,
    TournamentQuestion,
    TournamentResult,
    TournamentRule,
    Value,
    Void,
    bucket_of,
    check_question,
    check_value,
)

PAGE = "docs/tournaments.md describes the file"
WHOLE = "the file"
FARTHEST = 700_000.0  # days: more than the years from 1 to 2020, less than all there are
Word = TypeVar("Word", bound=StrEnum)


def wrong(what: str, where: str, why: str, hint: str = PAGE) -> ArenaError:
    """An error that names the place: `what` is its code after `tournament.`."""
    return usage_error(f"tournament.{what}", f"{one_line(where)}: {why}", hint=hint)


def spoken(at: float, *, dated: bool) -> float | str:
    """A time as its file says times: a number of days, or a date with its time of day.

    >>> spoken(1.5, dated=True)
    '2020-01-02T12:00:00+00:00'
    """
    return (DAY_ZERO + timedelta(days=at)).isoformat() if dated else at


def numeric(value: object, where: str) -> float:
    """Read a finite number; true and false are none.

    Raises:
        ArenaError: It is something else.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if isfinite(number):
            return number
    raise wrong("value", where, f"a number is wanted, not {shortly(value)}")


def shortly(value: object) -> str:
    """A value in at most 40 characters, for an error.

    >>> shortly("?" * 99)
    "'?????????????????????????????????????..."
    """
    text = one_line(repr(value) if isinstance(value, str) else json.dumps(value, default=str))
    return text if len(text) <= 40 else f"{text[:38]}..."  # noqa: PLR2004  half a line


class Times:
    """Reads times, which in one file are all numbers of days, or all dates."""

    def __init__(self) -> None:
        self.dated: bool | None = None

    def read(self, time: object, where: str) -> float:
        """A number of days; of a date, the days since the start of 2020.

        Raises:
            ArenaError: It is neither, or not what the other times of the file are.
        """
        dated = isinstance(time, str)
        if self.dated not in {None, dated}:
            raise wrong("time", where, "times are all dates, or all numbers of days")
        at = _date(time, where) if isinstance(time, str) else numeric(time, where)
        if abs(at) > FARTHEST:
            raise wrong("time", where, f"{shortly(time)} is too far away: numbers are days")
        self.dated = dated
        return at


@dataclass(frozen=True, slots=True)
class LocatedObject:
    """An object of a file, and where it is; its keys are read one by one.

    Raises:
        ArenaError: What a key has is missing, or is not what is asked for: the place is named.
    """

    found: Mapping[str, Any]
    where: str

    def known(self, keys: frozenset[str]) -> None:
        """Refuse any other key."""
        unknown = sorted(self.found.keys() - keys)
        if unknown:
            hint = f"known are {', '.join(sorted(keys))}"
            raise wrong("key", self.where, f"there is no key {shortly(unknown[0])}", hint)

    def need(self, key: str) -> Any:  # noqa: ANN401  what a JSON file holds
        """What a key has, which is not null."""
        if self.found.get(key) is None:
            raise wrong("key", self.where, f"{key!r} is missing")
        return self.found[key]

    def text(self, key: str, default: str | None = None) -> str:
        """A text; without a default it may not be missing."""
        text = self.need(key) if default is None else self.found.get(key, default)
        if not isinstance(text, str):
            raise wrong("value", self.where, f"{key!r} is a text, not {shortly(text)}")
        return text

    def name(self, key: str) -> str:
        """A text that has something in it; a whole number is read as one."""
        name = self.need(key)
        if isinstance(name, int) and not isinstance(name, bool):
            return str(name)
        if not (isinstance(name, str) and one_line(name)):
            raise wrong("value", self.where, f"{key!r} is a name, not {shortly(name)}")
        return name

    def maybe(self, key: str) -> float | None:
        """A number, or None where there is none."""
        value = self.found.get(key)
        return None if value is None else numeric(value, f"{self.where}: {key!r}")

    def number(self, key: str, default: float) -> float:
        """A number up to a million."""
        number = self.maybe(key)
        if number is not None and abs(number) > 10**6:
            raise wrong("value", self.where, f"{key!r} is a number up to a million")
        return default if number is None else number

    def whole(self, key: str, default: int) -> int:
        """A whole number from 1 to a million."""
        number = self.found.get(key, default)
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 10**6:
            raise wrong("value", self.where, f"{key!r} is a whole number from 1 on")
        return number

    def listed(self, key: str) -> list[Any]:
        """A list; empty where there is none."""
        elements = self.found.get(key)
        if not isinstance(elements, list | None):
            raise wrong("value", self.where, f"{key!r} is a list, not {shortly(elements)}")
        return elements or []

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        texts = self.listed(key)
        if not all(isinstance(each, str) for each in texts):
            raise wrong("value", self.where, f"{key!r} is a list of texts")
        return tuple(texts)

    def parts(self, key: str, noun: str) -> list["LocatedObject"]:
        """A list of objects; errors call each by `noun` and its number."""
        before = "" if self.where == WHOLE else f"{self.where}, "
        places = [(each, f"{before}{noun} {n}") for n, each in enumerate(self.listed(key), 1)]
        for each, place in places:
            if not isinstance(each, dict):
                raise wrong(
                    "value", place, f"an object with keys is wanted, not {shortly(each)}"
                )
        return [LocatedObject(each, place) for each, place in places]

    def word(self, key: str, kind: type[Word], default: Word | None = None) -> Word:
        """One of some words."""
        word = self.text(key, default)
        try:
            return kind(word)
        except ValueError as error:
            hint = f"it is one of: {', '.join(kind)}"
            raise wrong("value", self.where, f"{key!r} is not {shortly(word)}", hint) from error

    def time(self, key: str, times: Times) -> float | None:
        """A time, or None where there is none."""
        time = self.found.get(key)
        return None if time is None else times.read(time, f"{self.where}: {key!r}")

    def needed_time(self, key: str, times: Times) -> float:
        """A time."""
        return times.read(self.need(key), f"{self.where}: {key!r}")


def read_json(text: str, where: str) -> Any:  # noqa: ANN401  what a JSON file holds
    """Read JSON in which no key comes twice and every number is one.

    Raises:
        ArenaError: It is none.
    """
    try:
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_once)
    except RecursionError as error:
        raise wrong("json", where, "it is nested too deeply") from error
    except ValueError as error:
        raise wrong("json", where, f"it is not JSON: {one_line(str(error))}") from error


def read_text(path: Path) -> str:
    """Read a file of UTF-8.

    Raises:
        ArenaError: It is in something else.
        OSError: It cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise wrong("text", str(path), "it is not in UTF-8", "save it as UTF-8") from error


def _date(text: str, where: str) -> float:
    try:
        read = datetime.fromisoformat(text)
        dated = read if read.tzinfo else read.replace(tzinfo=UTC)
        return (dated - DAY_ZERO) / timedelta(days=1)
    except (ValueError, OverflowError) as error:
        hint = "write it as 2022-04-01 or 2022-04-01T12:00:00Z, or as a number of days"
        raise wrong("time", where, f"{shortly(text)} is no time", hint) from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shortly(twice)} comes twice")
    return members


WHAT = {
    TournamentRule.Y2022: "relative log scores, rules of 2022",
    TournamentRule.PEER: "peer scores",
    TournamentRule.BASELINE: "baseline scores",
    TournamentRule.SPOT_PEER: "peer scores at one time",
    TournamentRule.SPOT_BASELINE: "baseline scores at one time",
    TournamentRule.RELATIVE_LEGACY: "relative scores as the platform computes them",
    TournamentRule.PEER_GLOBAL: "peer scores over coverage, which counts as 30 at least",
    TournamentRule.PEER_GLOBAL_BEFORE_2024: (
        "peer scores over questions, which count as 40 at least"
    ),
    TournamentRule.BASELINE_GLOBAL: "sum of baseline scores",
}
NOTE = "The differences are not tested. A higher rank does not show a better forecaster."
ALWAYS = 5  # columns that every set of rules fills


def in_words(result: TournamentResult, each: str, *, dated: bool) -> None:
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
            _say_question(question, each, [e.name for e in result.entries], dated=dated)
    _say_left_out(result)


def document(result: TournamentResult, *, dated: bool) -> dict[str, Any]:
    """All results of a tournament, as JSON."""
    tournament = result.tournament
    return {
        "tournament": {
            "title": tournament.title,
            "rules": tournament.rule,
            "coverage": tournament.coverage
            if tournament.rule is TournamentRule.Y2022
            else None,
            "pool": tournament.pool,
            "minimum_prize": tournament.minimum_prize,
            "community": tournament.crowd.words if tournament.crowd else None,
        },
        "leaderboard": list(_entries(result)),
        "questions": [_as_json(question, dated=dated) for question in result.questions],
        "left_out": dict(result.left_out),
        "absent": list(result.absent),
    }


def _entries(result: TournamentResult) -> Iterable[dict[str, Any]]:
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


def _rules(result: TournamentResult) -> str:
    tournament = result.tournament
    parts = [f"Rules: {tournament.rule} ({WHAT[tournament.rule]})"]
    if tournament.rule is TournamentRule.Y2022:
        parts.append(f"coverage: {tournament.coverage}")
    if tournament.pool is not None:
        parts.append(f"pool: {tournament.pool:,.2f}")
    if tournament.minimum_prize:
        parts.append(f"smallest prize: {tournament.minimum_prize:,.2f}")
    return "; ".join([*parts, f"questions: {len(result.questions)}"])


def _leaderboard(entries: Sequence[TournamentEntry]) -> None:
    is_filled = {
        name: any(cell(entry) != say.MISSING for entry in entries)
        for name, cell in COLUMNS.items()
    }
    kept = {
        name: cell
        for n, (name, cell) in enumerate(COLUMNS.items())
        if n < ALWAYS or is_filled[name]
    }
    table_of(kept, entries)
    if any(not entry.included for entry in entries):
        click.echo("In brackets: the rank of who is shown, and neither ranked nor paid.")


def _say_question(
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


def _say_left_out(result: TournamentResult) -> None:
    if result.left_out:
        names = ", ".join(f"{say.one_line(q)} ({why})" for q, why in result.left_out.items())
        click.echo(f"\nWithout scores: {names}")
    if result.absent:
        names = ", ".join(say.one_line(name) for name in result.absent)
        click.echo(f"\nWithout a forecast that counted: {names}")


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
        "intervals": list(
            _stretches(question.intervals, names, dated=dated, with_forecasts=True)
        ),
        "days": list(_stretches(question.days, names, dated=dated, with_forecasts=False)),
    }


def _stretches(
    stretches: Iterable[Stretch], names: Sequence[str], *, dated: bool, with_forecasts: bool
) -> Iterable[dict[str, Any]]:
    for stretch in stretches:
        times = {
            "start": spoken(stretch.start, dated=dated),
            "end": spoken(stretch.end, dated=dated),
        }
        scores = {"scores": dict(zip(names, stretch.scores, strict=True))}
        if with_forecasts:
            stated = dict(zip(names, stretch.said, strict=True))
            yield {**times, "community": stretch.community, "said": stated, **scores}
        else:
            yield {**times, **scores}


def _number(value: float | None) -> str:
    if value is None:
        return say.MISSING
    text = f"{value:.6f}"
    return text.removeprefix("-") if float(text) == 0 else text


COLUMNS: Final[Columns[TournamentEntry]] = {
    "rank": lambda entry: str(entry.rank) if entry.included else f"({entry.rank})",
    "forecaster": lambda entry: entry.name,
    "score": lambda entry: _number(entry.score),
    "coverage": lambda entry: f"{entry.coverage:.6f}",
    "questions": lambda entry: str(entry.questions),
    "take": lambda entry: _number(entry.take),
    "share": lambda entry: say.percent(entry.share),
    "prize": lambda entry: say.MISSING if entry.prize is None else f"{entry.prize:,.2f}",
    "medal": lambda entry: entry.medal or say.MISSING,
}


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
TABLE = ("question", "forecaster", "at", "value")
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
        value = _value_cell(row["value"], where)
        cells: dict[str, Any] = {**row, "at": _time_cell(row["at"]), "value": value}
        del cells["question"]
        read = _forecast(
            question_by_id[row["question"]], LocatedObject(cells, where), times, FORECAST
        )
        rows[row["question"]].append(read)
    return [replace(q, forecasts=(*q.forecasts, *rows[q.id])) for q in questions]


def _lines(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a table as spreadsheets write it, each with its place."""
    from arena.sheets.files import delimited, plain

    try:
        rows = delimited(path).records()
        head = [plain(cell) for cell in next(rows, (0, []))[1]]
        if sorted(head) != sorted(TABLE):
            hint = f"the first line is: {','.join(TABLE)}"
            there = f"its columns are not those of forecasts: {one_line(', '.join(head))}"
            raise wrong("columns", str(path), there, hint)
        for line, cells in rows:
            where = f"{path}, line {line}"
            if len(cells) != len(head):
                raise wrong("columns", where, f"it has {len(cells)} cells, not {len(head)}")
            if any(map(str.strip, cells)):
                yield where, dict(zip(head, map(str.strip, cells), strict=True))
    except ValueError as error:
        raise wrong("columns", str(path), str(error)) from error


def _value_cell(cell: str, where: str) -> object:
    """JSON, or a fraction with a decimal comma or a sign of percent; None where it is empty."""
    from arena.sheets.files import number_in

    if cell.startswith("0,") or cell.endswith("%"):
        return number_in(cell)
    return read_json(cell, where) if cell else None


def _time_cell(cell: str) -> float | str:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return cell
