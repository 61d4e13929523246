"""The door to SQLite: connections, transactions, and its failures in words."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path, PurePath
from typing import Any

from arena.errors import ArenaError
from arena.store.schema import STEPS, migrations

BUSY_SECONDS = 10.0
PACKED = 6  # steps, from which on the journal is packed as it grows

Row = sqlite3.Row


class Connection:
    """One open database, at the newest schema. It belongs to one thread."""

    def __init__(self, path: PurePath | None, *, busy: float = BUSY_SECONDS) -> None:
        """Open a file, or a database in memory where `path` is None.

        Raises:
            ArenaError: The file cannot be opened, is locked, or is not an arena's.
        """
        self.path = path
        self._depth = 0
        with self.in_words():
            self.raw = _connect(path, busy)
            self.raw.row_factory = sqlite3.Row
            with ExitStack() as unless_ready:
                unless_ready.callback(self.raw.close)
                self._prepare()
                unless_ready.pop_all()

    def _prepare(self) -> None:
        if self.raw.execute(_FOREIGN).fetchone():
            raise _trouble("store.foreign", self.path)
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "temp_store = MEMORY",
        ):
            self.raw.execute(f"PRAGMA {pragma}")
        self.migrate()

    def migrate(self) -> None:
        """Take the steps of the schema that the file lacks."""
        if version_of(self.raw) < len(STEPS):
            with _without_pandas():
                from sqlite_utils import Database  # noqa: PLC0415  a new file alone needs it

            self.raw.execute("BEGIN IMMEDIATE")  # two first openings: one of them waits
            had = version_of(self.raw)
            migrations().apply(Database(self.raw))
            if had < PACKED:
                from arena.store.packed import pack_all  # noqa: PLC0415  it reads through us

                pack_all(self)
            self.raw.execute("COMMIT")

    @contextmanager
    def write(self) -> Iterator[None]:
        """Do everything inside in one transaction, or nothing; inner uses join the outer one.

        Raises:
            ArenaError: The database is locked by another process, or the disk is full.
        """
        if self._depth:
            yield
            return
        with self.in_words():
            self.raw.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield
                self.raw.execute("COMMIT")
            finally:
                self._depth = 0
                if self.raw.in_transaction:
                    self.raw.execute("ROLLBACK")

    def run(self, sql: str, *values: object) -> sqlite3.Cursor:
        """Execute one statement."""
        try:
            return self.raw.execute(sql, values)
        except sqlite3.DatabaseError as error:
            raise _explain(error, self.path) from error

    def rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """Read every row of a query."""
        with self.in_words():
            return self.raw.execute(sql, values).fetchall()

    def columns(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Read a query column by column, for many rows; its columns are empty without a row."""
        with self.in_words():
            cursor = self.raw.cursor()
            cursor.row_factory = None
            rows = cursor.execute(sql, values).fetchall()
            return list(zip(*rows, strict=True)) or [() for _ in cursor.description]

    def row(self, sql: str, *values: object) -> sqlite3.Row | None:
        """Read the first row of a query, or None."""
        with self.in_words():
            found: sqlite3.Row | None = self.raw.execute(sql, values).fetchone()
        return found

    def value(self, sql: str, *values: object) -> Any:  # noqa: ANN401  # whatever SQL says
        """Read the one value of a query, or None where it has no row."""
        found = self.row(sql, *values)
        return None if found is None else found[0]

    def close(self) -> None:
        """Close the file."""
        self.raw.close()

    def in_words(self) -> AbstractContextManager[None]:
        """Turn a failure of the file or the disk into one that a person can act on."""
        return _in_words(self.path)


@contextmanager
def read_only(path: PurePath) -> Iterator[sqlite3.Connection]:
    """Open an arena's file as it is: nothing of it is changed, and its schema not migrated.

    Raises:
        ArenaError: The file is not there, cannot be read, or is not an arena's.
    """
    with _in_words(path):
        uri = f"{Path(path).resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as raw:
            if raw.execute(_FOREIGN).fetchone():
                raise _trouble("store.foreign", path)
            yield raw


def version_of(raw: sqlite3.Connection) -> int:
    """How many steps of the schema a file has taken; all of them are `len(STEPS)`."""
    named = "SELECT 1 FROM sqlite_schema WHERE name = '_sqlite_migrations'"
    done = "SELECT count(*) FROM _sqlite_migrations WHERE migration_set = 'arena'"
    if not raw.execute(named).fetchone():
        return 0
    return int(raw.execute(done).fetchone()[0])


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Let sqlite-utils do without its data frames: they take a third of a second and 40 MB."""
    hidden = "pandas" not in sys.modules
    if hidden:
        sys.modules["pandas"] = None  # type: ignore[assignment]  # as if it were not there
    try:
        yield
    finally:
        if hidden:
            del sys.modules["pandas"]


# A file that other programs keep their tables in is none of ours to add to.
_FOREIGN = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table')
    AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'journal_entries')
"""


def _connect(path: PurePath | None, busy: float) -> sqlite3.Connection:
    if path is not None:
        _make_room(Path(path))
    return sqlite3.connect(
        str(path) if path else ":memory:", timeout=busy, isolation_level=None
    )


def _make_room(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArenaError(
            "store.folder",
            f"cannot make the folder of {path}: {error.strerror}",
            hint="choose another place, or give this user the right to write there",
        ) from error


@contextmanager
def _in_words(path: PurePath | None) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _explain(error, path) from error


def _explain(error: sqlite3.DatabaseError, path: PurePath | None) -> Exception:
    said = str(error).lower()
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return error
    found = next((code for word, code, *_ in _TROUBLES if word in said), None)
    return _trouble(found, path) if found else error


def _trouble(code: str, path: PurePath | None) -> ArenaError:
    _, _, what, hint = next(trouble for trouble in _TROUBLES if trouble[1] == code)
    return ArenaError(code, f"{path or 'the database in memory'} {what}", hint=hint)


_TROUBLES = (
    (
        "locked",
        "store.locked",
        "is locked by another process",
        "wait for it to finish, or stop it; nothing was written",
    ),
    (
        "full",
        "store.full",
        "cannot grow: the disk is full",
        "free some space and run the same command again; nothing was lost",
    ),
    (
        "disk i/o",
        "store.io",
        "cannot be read or written: the disk failed",
        "check the disk and its free space, then run the same command again",
    ),
    (
        "readonly",
        "store.readonly",
        "may not be written to",
        "give this user the right to write there",
    ),
    (
        "unable to open",
        "store.open",
        "cannot be opened",
        "check that the folder exists and may be written to",
    ),
    (
        "not a database",
        "store.foreign",
        "is not an arena's database",
        "choose another file with paths.database in config.yaml",
    ),
    (
        "malformed",
        "store.damaged",
        "is damaged",
        "restore a backup; `arena audit` tells what still holds",
    ),
)


@contextmanager
def locked(path: PurePath, *, wait: float = BUSY_SECONDS) -> Iterator[None]:
    """Be the only process that ticks this arena; the lock dies with its process.

    It is an exclusive transaction on a small file beside the database, so that readers of
    the arena go on undisturbed.

    Raises:
        ArenaError: Another process holds it (`tick.busy`).
    """
    beside = Path(f"{path}-tick")
    with _in_words(beside):
        guard = _connect(beside, wait)
        try:
            guard.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            guard.close()
            if "locked" not in str(error):
                raise
            raise ArenaError(
                "tick.busy",
                f"another process is ticking {path}",
                hint="wait until it is done; `arena status` shows what it did",
            ) from error
    try:
        yield
    finally:
        guard.execute("ROLLBACK")
        guard.close()
