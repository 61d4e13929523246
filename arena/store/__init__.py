"""The tape, the journal and their caches, in SQLite."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from arena.errors import ArenaError
from arena.store.journal.books import SqliteBooks
from arena.store.journal.entries import SqliteJournal
from arena.store.lease import Lease
from arena.store.pages.turns import SqliteConduct
from arena.store.scores.board import SqliteBoards
from arena.store.sqlite import BUSY_SECONDS, Connection, locked
from arena.store.tape.payloads import SqlitePayloads
from arena.store.tape.sqlite_tape import SqliteTape


@dataclass(frozen=True, slots=True)
class Store:
    """One arena's file: what the world said, what we did, and what the books say now."""

    db: Connection
    tape: SqliteTape
    journal: SqliteJournal
    books: SqliteBooks
    boards: SqliteBoards
    conduct: SqliteConduct
    payloads: SqlitePayloads

    def write(self) -> AbstractContextManager[None]:
        """Do everything inside in one transaction, or nothing."""
        return self.db.write()


@contextmanager
def open_store(
    path: PurePath | None, *, busy: float = BUSY_SECONDS, lease: Lease | None = None
) -> Iterator[Store]:
    """Open an arena's file, or one in memory where `path` is None, and close it after.

    With a `lease` what is written ends when another process takes that over.

    Raises:
        ArenaError: The file cannot be opened, is locked, or is not an arena's.
    """
    db = Connection(path, busy=busy)
    db.lease = lease
    try:
        yield Store(
            db,
            SqliteTape(db),
            SqliteJournal(db),
            SqliteBooks(db),
            SqliteBoards(db),
            SqliteConduct(db),
            SqlitePayloads(db),
        )
    finally:
        db.close()


MAKERS: Final = "`arena tick` makes it, `arena init` a new arena, `arena demo` one to look at"


@contextmanager
def existing_store(file: Path, *, hint: str = MAKERS) -> Iterator[Store]:
    """Open an arena's file that is there already.

    Args:
        file: The file.
        hint: What to do where there is none.

    Raises:
        ArenaError: There is none yet, or it cannot be read: also inside of the block.
    """
    if not file.is_file():
        raise ArenaError("store.none", f"there is no database at {file}", hint=hint, status=2)
    with open_store(file) as store, store.db.in_words():
        yield store


__all__ = ["MAKERS", "Store", "existing_store", "locked", "open_store"]
