"""Files of forecasts as data frames: the one place that knows how each is laid out."""

import csv
import json
import re
import warnings
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from gzip import BadGzipFile, GzipFile
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from arena.errors import ArenaError, one_line
from arena.scoring.table import Floats

# Our columns, each with what others call it; of several that are there the first is taken.
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "contestant": (
        *("model", "forecaster", "llm", "agent", "participant", "user", "username", "player"),
        *("modell", "modele", "modèle", "teilnehmer"),
    ),
    "market": (
        *("market_id", "question_id", "question", "market_name", "ticker", "contract", "title"),
        *("frage", "markt", "marché"),
    ),
    "event": ("event_id", "event_name", "ereignis", "évènement", "événement"),
    "at": (
        *("timestamp", "forecast_at", "forecast_time", "forecast_date", "datetime", "date"),
        *("time", "when", "datum", "zeitpunkt"),
    ),
    "p": (
        *("probability", "prob", "p_yes", "yes_probability", "forecast", "prediction"),
        *(
            "predicted_probability",
            "wahrscheinlichkeit",
            "prognose",
            "probabilité",
            "prévision",
        ),
    ),
    "market_p": ("market_probability", "market_prob", "market_price", "marktpreis"),
    "close_p": ("close_price", "closing_price", "close_probability", "final_price"),
    "outcome": (
        *("resolution", "resolved_to", "result", "answer", "actual", "truth"),
        *("ergebnis", "ausgang", "résultat"),
    ),
}
NUMBERS: Final = ("p", "market_p", "close_p")
_NAMES: Final = ("contestant", "market", "event")
_NOTHING: Final = frozenset({"na", "#n/a", "nan", "null"})  # R's and pandas' empty cells
_NO_PRICE: Final = _NOTHING | {"", "-", "n/a"}
_NUMBER: Final = re.compile(r"([+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+))\s*(%?)")
_OPTION: Final = re.compile(r"p_[0-9]+", re.ASCII)
_PERCENT: Final = re.compile(r"%|percent|pct|prozent|pour ?cent", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Headings:
    """The place of each of our columns among a file's, and of the labels that are wanted."""

    names: tuple[str, ...]
    places: Mapping[str, int]

    @property
    def taken(self) -> Mapping[str, str]:
        """What the file calls each of our columns."""
        return {ours: self.names[place] for ours, place in self.places.items()}

    @property
    def percent(self) -> tuple[str, ...]:
        """Our columns whose heading says that their numbers are in percent."""
        return tuple(
            ours
            for ours, theirs in self.taken.items()
            if (ours in NUMBERS or is_option(ours)) and _PERCENT.search(theirs)
        )


def is_option(name: str) -> bool:
    """Whether a column is the probability of an option: p_1, p_2 and so on."""
    return _OPTION.fullmatch(name) is not None


def plain(name: str) -> str:
    """A heading without case, spaces, signs and unit.

    >>> plain(" Market-ID "), plain("Probability (%)")
    ('market_id', 'probability')
    """
    words = re.sub(r"[^\w]+|_+", "_", _PERCENT.sub(" ", name.casefold()))
    return words.strip("_")


def read_headings(
    names: Sequence[str], labels: Sequence[str] = (), renames: Mapping[str, str] | None = None
) -> Headings:
    """Find our columns among a file's; one that is not there is left out.

    A heading that says percent is that of no names.

    Args:
        names: The file's headings, in order.
        labels: Further columns that are wanted, by their own names.
        renames: Our column by a heading of the file; headings that are not there are ignored.

    Raises:
        ValueError: Several columns have the name that is wanted.
    """
    there: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        there.setdefault(plain(name), []).append(place)
    places = {
        ours: _only(there[plain(theirs)], names, theirs)
        for theirs, ours in (renames or {}).items()
        if plain(theirs) in there
    }
    options = [name for name in there if is_option(name)]
    percent = {n for n, name in enumerate(names) if _PERCENT.search(name)}
    for ours in (*ALIASES, *options):
        usual = () if ours == "p" and options else ALIASES.get(ours, ())
        unfit = percent if ours in _NAMES else set()
        for name in (ours, *usual):
            if ours not in places and name in there:
                free = [n for n in there[name] if n not in {*places.values(), *unfit}]
                places |= {ours: _only(free, names, name)} if free else {}
    for label in labels:
        if label not in places and plain(label) in there:
            places[label] = _only(there[plain(label)], names, label)
    return Headings(tuple(names), places)


def _only(places: Sequence[int], names: Sequence[str], wanted: str) -> int:
    """The only place of a name; an exact match goes before one that differs in case."""
    exact = [place for place in places if names[place] == wanted]
    candidates = exact or places
    if len(candidates) > 1:
        raise ValueError(f"there are several columns {wanted}: rename all but one")
    return candidates[0]


DELIMITERS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
MOST_UNPACKED: Final = 400_000_000
_NO_TEXT: Final = {
    b"PK\x03\x04": "an Excel, LibreOffice or zip file",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"PAR1": "a Parquet file",
}
ANSI: Final = "cp1252"  # what Excel writes in Europe and America, unless told to write UTF-8


@dataclass(frozen=True, slots=True)
class Delimited:
    """A file's text: `delimiter` stands between fields, `skipped` lines before the headings."""

    text: str
    delimiter: str
    encoding: str
    skipped: int

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank with the line of the file that it begins in.

        Raises:
            ValueError: A quotation mark is neither around a field nor doubled in one.
        """
        csv.field_size_limit(max(csv.field_size_limit(), len(self.text)))
        reader = csv.reader(StringIO(self.text), delimiter=self.delimiter, strict=True)
        line = 0
        try:
            for fields in reader:
                if any(field.strip() for field in fields) or len(fields) > 1:
                    yield self.skipped + line + 1, fields
                line = reader.line_num
        except csv.Error as error:
            raise ValueError(
                f"a quotation mark is astray in the row of line {self.skipped + line + 1} "
                f"(line {self.skipped + reader.line_num}: {error}); in text it is doubled, "
                "and the field stands in quotes"
            ) from error

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


def readdelimited(
    file: Path, labels: Sequence[str], renames: Mapping[str, str]
) -> tuple[pd.DataFrame, Headings, Delimited]:
    """Read the columns of a file that scoring knows, and the labels that were asked for.

    Names stay as written, also those that look like numbers.

    Raises:
        ValueError: The file is empty, no text, or its rows do not fit its headings.
    """
    text = delimited(file)
    if '"' in text.text:
        deque(text.records(), maxlen=0)  # pandas reads on where a mark is astray
    names = next(text.records(), (0, []))[1]
    headings = read_headings(names, labels, renames)
    texts = {
        place: str
        for ours, place in headings.places.items()
        if not (ours in NUMBERS or ours == "outcome" or is_option(ours))
    }
    frame = _frame(text, len(names), texts)
    columns = {
        ours: emptied(frame[place], ours)
        if ours in ALIASES or is_option(ours)
        else frame[place]
        for ours, place in headings.places.items()
    }
    return pd.DataFrame(columns, index=frame.index), headings, text


def emptied(column: "pd.Series[Any]", ours: str) -> "pd.Series[Any]":
    """A column in which words for nothing, in any case, are empty cells."""
    nothing = _NO_PRICE if ours in {"market_p", "close_p"} else _NOTHING
    if column.dtype.kind in "biufM":
        return column
    is_nothing = column.astype(str).str.strip().str.lower().isin(nothing)
    return column.mask(is_nothing) if is_nothing.any() else column


def unpacked(file: Path) -> Path:
    """The name that a file has when it is unpacked."""
    return file.with_suffix("") if file.suffix.lower() == ".gz" else file


def _content(file: Path) -> bytes:
    """What is in a file of text, which may be packed by gzip."""
    raw = file.read_bytes()
    if raw.startswith(b"\x1f\x8b"):
        with GzipFile(fileobj=BytesIO(raw)) as packed:
            raw = packed.read(MOST_UNPACKED + 1)
        if len(raw) > MOST_UNPACKED:
            raise ValueError(f"unpacked it has more than {MOST_UNPACKED:,} bytes")
    for start, what in _NO_TEXT.items():
        if raw.startswith(start):
            raise ArenaError(
                "score.unreadable",
                f"{file} is {what}, and no text",
                hint="save its table as CSV, or unpack it",
                status=2,
            )
    return raw


def delimited(file: Path) -> Delimited:
    """Read a table of text in any usual encoding and with any usual delimiter.

    Raises:
        ValueError: There is nothing in it, or it is no text.
        ArenaError: It is a workbook, or packed.
    """
    raw = _content(file)
    encoding = "utf-16" if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        encoding, text = ANSI, raw.decode(ANSI)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ValueError("there is nothing in it")
    if "\0" in text:
        raise UnicodeError("it is no text")
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
        raise _unfitting(text, columns) from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise _unfitting(text, columns)
    return frame.dropna(how="all")


def _unfitting(text: Delimited, columns: int) -> ValueError:
    """Name the first line that has more fields than there are headings."""
    for line, fields in text.records():
        if len(fields) > columns:
            return ValueError(
                f"line {line} has {len(fields)} fields, and there are {columns} headings; "
                f"a field that holds {text.delimiter!r} stands in quotes"
            )
    return ValueError("rows have more fields than headings")


SET_KEYS = ("forecast_due_date", "question_set", "organization")


@dataclass(frozen=True, slots=True)
class SheetSource:
    """A file's rows under our names of columns; the index of `frame` says which row each is.

    `headings` are the file's own, `words` what is unusual about it. `line` gives the line in
    which a row begins, None for a file that has no lines. `semicolons` stand between fields
    where a comma is decimal and a day comes before its month.
    """

    name: str
    frame: pd.DataFrame
    headings: Headings = field(default_factory=lambda: Headings((), {}))
    words: tuple[str, ...] = ()
    line: Callable[[int], int] | None = None
    semicolons: bool = False

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
        kind = unpacked(file).suffix.lower()
        if kind not in {".parquet", ".pq", ".json", ".jsonl", ".ndjson"}:
            frame, headings, text = readdelimited(file, labels, renames)
            words, semicolons = tuple(text.words), text.delimiter == ";"
            source = SheetSource(file.name, frame, headings, words, text.line, semicolons)
            return replace(source, frame=_of_percent(source))
        frame, line = (_parquet(file), None) if kind in {".parquet", ".pq"} else _json(file)
        if is_forecast_set(frame):
            return SheetSource(file.name, frame, line=line)
        source = source_of_columns(file.name, frame, labels, renames, line)
        _refuse_half_characters(source)
        return source


def _refuse_half_characters(source: SheetSource) -> None:
    """Name the first text that is none: JSON can write half of a surrogate pair."""
    for column in source.frame:
        for row, cell in enumerate(source.frame[column]):
            if isinstance(cell, str) and not cell.isascii():
                try:
                    cell.encode()
                except UnicodeEncodeError as error:
                    where = f"{source.place(row)}, {column}"
                    raise ValueError(f"{where}: half of a surrogate pair is no text") from error


def source_of_columns(
    name: str,
    frame: pd.DataFrame,
    labels: Sequence[str],
    renames: Mapping[str, str],
    line: Callable[[int], int] | None = None,
) -> SheetSource:
    """Take the columns of a frame that scoring knows, and the labels that were asked for.

    Raises:
        ValueError: Several columns have the name that is wanted.
    """
    headings = read_headings(list(map(str, frame.columns)), labels, renames)
    places = list(headings.places.values())
    taken = frame.iloc[:, places].set_axis(list(headings.places), axis="columns")
    source = SheetSource(name, taken, headings, line=line)
    return replace(source, frame=_of_percent(source))


def is_forecast_set(frame: pd.DataFrame) -> bool:
    """Whether a file is a forecast set, by what its head says."""
    return {"id", "source", "forecast"} <= set(frame.columns) and bool(
        set(SET_KEYS) & set(frame.attrs)
    )


def numbers_in(column: "pd.Series[float]") -> Floats:
    """Each cell as `number_in` reads it; a truth is no number."""
    if column.dtype.kind in "fiu":
        plain: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return plain
    words = column.astype(object)
    truths = words.map(lambda word: isinstance(word, bool | np.bool_)).to_numpy(dtype=bool)
    texts = words.map(str, na_action="ignore")
    numbers = np.array(pd.to_numeric(texts, errors="coerce"), dtype=np.float64)
    unread = np.flatnonzero(np.isnan(numbers) & ~words.isna().to_numpy())
    numbers[unread] = [number_in(texts.iloc[row]) for row in unread]
    return np.where(truths, np.nan, numbers)


def number_in(word: str) -> float:
    """A number with a decimal comma or a sign of percent; NaN for anything else.

    >>> number_in("0,31"), number_in("31 %"), number_in("likely")
    (0.31, 0.31, nan)
    """
    read = _NUMBER.fullmatch(word.strip())
    return float(read[1].replace(",", ".")) / (100 if read[2] else 1) if read else float("nan")


def _of_percent(source: SheetSource) -> pd.DataFrame:
    """Append % to numbers whose heading says that they are in percent.

    Raises:
        ArenaError: They are fractions: spreadsheets and pandas write cells in percent so.
    """
    options = [ours for ours in source.headings.percent if is_option(ours)]
    for ours in source.headings.percent:
        _refuse_fractions(source, options if ours in options else [ours])
    signed = {
        ours: source.frame[ours].map(
            lambda cell: f"{cell}".rstrip().rstrip("%") + "%", na_action="ignore"
        )
        for ours in source.headings.percent
    }
    return source.frame.assign(**signed) if signed else source.frame


def _refuse_fractions(source: SheetSource, names: Sequence[str]) -> None:
    cells = pd.concat([source.frame[name] for name in names])
    signed, numbers = cells.astype(str).str.contains("%").any(), numbers_in(cells)
    numbers = numbers[np.isfinite(numbers)]
    if not signed and (numbers % 1).any() and numbers.max() <= 1:
        theirs = source.headings.taken[names[0]]
        raise ArenaError(
            "score.percent",
            f"{source.name}: the heading {theirs!r} says percent, and no number is above 1",
            hint="take the sign out of the heading, or write the numbers in percent",
            status=2,
        )


def _json(file: Path) -> tuple[pd.DataFrame, Callable[[int], int] | None]:
    text = _content(file).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ValueError("there is nothing in it")
    parsed: Any
    lines: list[int] = []
    if unpacked(file).suffix.lower() == ".json":
        parsed = json.loads(text, object_pairs_hook=_once)
    else:
        # A string of JSON may hold U+2028 and U+0085, which `splitlines` would break at.
        filled = {n: line for n, line in enumerate(text.split("\n"), 1) if line.strip()}
        lines, parsed = [*filled], [_parsed(line, n) for n, line in filled.items()]
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


def _parsed(line: str, number: int) -> Any:  # noqa: ANN401  what a JSON file holds
    try:
        return json.loads(line, object_pairs_hook=_once)
    except ValueError as error:
        why = str(error).replace(": line 1 column", " at column")
        raise ValueError(f"line {number}: {why}; each line is an object of JSON") from error


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        ((twice, _),) = Counter(name for name, _ in members).most_common(1)
        raise ValueError(f"the key {twice!r} comes twice in {one_line(str(found))}")
    return found


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose index, where it has a name of its own, is a column; rows count from 0."""
    names = [n for n in frame.index.names if n is not None and n not in frame.columns]
    return frame.reset_index(names).reset_index(drop=True)


def _parquet(file: Path) -> pd.DataFrame:
    try:
        return with_index(pd.read_parquet(file))
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
    except (ValueError, csv.Error, RecursionError, BadGzipFile, EOFError, zlib.error) as error:
        # a ValueError of our own names the place in a file of the right kind
        kinds = "CSV files end in .csv, JSON in .json or .jsonl, Parquet in .parquet"
        raise ArenaError(
            "score.unreadable",
            f"{file} cannot be read: {error}",
            hint="" if type(error) is ValueError else kinds,
            status=2,
        ) from error
