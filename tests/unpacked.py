"""An arena's file as somebody sees it who changes it behind the arena's back."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from arena.store.journal.pieces import lines_of, register


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection that knows the functions of our views."""
    with closing(sqlite3.connect(file)) as db:
        register(db)
        yield db


def change(file: Path, script: str) -> None:
    """Run a script on a file whose journal lies entry by entry in `journal_lines`."""
    with opened(file) as db:
        unpack(db)
        db.executescript(script)


def unpack(db: sqlite3.Connection) -> None:
    """Take the journal out of its pieces, if the file has any."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'journal_pieces'").fetchone():
        return
    lines = [(seq, *line) for seq, line in lines_of(db)]
    db.execute("DELETE FROM journal_pieces")
    db.executemany("INSERT OR IGNORE INTO journal_lines VALUES (?, ?, ?, ?)", lines)
    db.commit()
