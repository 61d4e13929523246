"""Public tables as files: CSV and JSON lines, with what each file is and its digest."""

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from hashlib import file_digest
from io import StringIO, TextIOWrapper
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TextIO

from arena.errors import ArenaError
from arena.sheets.parquet import ParquetType, read_parquet, write_parquet
from arena.site.engine.json_page import unarmed
from arena.site.sanitize import visible
from arena.store import Store
from arena.store.exports.datasets import DATASETS, Cell, Cells, ColumnKind, Dataset

SUMS: Final = "SHA256SUMS"
PARQUET: Final = ".parquet"
_PARQUET: Final = {
    ColumnKind.TEXT: ParquetType.TEXT,
    ColumnKind.MOMENT: ParquetType.MOMENT,
    ColumnKind.FLAG: ParquetType.FLAG,
    ColumnKind.COUNT: ParquetType.COUNT,
    ColumnKind.NUMBER: ParquetType.NUMBER,
    ColumnKind.PROBABILITY: ParquetType.NUMBER,
    ColumnKind.DOLLARS: ParquetType.DOLLARS,
    ColumnKind.SHARES: ParquetType.DOLLARS,
    ColumnKind.PRICE: ParquetType.PRICE,
}


class FileFormat(StrEnum):
    """How a table is written, by the end of its file's name."""

    CSV = "csv"
    CSV_PACKED = "csv.gz"
    JSON = "jsonl"
    JSON_PACKED = "jsonl.gz"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that was written: its name in its folder, rows, bytes and SHA-256."""

    dataset: str
    name: str
    rows: int
    size: int
    sha256: str


def write_dataset(
    dataset: Dataset, store: Store, folder: Path, form: FileFormat = FileFormat.CSV
) -> DataFile:
    """Write a table as `<folder>/<name>.<form>`, row by row, in the place of an older one.

    Amounts are exact text, what is missing is empty in CSV and null in JSON. Text that a
    spreadsheet would take for a formula gets an apostrophe before it and hidden characters
    are named, in CSV only. The same rows give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{dataset.name}.{form}"
    part = file.with_name(f".{file.name}.part")
    try:
        with _opened(part, packed=form.endswith(".gz")) as text:
            write = _csv if form.startswith("csv") else _json
            rows = write(dataset, dataset.rows(store.db), text)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return noted(dataset.name, file, rows)


def text_of(dataset: Dataset, store: Store, cohort: str | None = None) -> tuple[str, int]:
    """A table as CSV, whole or of one cohort, and how many rows it has."""
    text = StringIO(newline="")
    rows = _csv(dataset, dataset.rows(store.db, cohort), text)
    return text.getvalue(), rows


def write_parquet_dataset(dataset: Dataset, store: Store, folder: Path) -> DataFile | None:
    """Write a table as `<folder>/<name>.parquet`; None without a row.

    Raises:
        ArenaError: DuckDB is not installed.
    """
    file = folder / f"{dataset.name}.parquet"
    count = write_parquet(file, _parquet_columns(dataset), _parquet_rows(dataset, store))
    if count:
        return noted(dataset.name, file, count)
    file.unlink(missing_ok=True)
    return None


def parquet_of(dataset: Dataset, store: Store, cohort: str) -> bytes:
    """A cohort's rows as the bytes of a Parquet file, also of no row."""
    with TemporaryDirectory() as scratch:
        file = Path(scratch) / f"table{PARQUET}"
        rows = _parquet_rows(dataset, store, cohort)
        write_parquet(file, _parquet_columns(dataset), rows, even_empty=True)
        return file.read_bytes()


def is_same_table(path: str, one: bytes, other: bytes) -> bool:
    """Whether two Parquet files of a table have the same rows; DuckDB's versions write others.

    Args:
        path: Where the file stands, under the table's name.
        one: The bytes of a file that anybody wrote.
        other: The bytes of a file that this program wrote.
    """
    (dataset,) = (table for table in DATASETS if table.name == Path(path).stem)
    with TemporaryDirectory() as scratch:
        files = [Path(scratch) / name for name in ("one", "other")]
        for file, content in zip(files, (one, other), strict=True):
            file.write_bytes(content)
        try:
            first, second = (read_parquet([file], _parquet_columns(dataset)) for file in files)
            return all(a == b for a, b in zip_longest(first, second))
        except ArenaError:
            return False


def _parquet_columns(dataset: Dataset) -> Sequence[tuple[str, ParquetType]]:
    return [(column.name, _PARQUET[column.kind]) for column in dataset.columns]


def _parquet_rows(
    dataset: Dataset, store: Store, cohort: str | None = None
) -> Iterator[Sequence[object]]:
    for row in dataset.rows(store.db, cohort):
        yield [int(cell.scaleb(6)) if isinstance(cell, Decimal) else cell for cell in row]


def noted(dataset: str, file: Path, rows: int) -> DataFile:
    """Weigh a file that was written, and take its digest."""
    with file.open("rb") as held:
        digest = file_digest(held, "sha256").hexdigest()
    return DataFile(dataset, file.name, rows, file.stat().st_size, digest)


def sums_of(files: Sequence[DataFile]) -> str:
    """The digests of files as `sha256sum --check` reads them, by name."""
    return "".join(f"{file.sha256}  {file.name}\n" for file in sorted(files, key=_named))


def _named(file: DataFile) -> str:
    return file.name


@contextmanager
def _opened(file: Path, *, packed: bool) -> Iterator[TextIO]:
    if not packed:
        with file.open("w", encoding="utf-8", newline="") as text:
            yield text
        return
    with (
        file.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packing,
        TextIOWrapper(packing, encoding="utf-8", newline="") as text,
    ):
        yield text


Rows = Iterator[Cells]


def _csv(dataset: Dataset, rows: Rows, text: TextIO) -> int:
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(dataset.names)
    return _count(rows, lambda row: writer.writerow([_field(cell) for cell in row]))


def _json(dataset: Dataset, rows: Rows, text: TextIO) -> int:
    def write(row: Cells) -> None:
        record = dict(zip(dataset.names, map(_plain, row), strict=True))
        text.write(json.dumps(record, allow_nan=False) + "\n")

    return _count(rows, write)


def _count(rows: Rows, write: Callable[[Cells], object]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  the last number is the answer
        write(row)
    return count


def _field(cell: Cell) -> object:
    return unarmed(visible(cell)) if isinstance(cell, str) else _plain(cell)


def _plain(cell: Cell) -> str | int | float | None:
    return f"{cell.normalize():f}" if isinstance(cell, Decimal) else cell
