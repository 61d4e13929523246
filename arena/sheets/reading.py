"""Reads files of forecasts, whoever wrote them, as one table; ForecastBench's own files too."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite, isnan
from pathlib import Path
from shlex import quote
from typing import Any, Final

import numpy as np
import pandas as pd

from arena.errors import ArenaError, did_you_mean
from arena.metrics.insights.drift import ProbeAnswers
from arena.scoring.published import MARKETS
from arena.scoring.question_families import AskedQuestion, question_families
from arena.scoring.table import DailyPrices, Factor, Forecasts
from arena.sheets.board import board_of
from arena.sheets.columns import (
    NO_TRUTH,
    OPEN_WORDS,
    Sheet,
    forecasts_of,
    moments_of,
    probes_of,
    refuse_cells,
    truth_of,
    with_iso_dates,
)
from arena.sheets.files import (
    ALIASES,
    SheetSource,
    is_forecast_set,
    is_option,
    number_in,
    numbers_in,
    plain,
    read_source,
    unpacked,
)
from arena.sheets.frames import ArrowTable, frame_source

Question = tuple[str, str, str]  # the date of the round, the source, and the id

SOURCE: Final = "source"


@dataclass(frozen=True, slots=True)
class Resolutions:
    """What became of the questions of each round, and what they cost when they were frozen.

    `truth` holds by question the outcome at each of its dates, None while it is open. `event`
    names by market, of those in a question set, the family that its question is of.
    """

    rounds: frozenset[str]
    truth: Mapping[Question, Mapping[str, float | None]]
    price: Mapping[Question, float]
    event: Mapping[str, str]

    @classmethod
    def read(cls, resolutions: Sequence[Path], questions: Sequence[Path]) -> "Resolutions":
        """Read resolution sets and question sets; none is fine where none is needed.

        Raises:
            ArenaError: A file is missing or is not of that kind.
        """
        rounds: set[str] = set()
        truth: dict[Question, dict[str, float | None]] = {}
        for file in resolutions:
            due, rows = _set(file, "resolutions")
            rounds.add(due)
            with _in_words(file, "resolutions"):
                for row in rows:
                    resolution = row["resolved_to"] if row.get("resolved", True) else None
                    dates = truth.setdefault((due, str(row["source"]), str(row["id"])), {})
                    dates[str(row["resolution_date"])] = resolution
        price: dict[Question, float] = {}
        asked_questions: list[AskedQuestion] = []
        for file in questions:
            due, rows = _set(file, "questions")
            with _in_words(file, "questions"):
                for row in rows:
                    asked_questions.append(_asked_question(row))
                    frozen = row.get("freeze_datetime_value")
                    if row["source"] in MARKETS and _is_number(frozen):
                        price[(due, str(row["source"]), str(row["id"]))] = float(str(frozen))
        return cls(frozenset(rounds), truth, price, question_families(asked_questions))

    def outcome(self, question: Question, date: object) -> float | None:
        """What became of a question by a date; without one, what all its dates say.

        A market has one outcome: the rounds of 2024 list it under several dates.
        """
        dates = self.truth.get(question, {})
        if isinstance(date, str) and date in dates:
            return dates[date]
        said = set(dates.values())
        is_one = not isinstance(date, str) or question[1] in MARKETS
        return said.pop() if is_one and len(said) == 1 else None

    def is_one(self, question: Question) -> bool:
        """Whether a question is of a market whose dates all say the same."""
        return question[1] in MARKETS and len(set(self.truth.get(question, {}).values())) < 2  # noqa: PLR2004


def set_frame(frame: pd.DataFrame, file: Path, ruling: Resolutions) -> pd.DataFrame:
    """Lay a forecast set out as our columns; what has no resolution has no outcome.

    A question asked for several dates is one event with a market a date, and so are questions
    of one family; a market is one, under however many dates it stands. A file of several
    users has a contestant each. Combinations of two questions are left out: they are not
    markets.

    Raises:
        ArenaError: No resolution set of its round was given.
    """
    head = frame.attrs
    due = str(head.get("forecast_due_date") or str(head.get("question_set", ""))[:10])
    if due not in ruling.rounds:
        raise ArenaError(
            "score.resolutions",
            f"{file} is a forecast set: it does not say how the questions of {due} resolved",
            hint="name ForecastBench's resolution set of that date with --resolutions FILE",
            status=2,
        )
    who = " / ".join(str(head[k]) for k in ("organization", "model") if head.get(k))
    rows = {}
    for n, forecast in enumerate(frame.to_dict("records")):
        if not isinstance(forecast["id"], str):
            continue
        source, name, date = (
            str(forecast["source"]),
            forecast["id"],
            forecast.get("resolution_date"),
        )
        question, own, user = (due, source, name), f"{source}/{name}", forecast.get("user_id")
        names = [who or file.stem, *([] if pd.isna(user) else [str(user)])]
        dated = isinstance(date, str) and not ruling.is_one(question)
        row = {
            "contestant": " / ".join(names),
            "market": own + (f"@{date}" if dated else ""),
            "event": ruling.event.get(own, own),
            "at": due,
            "p": forecast["forecast"],
            "outcome": ruling.outcome(question, date),
            "market_p": ruling.price.get(question),
            SOURCE: source,
        }
        again = isinstance(date, str) and not dated  # the same market under another date
        rows[(row["contestant"], own, str(row["p"])) if again else n] = row
    columns = ["contestant", "market", "event", "at", "p", "outcome", "market_p", SOURCE]
    return pd.DataFrame(list(rows.values()), columns=columns, dtype=object)


def _set(file: Path, key: str) -> tuple[str, list[dict[str, Any]]]:
    """The round of a set, and its rows; combinations of questions are not among them."""
    with _in_words(file, key):
        document = json.loads(file.read_text("utf-8-sig"))
        rows = [row for row in document[key] if not isinstance(row["id"], list)]
        return str(document["forecast_due_date"]), rows


def _asked_question(row: Mapping[str, Any]) -> AskedQuestion:
    """A question as families are guessed from it; what closes on no day is of no family."""
    name, closes = (
        f"{row['source']}/{row['id']}",
        str(row.get("market_info_close_datetime", "")),
    )
    day = closes[:10] if closes[:4].isdigit() else ""
    return AskedQuestion(name, str(row["source"]), str(row.get("question", "")), day)


@contextmanager
def _in_words(file: Path, key: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise ArenaError("score.no_file", f"there is no file {file}", status=2) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArenaError(
            "score.unreadable",
            f"{file} is not a set of {key} of ForecastBench",
            hint=f"it is a JSON object with a forecast_due_date and a list under {key!r}",
            status=2,
        ) from error


def _is_number(value: object) -> bool:
    try:
        return isfinite(float(str(value)))
    except ValueError:
        return False


__all__ = ["ArrowTable", "Sheet", "read_forecasts", "read_probes"]

_PRICES: Final = "prices"
_OPEN: Final = "is_open"
_CATEGORIES: Final = ("category", "cohort")
_TIMES: Final = ("due", "resolved_at")
_COLUMNS: Final = (*_CATEGORIES, *_TIMES, "exclusive")  # beside those of any file
_MARKED: Final = (*_COLUMNS, _OPEN)  # the labels that `_as_published` needs
_DAILY: Final = ("day", "price")
_TIME = (lambda c: np.isnat(moments_of(c)), "is no time", "write it as 2026-05-01T09:30Z")
_READABLE: Final[Mapping[str, tuple[Callable[[Sequence[str]], Iterable[Any]], str, str]]] = {
    **dict.fromkeys((*_TIMES, "day"), _TIME),
    "exclusive": (
        lambda cells: (truth_of(cell) not in {0, 1} for cell in cells),
        "is neither yes nor no",
        "write 1 or 0",
    ),
    "price": (lambda cells: map(isnan, map(number_in, cells)), "is no number", "write 0.31"),
}
_AMOUNT: Final = re.compile(r"volume|stake|odds_.*")
_UNSURE: Final = ("may be thousands or decimals", "write no mark of thousands, or one decimal")


def read_forecasts(  # noqa: PLR0913  files of several kinds, and which columns
    files: Sequence[Path | ArrowTable],
    *,
    resolutions: Sequence[Path] = (),
    questions: Sequence[Path] = (),
    labels: Sequence[str] = (),
    extras: Sequence[str] = (),
    renames: Mapping[str, str] | None = None,
) -> Sheet:
    """Read files of forecasts as one table.

    Args:
        files: CSV or text of fields as spreadsheets write it, JSON (an array, or an object with
            `forecasts`), JSON lines, Parquet, or forecast sets of ForecastBench; told apart by
            their names and what is in them. Tables of pandas, Polars or PyArrow will do too.
        resolutions: Resolution sets of ForecastBench, for forecast sets.
        questions: Question sets of ForecastBench: they hold the market's price.
        labels: Further columns to keep, to break scores down by.
        extras: Columns that are kept among the labels where the first file has them.
        renames: By a heading of a file, which of our columns it is.

    Returns:
        The rows. Tables that an arena published, with its board beside them, are read as that
        arena has them.

    Raises:
        ArenaError: A file is missing, is not what its name says, or lacks a column.
    """
    renames = dict(renames or {})
    _refuse_unknown(renames)
    ruling = Resolutions.read(resolutions, questions)
    paths = [file for file in files if isinstance(file, Path)]
    board = board_of(paths) if len(paths) == len(files) else None
    wanted = (*labels, *extras, *_COLUMNS) if board else (*labels, *extras)
    sources = [_source(file, wanted, renames, ruling) for file in files]
    sources = [_with_sure_cells(s, [n for n in extras if n in s.frame]) for s in sources]
    if not sources:
        raise ArenaError("score.no_file", "no file of forecasts was named", status=2)
    there = [name for source in sources for name in source.headings.names]
    for theirs in renames:
        if plain(theirs) not in map(plain, there):
            raise ArenaError(
                "score.map",
                f"no file has a column {theirs}",
                hint=did_you_mean(theirs, there),
                status=2,
            )
    there_too = [name for name in (*extras, SOURCE) if name in sources[0].frame]
    if board is None or not all({*_COLUMNS, "outcome"} <= {*s.frame} for s in sources):
        return forecasts_of(sources, (*labels, *there_too))
    open_too = [_with_open_rows(source) for source in sources]
    sheet = forecasts_of(open_too, (*labels, *there_too, *_MARKED))
    return replace(
        sheet,
        forecasts=_as_published(sheet.forecasts, paths),
        first={why: place for why, place in sheet.first.items() if why not in NO_TRUTH},
        board=board,
    )


def read_probes(file: Path) -> tuple[ProbeAnswers, Mapping[str, int]]:
    """Read answers to probes, and by reason how many rows are not good.

    Args:
        file: Any file that forecasts are read from, with contestant, question, at and p.

    Raises:
        ArenaError: The file is missing, is not what its name says, or lacks a column.
    """
    return probes_of(read_source(file, (), {}))


def _source(
    file: Path | ArrowTable,
    labels: Sequence[str],
    renames: Mapping[str, str],
    ruling: Resolutions,
) -> SheetSource:
    if not isinstance(file, Path):
        source, stem = frame_source(file, labels, renames), "forecaster"
    else:
        source, stem = read_source(file, labels, renames), unpacked(file).stem
        if is_forecast_set(source.frame):
            source = replace(source, frame=set_frame(source.frame, file, ruling))
    if "market" not in renames.values():
        _refuse_prices(source)
    if "contestant" in source.frame:
        return source
    others = [
        name for name in source.headings.names if name not in source.headings.taken.values()
    ]
    if others:
        who = f"no column contestant, so all rows are {stem}'s; --map {others[0]!r}=contestant"
        source = replace(source, words=(*source.words, f"{who} would take it for one"))
    return replace(source, frame=source.frame.assign(contestant=stem))


def _refuse_prices(source: SheetSource) -> None:
    """Make sure that the names of markets are not their prices."""
    theirs = source.headings.taken.get("market", "")
    cells = source.frame["market"].dropna() if theirs else pd.Series(dtype=object)
    numbers = [number_in(cell) for cell in cells.map(str).unique()]
    if any(number % 1 for number in numbers) and all(0 <= number <= 1 for number in numbers):
        raise ArenaError(
            "score.columns",
            f"{source.name}: the column {theirs!r} holds numbers from 0 to 1, and no names",
            hint=f"--map {quote(theirs)}=market_p takes it for the price, and --map "
            "HEADING=market another for the question",
            status=2,
        )


def _refuse_unknown(renames: Mapping[str, str]) -> None:
    for ours in renames.values():
        if ours not in ALIASES and not is_option(ours):
            raise ArenaError(
                "score.map",
                f"{ours} is none of the columns that are scored",
                hint=f"--map THEIRS=OURS: {did_you_mean(ours, ALIASES)}",
                status=2,
            )


def _with_sure_cells(source: SheetSource, names: Sequence[str]) -> SheetSource:
    """A file of which some columns hold nothing that is unreadable or may be two things."""
    mark = "." if source.semicolons else ","
    thousands = re.compile(rf"[+-]?[1-9][0-9]{{0,2}}[{mark}][0-9]{{3}}")
    for name in names:
        source = with_iso_dates(source, name)
        if _AMOUNT.fullmatch(name):
            refuse_cells(source, name, lambda cells: map(thousands.fullmatch, cells), *_UNSURE)
        elif name in _READABLE:
            refuse_cells(source, name, *_READABLE[name])
    return source


def _with_open_rows(source: SheetSource) -> SheetSource:
    """A table whose open rows have an outcome that means nothing, and are marked."""
    source = _with_sure_cells(source, (*_TIMES, "exclusive"))
    outcome = source.frame["outcome"]
    is_open = outcome.isna() | outcome.astype(str).str.strip().str.lower().isin(OPEN_WORDS)
    nothing = 0 if outcome.dtype.kind in "biuf" else "0"
    marked = {"outcome": outcome.where(~is_open, nothing), _OPEN: is_open.astype(str)}
    return replace(source, frame=source.frame.assign(**marked))


def _as_published(forecasts: Forecasts, files: Sequence[Path]) -> Forecasts:
    """Forecasts as the arena itself has them: with what is open, due and exclusive, and prices.

    Args:
        forecasts: Those of tables whose labels are _MARKED, among others.
        files: The tables; the prices are beside them.

    Raises:
        ArenaError: A file of prices cannot be read.
    """
    labels, market = dict(forecasts.labels), _as_they_come(forecasts.market)
    flags = {
        name: np.array([truth_of(level) == 1 for level in labels[name].names], bool)
        for name in ("exclusive", _OPEN)
    }
    is_open = flags[_OPEN][labels[_OPEN].codes]
    due, ended = (moments_of(labels[name].names)[labels[name].codes] for name in _TIMES)
    kept = {
        name: _as_they_come(label)
        for name, label in labels.items()
        if name in _CATEGORIES or name not in _MARKED
    }
    every = replace(
        forecasts,
        contestant=_as_they_come(forecasts.contestant),
        market=market,
        event=_as_they_come(forecasts.event),
        labels=kept,
        due=due,
        ended=ended,
        exclusive=flags["exclusive"][labels["exclusive"].codes],
    )
    n = int(np.count_nonzero(is_open))
    left_out = {**forecasts.left_out, **({"outcome_missing": n} if n else {})}
    return replace(
        every.take(~is_open),
        waiting=every.take(is_open),
        left_out=dict(sorted(left_out.items())),
        prices=_prices(files, market.names),
    )


def _as_they_come(column: Factor) -> Factor:
    """The same column numbered by its rows, so that sums are taken in the arena's order."""
    codes, there = pd.factorize(column.codes)
    return Factor(tuple(column.names[code] for code in there.tolist()), codes)


def _prices(files: Sequence[Path], markets: Sequence[str]) -> DailyPrices | None:
    """Daily prices of markets, of each day the known one; None where a file has none beside."""
    frames = []
    for file in files:
        end = file.name.removeprefix(unpacked(file).stem)
        beside = (file.with_name(_PRICES + each) for each in (end, ".csv"))
        table = next((place for place in beside if place.is_file()), None)
        if table is None:
            return None
        source = read_source(table, _DAILY, {})
        if missing := sorted({"market", *_DAILY} - {*source.frame}):
            what = f"{table}: there is no column {', '.join(missing)}"
            raise ArenaError("score.columns", what, status=2)
        frames.append(_with_sure_cells(source, _DAILY).frame)
    every = pd.concat(frames, ignore_index=True)
    code = {name: n for n, name in enumerate(markets)}
    every = every.assign(
        market=every["market"].astype(str).str.strip().map(code),
        day=pd.to_datetime(every["day"], format="ISO8601", errors="coerce"),
        price=numbers_in(every["price"]),
    ).dropna(subset=["market", "day"])
    every = every.sort_values(["market", "day", "price"], kind="stable", na_position="last")
    every = every.drop_duplicates(["market", "day"])
    return DailyPrices(
        every["market"].to_numpy(dtype=np.intp),
        every["day"].to_numpy().astype("datetime64[D]").astype(np.intp),
        every["price"].to_numpy(dtype=np.float64),
    )
