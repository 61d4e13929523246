"""The caches, made anew from the journal and the tape."""

from hashlib import sha256

from arena.errors import ArenaError
from arena.records.report import Rebuilt
from arena.store.caches import Caches
from arena.store.codec import UNREADABLE, canonical
from arena.store.journal.effects import apply
from arena.store.journal.entries import SqliteJournal
from arena.store.journal.packed import pack
from arena.store.migrations import CACHES
from arena.store.sqlite import Connection


def rebuild(db: Connection) -> Rebuilt:
    """Drop every cache and make it again, entry by entry, in one transaction.

    Each entry has the effects it had when it was written, by the same code: what comes out
    differs from what was there only if a cache had been damaged.

    Raises:
        ArenaError: An entry cannot be read (`store.damaged`); nothing is changed then.
    """
    try:
        with db.write():
            return _make_anew(db)
    except UNREADABLE as error:
        raise ArenaError(
            "store.damaged",
            f"{db.path}: the journal cannot be read: {type(error).__name__}: {error}",
            hint="nothing was changed; restore a backup: caches need a sound journal",
        ) from error


def _make_anew(db: Connection) -> Rebuilt:
    before = {table: table_digest(db, table) for table in CACHES}
    for table in CACHES:
        db.run(f"DELETE FROM {table}")  # noqa: S608  # our own names
    db.numbers.clear()
    caches, entries = Caches(db), 0
    for seq, _, entry in SqliteJournal(db).entries():
        apply(caches, seq, entry)
        pack(db, seq)
        entries += 1
    caches.flush()
    after = {table: table_digest(db, table) for table in CACHES}
    changed = tuple(table for table in CACHES if before[table] != after[table])
    return Rebuilt(entries, changed, sha256(canonical(after).encode()).hexdigest())


def table_digest(db: Connection, table: str) -> str:
    """SHA-256 of every row of a table, in the order of its columns."""
    columns = len(db.raw.execute(f"SELECT * FROM {table} LIMIT 0").description)  # noqa: S608
    order = ", ".join(str(n) for n in range(1, columns + 1))
    digest = sha256()
    for row in db.raw.execute(f"SELECT * FROM {table} ORDER BY {order}"):  # noqa: S608
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()
