"""Text with a line a forecast: CSV as spreadsheets of any country write it."""

import csv
import warnings
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Final

import pandas as pd

from arena.sheets.headings import NUMBERS, Headings, is_option, read_headings

DELIMITERS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
ANSI: Final = "cp1252"  # what Excel writes in Europe and America, unless told to write UTF-8


@dataclass(frozen=True, slots=True)
class Delimited:
    """A file's text: `delimiter` stands between fields, `skipped` lines before the headings."""

    text: str
    delimiter: str
    encoding: str
    skipped: int

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank with the line of the file that it begins in."""
        reader, line = csv.reader(StringIO(self.text), delimiter=self.delimiter), 0
        for fields in reader:
            if any(field.strip() for field in fields) or len(fields) > 1:
                yield self.skipped + line + 1, fields
            line = reader.line_num

    def line(self, row: int) -> int:
        """The line of a row, as an editor counts; rows count from 0, the headings left out."""
        rows = self.records()
        next(rows)
        return next(line for n, (line, _) in enumerate(rows) if n == row)

    @property
    def words(self) -> Iterator[str]:
        """What is unusual about the file."""
        if self.delimiter != ",":
            yield f"fields separated by {DELIMITERS[self.delimiter]}"
        if self.encoding == ANSI:
            yield "letters as in Windows-1252, for it is not UTF-8"


def read_delimited(
    file: Path, labels: Sequence[str], renames: Mapping[str, str]
) -> tuple[pd.DataFrame, Headings, Delimited]:
    """Read the columns of a file that scoring knows, and the labels that were asked for.

    Names stay as written, also those that look like numbers.

    Raises:
        ValueError: The file is empty, no text, or its rows do not fit its headings.
    """
    text = _delimited(file)
    names = next(text.records(), (0, []))[1]
    headings = read_headings(names, labels, renames)
    texts = {
        place: str
        for ours, place in headings.places.items()
        if not (ours in NUMBERS or ours == "outcome" or is_option(ours))
    }
    frame = _frame(text, len(names), texts)
    columns = {ours: frame[place] for ours, place in headings.places.items()}
    return pd.DataFrame(columns, index=frame.index), headings, text


def _delimited(file: Path) -> Delimited:
    raw = file.read_bytes()
    encoding = "utf-16" if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        encoding, text = ANSI, raw.decode(ANSI)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ValueError("there is nothing in it")
    if "\0" in text:
        raise ValueError("it is no text")
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first) == len("sep=;"):
        return Delimited(rest, first[len("sep=")], encoding, 1)
    return Delimited(text, _delimiter(text), encoding, 0)


def _delimiter(text: str) -> str:
    """The delimiter that gives the most known headings, then the most headings."""

    def headings(delimiter: str) -> tuple[int, int]:
        names = next(filter(None, csv.reader(StringIO(text), delimiter=delimiter)), [])
        recognised = {name for name in names if len(read_headings([name]).places)}
        return len(recognised), len(names)

    return max(DELIMITERS, key=headings)


def _frame(text: Delimited, columns: int, texts: Mapping[int, type[str]]) -> pd.DataFrame:
    """The rows, with columns by place; rows without any field are left out."""
    try:
        with warnings.catch_warnings():
            # a column of numbers with a word among them: the word is found and said later
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            frame = pd.read_csv(
                StringIO(text.text),
                sep=text.delimiter,
                header=0,
                names=range(columns),
                dtype=texts,
                keep_default_na=False,
                na_values=[""],
            )
    except pd.errors.ParserError as error:
        unclosed = ValueError("a quotation mark opens a field and none closes it")
        raise _unfitting(text, columns) or unclosed from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise _unfitting(text, columns) or ValueError("rows have more fields than headings")
    return frame.dropna(how="all")


def _unfitting(text: Delimited, columns: int) -> ValueError | None:
    """Name the first line that has more fields than there are headings."""
    for line, fields in text.records():
        if len(fields) > columns:
            return ValueError(
                f"line {line} has {len(fields)} fields, and there are {columns} headings; "
                f"a field that holds {text.delimiter!r} stands in quotes"
            )
    return None
