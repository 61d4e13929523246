"""Files of forecasts as data frames: the one place that knows how each is laid out."""

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from arena.errors import ArenaError

NAMES = ("contestant", "market", "event")
SAID = ("at", "outcome")
NUMBERS = ("p", "market_p", "close_p")
SET_KEYS = ("forecast_due_date", "question_set", "organization")


def frame_of(file: Path, labels: Sequence[str]) -> pd.DataFrame:
    """Read the columns of a file that scoring knows, and the labels that were asked for.

    Raises:
        ArenaError: The file is missing or is not what its name says.
    """
    with _in_words(file):
        if file.suffix.lower() in {".parquet", ".pq"}:
            return _known(_parquet(file), labels)
        if file.suffix.lower() in {".json", ".jsonl", ".ndjson"}:
            return _known(_json(file), labels)
        return _csv(file, labels)


def wanted(column: str, labels: Sequence[str]) -> bool:
    """Whether a column is read: a known one, p_1 and so on, or a label."""
    option = column.removeprefix("p_")
    return column in (*NAMES, *SAID, *NUMBERS, *labels) or (
        option != column and option.isdecimal()
    )


def _csv(file: Path, labels: Sequence[str]) -> pd.DataFrame:
    """Read a CSV as text and numbers; a name that looks like a number stays as written."""
    heads = _read_csv(file, header=None, nrows=1, dtype=str).iloc[0].tolist()
    twice = sorted({name for name in heads if heads.count(name) > 1 and wanted(name, labels)})
    if twice:
        raise ValueError(f"there are several columns {', '.join(twice)}")
    found = _read_csv(file)
    if not isinstance(found.index, pd.RangeIndex):
        raise ValueError("a row has more fields than the line of headings")  # noqa: TRY004
    found = _known(found, labels)
    texts = (*NAMES, "at", *labels)
    misread = [name for name in texts if name in found and found[name].dtype.kind in "biuf"]
    if not misread:
        return found
    again = _read_csv(file, usecols=misread, dtype=str)
    return found.assign(**{name: again[name] for name in misread})


def _read_csv(file: Path, **options: object) -> pd.DataFrame:
    with warnings.catch_warnings():
        # a column of numbers with a word among them: the word is found and said later
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        return pd.read_csv(file, keep_default_na=False, na_values=[""], **options)


def _json(file: Path) -> pd.DataFrame:
    text = file.read_text("utf-8-sig")
    found: Any
    if file.suffix.lower() == ".json":
        found = json.loads(text)
    else:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    rows = found.get("forecasts") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ArenaError(
            "score.unreadable",
            f"{file} is JSON, but neither an array of objects nor an object with `forecasts`",
            hint="each object is a forecast; `arena score --help` lists its fields",
            status=2,
        )
    frame = pd.DataFrame(rows, dtype=object)  # a whole number beside a null stays whole
    if isinstance(found, dict):
        frame.attrs.update({key: value for key, value in found.items() if key != "forecasts"})
    return frame


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


def _known(frame: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    if set(SET_KEYS) & set(frame.attrs):
        return frame
    names = [name for name in frame.columns if wanted(str(name), labels)]
    return frame if len(names) == len(frame.columns) else frame[names]


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
    except (ValueError, RecursionError) as error:
        raise ArenaError(
            "score.unreadable",
            f"{file} cannot be read: {error}",
            hint="CSV files end in .csv, JSON in .json or .jsonl, Parquet in .parquet",
            status=2,
        ) from error
