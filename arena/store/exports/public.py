"""Copies of an arena's file: without texts, as public tables, and one that is mended."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Final

from arena.errors import ArenaError
from arena.records.report import Rebuilt
from arena.store import Store, open_store
from arena.store.exports.datasets import UNITS, ColumnKind, Dataset
from arena.store.journal.packed import rebuild
from arena.store.migrations import CACHES, TRUTHS
from arena.store.sqlite import PUBLIC_COPY, Connection, read_only

# Prompts, replies, what venues' servers sent, and what was said to them.
LEFT_OUT: Final = frozenset({"tape_blobs", "tape_volumes", "tape_bodies", "tape_payloads"})
READ_BY_ALL: Final = 0o644
# What SQLite makes of a column. A decimal becomes a number where that loses nothing.
_TYPES: Final = {
    **dict.fromkeys((ColumnKind.TEXT, ColumnKind.MOMENT), "TEXT"),
    **dict.fromkeys((ColumnKind.FLAG, ColumnKind.COUNT), "INTEGER"),
    **dict.fromkeys((ColumnKind.NUMBER, ColumnKind.PROBABILITY), "REAL"),
    **dict.fromkeys(UNITS, "NUMERIC"),
}
KEPT: Final = tuple(name for name in (*TRUTHS, *CACHES) if name not in LEFT_OUT)


def copy_public(db: Connection, file: Path) -> int:
    """Copy an arena's file without prompts, replies and answers of servers.

    It is written whole or not at all, in the place of an older one. The arena's commands read
    it as they read their own; `arena audit` knows what is left out of it.

    Returns:
        How many rows there are in it.

    Raises:
        ArenaError: The file is the arena's own, or the arena's is in memory.
    """
    with _copied(db, file, KEPT) as copy:
        copy.run(f"PRAGMA application_id = {PUBLIC_COPY}")
        rows = sum(int(copy.value(f"SELECT count(*) FROM {name}")) for name in KEPT)  # noqa: S608
    file.chmod(READ_BY_ALL)
    return rows


def write_tables(db: Connection, file: Path, datasets: Sequence[Dataset]) -> int:
    """Write tables into a new SQLite file with their keys and what they point to.

    It needs nothing of the arena's to be read, and takes the place of an older one.

    Returns:
        How many rows there are in it.
    """
    with _draft(file) as part, closing(sqlite3.connect(part)) as raw:
        rows = sum(_written(raw, db, dataset) for dataset in datasets)
        raw.commit()
    file.chmod(READ_BY_ALL)
    return rows


def _written(raw: sqlite3.Connection, db: Connection, dataset: Dataset) -> int:
    columns = [f'"{column.name}" {_TYPES[column.kind]}' for column in dataset.columns]
    keys = [
        f'FOREIGN KEY ("{name}") REFERENCES {other} ("{name}")'
        for name, other in dataset.references.items()
    ]
    columns += [f"PRIMARY KEY ({', '.join(dataset.key)})", *keys]
    raw.execute(f"CREATE TABLE {dataset.name} ({', '.join(columns)}) WITHOUT ROWID")
    marks = ", ".join("?" * len(dataset.columns))
    sql = f"INSERT INTO {dataset.name} VALUES ({marks})"  # noqa: S608  our own names
    count = 0
    for count, row in enumerate(dataset.rows(db), 1):  # noqa: B007  the last is the answer
        raw.execute(sql, [_bound(cell) for cell in row])
    return count


def _bound(cell: object) -> object:
    """A decimal as the nearest number, if that has all its digits, else as text."""
    if not isinstance(cell, Decimal):
        return cell
    number = float(cell)  # SQLite's own reading of a text may be one place off
    return number if Decimal(repr(number)) == cell else str(cell)


def rescue(db: Connection, file: Path) -> Rebuilt:
    """Copy the journal and the tape into a new file, and make the caches anew in it.

    So a file comes back of which only caches are damaged.

    Raises:
        ArenaError: The journal or the tape is damaged too, the file is there already, or the
            arena's is in memory.
    """
    if file.exists():
        hint = "name one that is not there"
        raise ArenaError("store.there", f"{file} is there already", hint=hint, status=2)
    with _copied(db, file, TRUTHS) as copy:
        return rebuild(copy)


@contextmanager
def _copied(db: Connection, file: Path, names: Sequence[str]) -> Iterator[Connection]:
    """A new file with these tables of another, which gets its name when all is done."""
    if db.path is None:
        raise ArenaError("export.memory", "an arena in memory has no file to copy", status=2)
    if file.resolve() == Path(db.path).resolve():
        raise ArenaError("export.itself", f"{file} is the arena's own file", status=2)
    with _draft(file) as part, closing(Connection(part)) as copy, copy.in_words():
        _fill(copy, Path(db.path), names)
        yield copy
        copy.raw.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _draft(file: Path) -> Iterator[Path]:
    """A place for what gets the name of a file when all is done; a failure leaves nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        yield part
        part.replace(file)
    finally:
        for left in (part, Path(f"{part}-wal"), Path(f"{part}-shm")):
            left.unlink(missing_ok=True)


def _fill(copy: Connection, source: Path, names: Sequence[str]) -> None:
    copy.raw.execute("PRAGMA foreign_keys = OFF")
    copy.raw.execute("ATTACH ? AS source", (str(source),))
    with copy.write():
        # the first row of a seat makes one of the totals: those come last, as they are
        for name in sorted(names, key=lambda name: name == "totals"):
            columns = [row["name"] for row in copy.rows(f"PRAGMA table_info({name})")]
            listed = ", ".join(columns)
            copy.run(f"DELETE FROM {name}")  # noqa: S608  our own names
            copy.run(
                f"INSERT INTO {name} ({listed}) "  # noqa: S608
                f"SELECT {listed} FROM source.{name}"
            )
    copy.raw.execute("DETACH source")


@contextmanager
def copied(path: PurePath) -> Iterator[Store]:
    """Open a copy of an arena's file, which is gone afterwards; an empty one if there is none.

    The copy is as large as the file and stands in TMPDIR; the file itself is only read.

    Raises:
        ArenaError: The file cannot be read, or is not an arena's.
    """
    with TemporaryDirectory() as folder, open_store(Path(folder) / "copy.db") as copy:
        if Path(path).is_file():
            with read_only(path) as raw:
                raw.backup(copy.db.raw)
            copy.db.migrate()
        yield copy
