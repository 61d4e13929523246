"""Tables as Parquet files, written and read: the door to DuckDB."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from glob import escape
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError

AT_ONCE: Final = 50_000  # rows in memory as Python has them
WRITTEN: Final = "read_parquet(?, hive_partitioning = false)"


class ParquetType(StrEnum):
    """What a column holds, as the type that it has in the file; amounts come as millionths."""

    TEXT = "VARCHAR"
    PRICE = "DECIMAL(9,6)"
    DOLLARS = "DECIMAL(24,6)"
    MOMENT = "TIMESTAMP WITH TIME ZONE"  # always in UTC; comes as ISO 8601 text
    FLAG = "BOOLEAN"
    COUNT = "BIGINT"
    NUMBER = "DOUBLE"
    BYTES = "BLOB"


def parquet_columns(listed: str) -> tuple[tuple[str, ParquetType], ...]:
    """Read a list of names, each with what it holds, such as `seen_at moment, bid price`."""
    pairs = (column.split() for column in listed.split(","))
    return tuple((name, ParquetType[kind.upper()]) for name, kind in pairs)


def has_parquet() -> bool:
    """Whether DuckDB is installed."""
    return find_spec("duckdb") is not None


_EXACT = (ParquetType.PRICE, ParquetType.DOLLARS)


def write_parquet(
    file: Path,
    columns: Sequence[tuple[str, ParquetType]],
    rows: Iterable[Sequence[object]],
    *,
    even_empty: bool = False,
) -> int:
    """Write rows as one Parquet file, in the place of an older one of that name.

    What is missing in a row is None, in a column of numbers too.

    It is read back before it takes its place, and compared row by row: what stands there
    is whole. Without a row nothing is written, unless it shall be `even_empty`.

    Returns:
        How many rows were written.

    Raises:
        ArenaError: DuckDB is not installed, or the file is not what was written.
        OSError: The file cannot be written.
    """
    with scratch() as db:
        from duckdb import IOException  # noqa: PLC0415  an extra

        held = ", ".join(f'"{name}" {kind.value}' for name, kind in columns)
        db.execute(f"CREATE TEMP TABLE rows ({held})")
        count = sum(_add(db, columns, batch) for batch in _batches(rows))
        if not count and not even_empty:
            return 0
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.part")
        try:
            db.table("rows").write_parquet(str(part), compression="zstd")
            _compare(db, part)
            os.replace(part, file)  # noqa: PTH105  Path.replace does the same, less plainly
        except IOException as error:
            if "No space left" in str(error):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file)) from error
            raise OSError(str(error)) from error
        finally:
            part.unlink(missing_ok=True)
    return count


def read_parquet(
    files: Sequence[Path], columns: Sequence[tuple[str, ParquetType]]
) -> Iterator[tuple[Any, ...]]:
    """Read columns of Parquet files, file by file, as rows that `write_parquet` takes.

    Amounts come as millionths, moments as ISO 8601 text in UTC. No files have no rows.

    Raises:
        ArenaError: DuckDB is not installed, or a file is cut, damaged, or has other columns.
    """
    if not files:
        return
    shown = ", ".join(_plain(name, kind) for name, kind in columns)
    with scratch() as db:
        from duckdb import Error  # noqa: PLC0415  an extra

        try:
            sql = f"SELECT {shown} FROM read_parquet(?)"  # noqa: S608  # our own names
            db.execute(sql, [[escape(str(file)) for file in files]])
            while batch := db.fetchmany(AT_ONCE):
                yield from batch
        except Error as error:
            raise ArenaError(
                "tape.parquet",
                f"{files[0].parent.parent}: its files cannot be read: "
                f"{str(error).partition(chr(10))[0]}",
                hint="write them again: `arena tape export`",
            ) from error


def _plain(name: str, kind: ParquetType) -> str:
    """Give a column as Python has it, the other way round from `_read`."""
    if kind in _EXACT:
        return f'CAST(CAST("{name}" AS DECIMAL(24,6)) * 1000000 AS BIGINT)'
    if kind is ParquetType.MOMENT:
        utc = f"""(CAST("{name}" AS {kind.value}) AT TIME ZONE 'UTC')"""
        whole = f"strftime({utc}, '%Y-%m-%dT%H:%M:%S')"
        return f"{whole} || replace(strftime({utc}, '.%f'), '.000000', '') || '+00:00'"
    return f'CAST("{name}" AS {kind.value})'


def _batches(rows: Iterable[Sequence[object]]) -> Iterator[list[Sequence[object]]]:
    waiting = iter(rows)
    while batch := list(islice(waiting, AT_ONCE)):
        yield batch


def _add(
    db: Any,  # noqa: ANN401  # DuckDB's connection
    columns: Sequence[tuple[str, ParquetType]],
    batch: Sequence[Sequence[object]],
) -> int:
    names = ", ".join(f'unnest(?) AS "{name}"' for name, _ in columns)
    read = ", ".join(_read(name, kind) for name, kind in columns)
    values = [list(column) for column in zip(*batch, strict=True)]
    db.execute(f"INSERT INTO rows SELECT {read} FROM (SELECT {names})", values)  # noqa: S608  # ours
    return len(batch)


def _read(name: str, kind: ParquetType) -> str:
    """Read a column of a batch; one that is empty in all of it has no type yet."""
    if kind in _EXACT:
        return f'CAST(CAST("{name}" AS DECIMAL(20,0)) * 0.000001 AS {kind.value})'
    return f'CAST("{name}" AS {kind.value})'


def _compare(db: Any, part: Path) -> None:  # noqa: ANN401
    """Compare each row that was written with the one that stands in its place in the file."""
    made, read = "SELECT made FROM rows made", f"SELECT read FROM {WRITTEN} read"  # noqa: S608
    both = f"({made}) POSITIONAL JOIN ({read})"
    sql = f"SELECT count(*) FROM {both} WHERE made IS DISTINCT FROM read"  # noqa: S608
    (differ,) = db.execute(sql, [escape(str(part))]).fetchone()
    if differ:
        raise ArenaError(
            "tape.export",
            f"{part}: {differ} rows are not as they were written",
            hint="check the disk and run the same command again; older files still stand",
        )


@cache
def _database(process: int) -> Any:  # noqa: ANN401, ARG001  # DuckDB's
    """A database in memory: to open one takes longer than to write a small file.

    A fork opens its own, and never closes that of its parent.
    """
    import duckdb  # noqa: PLC0415  an extra

    return duckdb.connect(":memory:", config={"temp_directory": ""})


@contextmanager
def scratch() -> Iterator[Any]:
    """A connection whose tables, if they are temporary, are its own and end with it."""
    try:
        database = _database(os.getpid())
    except ImportError as error:
        raise ArenaError(
            "tape.duckdb",
            "Parquet needs DuckDB",
            hint="pip install 'paper-arena[duckdb]'",
            status=2,
        ) from error
    with database.cursor() as db:
        db.execute("SET TimeZone = 'UTC'")
        yield db


def read_parquet_columns(
    files: Sequence[Path], columns: Sequence[str]
) -> Mapping[str, NDArray[np.generic]]:
    """Read columns of Parquet files, one file after the other, in the order of their rows.

    Moments are in UTC without a zone, NaT where there is none; numbers are NaN then. No file
    gives empty columns.

    Raises:
        ArenaError: DuckDB is not installed, or a file cannot be read.
    """
    if not files:
        return {name: np.zeros(0, np.float64) for name in columns}
    with scratch() as db:
        import duckdb  # noqa: PLC0415  an extra

        try:
            table = db.read_parquet([escape(str(file)) for file in files])
            arrays = table.project(", ".join(f'"{name}"' for name in columns)).fetchnumpy()
        except duckdb.Error as error:
            raise ArenaError(
                "sweep.file",
                f"{files[0].parent}: a file cannot be read",
                hint="delete it, and run the same command again",
            ) from error
    return {name: _filled(arrays[name]) for name in columns}


def _filled(column: NDArray[Any]) -> NDArray[Any]:
    """A column of DuckDB's with what is missing as NaN, NaT or None, not masked."""
    missing = np.ma.getmaskarray(column)
    if not missing.any():
        return np.asarray(column)
    values = np.asarray(column)
    if column.dtype.kind == "M":
        return np.where(missing, np.datetime64("NaT", "us"), values)
    if column.dtype.kind in "iuf":
        return np.where(missing, np.nan, values)
    return np.where(missing, np.full(len(values), None), values)
