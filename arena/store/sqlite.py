"""The door to SQLite: connections, transactions, and its failures in words."""

import errno
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import cache, partial
from pathlib import Path, PurePath
from typing import Any

from arena.errors import ArenaError
from arena.store.codec import Record, read_row
from arena.store.journal.pieces import fold_all, register
from arena.store.lease import HeldError, Lease, leased, overdue_holder
from arena.store.migrations import STEPS, migrations

BUSY_SECONDS = 10.0
CACHED = 9  # steps, of which each lets the caches be made anew
_WRITES = frozenset({"INSERT", "UPDATE", "DELETE"})
PRIVATE = 0o600  # prompts, replies and what is handed in are in it
SOON_CHECKED = 256_000_000  # bytes
PUBLIC_COPY = 0x50415043  # SQLite's application_id of a copy without texts

Row = sqlite3.Row


class Connection:
    """One open database, at the newest schema. It belongs to one thread.

    With a `lease` it writes only as long as no other process has taken that over.
    """

    def __init__(self, path: PurePath | None, *, busy: float = BUSY_SECONDS) -> None:
        """Open a file, or a database in memory where `path` is None.

        Raises:
            ArenaError: The file cannot be opened, is locked, or is not an arena's.
        """
        self.path = path
        self.lease: Lease | None = None
        self.numbers: dict[str, int] = {}  # of `names`, as far as they were asked for
        self._failures: list[ArenaError] = []  # of our functions, which SQLite forgets
        self._seen = 0  # the state of the file when they were
        with self.in_words():
            self.raw = _connect(path, busy)
            self.raw.row_factory = sqlite3.Row
            register(self.raw)
            self.raw.create_function("words_of", 1, self._words_of)
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
        if lacking := sorted(_schema_of_steps() - _schema_of(self.raw)):
            kind, name, _ = lacking[0]
            raise ArenaError(
                "store.schema",
                f"{self.path}: the {kind} {name} is not what the steps of its schema make, or "
                f"is not there ({len(lacking)} of that kind)",
                hint="nothing was done; put back a copy from before it was changed by hand",
            )

    @property
    def is_public_copy(self) -> bool:
        """Whether the file says of itself that it is a copy without texts."""
        return bool(self.value("PRAGMA application_id") == PUBLIC_COPY)

    def migrate(self) -> None:
        """Take the steps of the schema that the file lacks."""
        if version_of(self.raw) < len(STEPS):
            self.raw.execute("BEGIN IMMEDIATE")  # two first openings: one of them waits
            had = version_of(self.raw)
            take_steps = _apply_migrations if had else _make_new
            take_steps(self.raw)
            if 0 < had < CACHED:
                from arena.store.journal.packed import rebuild  # noqa: PLC0415  it reads through us

                rebuild(self)
                fold_all(self.raw)
            self.raw.execute("COMMIT")

    @contextmanager
    def write(self) -> Iterator[None]:
        """Do everything inside in one transaction, or nothing; inner uses join the outer one.

        Raises:
            ArenaError: The database is locked by another process, the disk is full, or another
            process has taken over (`lease.lost`).
        """
        if self.raw.in_transaction:
            yield
            return
        with self.in_words():
            self.raw.execute("BEGIN IMMEDIATE")
            try:
                self._forget_numbers()
                if self.lease:
                    self.lease.beat()
                yield
                self.raw.execute("COMMIT")
            finally:
                if self.raw.in_transaction:
                    self.raw.execute("ROLLBACK")
                    self.numbers.clear()

    def _forget_numbers(self) -> None:
        """Forget the numbers of names if another connection has written since."""
        (state,) = self.raw.execute("PRAGMA data_version").fetchone()
        if state != self._seen:
            self.numbers.clear()
            self._seen = state

    def run(self, sql: str, *values: object) -> sqlite3.Cursor:
        """Execute one statement; one that writes is a transaction where there is none yet."""
        if not self.raw.in_transaction and sql.lstrip()[:6].upper() in _WRITES:
            with self.write():
                return self.raw.execute(sql, values)
        try:
            return self.raw.execute(sql, values)
        except sqlite3.DatabaseError as error:
            raise _explain(error, self.path) from error

    def many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Write many rows, all or none; without a row nothing is begun."""
        if batch := list(rows):
            with self.write():
                self.raw.executemany(sql, batch)

    def rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """Read every row of a query."""
        with self.in_words():
            return self.raw.execute(sql, values).fetchall()

    def records(self, kind: type[Record], sql: str, *values: object) -> list[Record]:
        """Read every row of a query as a record, as `read_row` does."""
        return [read_row(kind, row) for row in self.rows(sql, *values)]

    def record(self, kind: type[Record], sql: str, *values: object) -> Record | None:
        """Read the first row of a query as a record, or None."""
        row = self.row(sql, *values)
        return None if row is None else read_row(kind, row)

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
            first_row: sqlite3.Row | None = self.raw.execute(sql, values).fetchone()
        return first_row

    def value(self, sql: str, *values: object) -> Any:  # noqa: ANN401  # whatever SQL says
        """Read the one value of a query, or None where it has no row."""
        first_row = self.row(sql, *values)
        return None if first_row is None else first_row[0]

    def make_last(self) -> None:
        """Wait until what was written is on the disk, so that no power cut takes it back."""
        if self.path is not None:
            with suppress(FileNotFoundError), Path(f"{self.path}-wal").open("rb") as log:
                os.fsync(log.fileno())

    def refuse_damaged(self) -> None:
        """Make sure that every page of the file can be read, where that takes a second at most.

        Raises:
            ArenaError: One cannot (`store.damaged`).
        """
        if self.path and Path(self.path).stat().st_size <= SOON_CHECKED:
            with self.in_words():
                if self.raw.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                    raise _trouble("store.damaged", self.path)

    def close(self) -> None:
        """Close the file."""
        self.raw.close()

    def in_words(self) -> AbstractContextManager[None]:
        """Turn a failure of the file or the disk into one that a person can act on."""
        return _in_words(self.path, self._failures)

    def _words_of(self, digest: str) -> str | None:
        """A text by its digest, for statements."""
        from arena.store.tape.payloads import words  # noqa: PLC0415  it reads through us

        try:
            return words(self, digest)
        except ArenaError as error:
            self._failures.append(error)
            raise


@cache
def _schema_of_steps() -> frozenset[tuple[str, str, str]]:
    """What the file of a new arena is made of."""
    with closing(sqlite3.connect(":memory:")) as raw:
        register(raw)
        for step in STEPS:
            step(raw)
        return _schema_of(raw)


def _schema_of(raw: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """Tables with their columns, indexes and triggers."""
    return frozenset(
        (str(row[0]), str(row[1]), str(row[2] or "")) for row in raw.execute(_MADE_OF)
    )


@contextmanager
def read_only(path: PurePath) -> Iterator[sqlite3.Connection]:
    """Open an arena's file as it is: nothing of it is changed, and its schema not migrated.

    Raises:
        ArenaError: The file is not there, cannot be read, or is not an arena's.
    """
    with _in_words(path):
        uri = f"{Path(path).resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as raw:
            register(raw)
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


def _apply_migrations(raw: sqlite3.Connection) -> None:
    """Take the steps that are lacking, without data frames: a third of a second and 40 MB."""
    hidden = "pandas" not in sys.modules
    if hidden:
        sys.modules["pandas"] = None  # type: ignore[assignment]  # as if it were not there
    try:
        from sqlite_utils import Database  # noqa: PLC0415  an older file alone needs it
    finally:
        if hidden:
            del sys.modules["pandas"]
    migrations().apply(Database(raw))


def _make_new(raw: sqlite3.Connection) -> None:
    """Make the tables of a new file as they are after the last step."""
    statements, taken = _new_arena()
    for statement in statements:
        raw.execute(statement)
    raw.executemany("INSERT INTO _sqlite_migrations VALUES (?, ?, ?, ?)", taken)


@cache
def _new_arena() -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """What makes the tables of a new file, and the steps that it has then taken."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as raw:
        register(raw)
        _apply_migrations(raw)
        made = raw.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        statements = tuple(str(sql) for (sql,) in made)
        return statements, raw.execute("SELECT * FROM _sqlite_migrations").fetchall()


# A file that other programs keep their tables in is none of ours to add to.
_FOREIGN = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table')
    AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'journal_entries')
"""


_MADE_OF = """
SELECT type, name, (SELECT group_concat(name) FROM pragma_table_info(made.name))
FROM sqlite_schema AS made WHERE sql IS NOT NULL
"""


def _connect(path: PurePath | None, busy: float) -> sqlite3.Connection:
    if path is not None:
        _make_room(Path(path))
        with suppress(OSError):  # it is there; or it cannot be made, and SQLite says why
            Path(path).touch(PRIVATE, exist_ok=False)
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
def _in_words(
    path: PurePath | None, failures: list[ArenaError] | None = None
) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise failures.pop() if failures else _explain(error, path) from error


def _explain(error: sqlite3.DatabaseError, path: PurePath | None) -> Exception:
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return error
    message = str(error).lower()
    trouble_code = next((code for word, code in _CODES.items() if word in message), None)
    return _trouble(trouble_code, path) if trouble_code else error


def _trouble(code: str, path: PurePath | None) -> ArenaError:
    what, hint = _TROUBLES[code]
    return ArenaError(code, f"{path or 'the database in memory'} {what}", hint=hint)


_CODES = {
    "locked": "store.locked",
    "full": "store.full",
    "disk i/o": "store.io",
    "readonly": "store.readonly",
    "unable to open": "store.open",
    "not a database": "store.foreign",
    "user-defined": "store.damaged",  # a function of ours met what it cannot read
    "malformed": "store.damaged",
}
_TROUBLES = {
    "store.locked": (
        "is locked by another process",
        "wait for it to finish, or stop it; nothing was written",
    ),
    "store.full": (
        "cannot grow: the disk is full",
        "free some space and run the same command again; nothing was lost",
    ),
    "store.io": (
        "cannot be read or written: the disk failed",
        "check the disk and its free space, then run the same command again",
    ),
    "store.readonly": ("may not be written to", "give this user the right to write there"),
    "store.open": ("cannot be opened", "check that the folder exists and may be written to"),
    "store.foreign": (
        "is not an arena's database",
        "choose another file with paths.database in config.yaml",
    ),
    "store.damaged": (
        "is damaged",
        "`arena audit` says which tables are damaged, and what brings each of them back",
    ),
}


@contextmanager
def locked(path: PurePath, *, wait: float = BUSY_SECONDS) -> Iterator[Lease]:
    """Be the only process that ticks this arena; readers go on undisturbed.

    The right is kept in a small file beside the database. It ends with its process, and is
    taken over from one that has given no sign for long, unless that is in the middle of a
    write. What is written under the lease is written by nobody else.

    Raises:
        ArenaError: Another process holds it (`tick.busy`), or hangs in a write (`tick.hung`).
    """
    beside = tick_file(path)
    _make_room(beside)
    with ExitStack() as until_done:
        try:
            lease = until_done.enter_context(
                leased(beside, wait=wait, quiet=partial(_quiet, path, wait))
            )
        except HeldError as error:
            raise ArenaError(
                "tick.busy",
                f"another process is ticking {path} ({error})",
                hint="wait until it is done; `arena status` shows what it did",
            ) from error
        except OSError as error:
            code = (
                "store.full"
                if error.errno in {errno.ENOSPC, errno.EDQUOT}
                else "store.readonly"
            )
            raise _trouble(code, path) from error
        except ArenaError as error:
            if error.code != "store.locked":
                raise
            raise ArenaError(
                "tick.hung",
                f"{overdue_holder(beside)}: it hangs in the middle of a write to {path}",
                hint="end that process (`kill -9`), then run the same command again",
            ) from error
        yield lease


def tick_file(path: PurePath) -> Path:
    """Where it stands who ticks an arena."""
    return Path(f"{path}-tick")


@contextmanager
def _quiet(path: PurePath, wait: float) -> Iterator[None]:
    """Hold off all writes to an arena's file, if there is one."""
    if not Path(path).exists():
        yield
        return
    with _in_words(path), closing(_connect(path, wait)) as raw:
        raw.execute("BEGIN IMMEDIATE")
        yield
        raw.execute("ROLLBACK")
