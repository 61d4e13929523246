"""Files of forecasts as data frames: the one place that knows how each is laid out."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from arena.errors import ArenaError
from arena.sheets.delimited import read_delimited
from arena.sheets.headings import Headings, read_headings

SET_KEYS = ("forecast_due_date", "question_set", "organization")


@dataclass(frozen=True, slots=True)
class SheetSource:
    """A file's rows under our names of columns; the index of `frame` says which row each is.

    `headings` are the file's own, `words` what is unusual about it. `line` gives the line in
    which a row begins, None for a file that has no lines. `day_first` says that dates such as
    5/1/2026 are of a country that writes the day first, None that nobody knows.
    """

    name: str
    frame: pd.DataFrame
    headings: Headings = field(default_factory=lambda: Headings((), {}))
    words: tuple[str, ...] = ()
    line: Callable[[int], int] | None = None
    day_first: bool | None = None

    def place(self, row: int) -> str:
        """Where a row stands, as an editor counts lines."""
        return f"row {row + 1}" if self.line is None else f"line {self.line(row)}"

    @property
    def said(self) -> Iterator[str]:
        """What was taken for what, where that does not follow from our own names."""
        for ours, theirs in self.headings.taken.items():
            percent = ", in percent" * (ours in self.headings.percent)
            if ours != theirs or percent:
                yield f"{ours} from {theirs!r}{percent}"
        yield from self.words


def read_source(file: Path, labels: Sequence[str], renames: Mapping[str, str]) -> SheetSource:
    """Read the columns of a file that scoring knows, and the labels that were asked for.

    Raises:
        ArenaError: The file is missing or is not what its name says.
    """
    with _in_words(file):
        kind = file.suffix.lower()
        if kind not in {".parquet", ".pq", ".json", ".jsonl", ".ndjson"}:
            frame, headings, text = read_delimited(file, labels, renames)
            words, day_first = tuple(text.words), (text.delimiter == ";") or None
            source = SheetSource(file.name, frame, headings, words, text.line, day_first)
            return replace(source, frame=_of_percent(source))
        frame, line = (_parquet(file), None) if kind in {".parquet", ".pq"} else _json(file)
        if is_forecast_set(frame):
            return SheetSource(file.name, frame, line=line)
        headings = read_headings(list(map(str, frame.columns)), labels, renames)
        places = list(headings.places.values())
        taken = frame.iloc[:, places].set_axis(list(headings.places), axis="columns")
        source = SheetSource(file.name, taken, headings, line=line)
        return replace(source, frame=_of_percent(source))


def is_forecast_set(frame: pd.DataFrame) -> bool:
    """Whether a file is a forecast set, by what its head says."""
    return {"id", "source", "forecast"} <= set(frame.columns) and bool(
        set(SET_KEYS) & set(frame.attrs)
    )


def _of_percent(source: SheetSource) -> pd.DataFrame:
    """Append % to numbers whose heading says that they are in percent."""
    signed = {
        ours: source.frame[ours].map(
            lambda cell: f"{cell}".rstrip().rstrip("%") + "%", na_action="ignore"
        )
        for ours in source.headings.percent
    }
    return source.frame.assign(**signed) if signed else source.frame


def _json(file: Path) -> tuple[pd.DataFrame, Callable[[int], int] | None]:
    text = file.read_text("utf-8-sig")
    if not text.strip():
        raise ValueError("there is nothing in it")
    parsed: Any
    lines: list[int] = []
    if file.suffix.lower() == ".json":
        parsed = json.loads(text)
    else:
        lines = [n for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        parsed = [json.loads(line) for line in text.splitlines() if line.strip()]
    rows = parsed.get("forecasts") if isinstance(parsed, dict) else parsed
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ArenaError(
            "score.unreadable",
            f"{file} is JSON, but neither an array of objects nor an object with `forecasts`",
            hint="each object is a forecast; `arena score --help` lists its fields",
            status=2,
        )
    frame = pd.DataFrame(rows, dtype=object)  # a whole number beside a null stays whole
    if isinstance(parsed, dict):
        frame.attrs.update({key: value for key, value in parsed.items() if key != "forecasts"})
    return frame, lines.__getitem__ if lines else None


def _parquet(file: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(file)
    except ImportError as error:
        raise ArenaError(
            "score.parquet",
            f"reading {file} needs a library for Parquet",
            hint="pip install 'paper-arena[parquet]'",
            status=2,
        ) from error


@contextmanager
def _in_words(file: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise ArenaError("score.no_file", f"there is no file {file}", status=2) from error
    except UnicodeDecodeError as error:
        raise ArenaError(
            "score.unreadable",
            f"{file} is not UTF-8 text: {error.reason} at byte {error.start}",
            hint="save it as UTF-8",
            status=2,
        ) from error
    except (ValueError, csv.Error, RecursionError) as error:
        raise ArenaError(
            "score.unreadable",
            f"{file} cannot be read: {error}",
            hint="CSV files end in .csv, JSON in .json or .jsonl, Parquet in .parquet",
            status=2,
        ) from error
