"""Prompts and replies of months that are over: a Parquet file a month, beside the database.

A text that was moved leaves its digest in `tape_blobs`, with the month whose file has it. A
file is named after its SHA-256, which `tape_volumes` keeps: a move writes a new file, reads it
back, and then changes the database in one transaction. Killed before that, it left nothing
but a file that no one names, which the next move deletes.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.sheets.parquet import ParquetType, read_parquet, write_parquet
from arena.store.codec import moment
from arena.store.sqlite import PRIVATE, Connection
from arena.store.texts import (
    NAMED_BY,
    damaged_volume,
    folder_of,
    moved_text,
    moved_to,
    proved,
    unpacked_text,
    volume_name,
)

COLUMNS: Final = (("digest", ParquetType.TEXT), ("body", ParquetType.BYTES))
_NAMED: Final = " UNION ALL ".join(
    f"SELECT {column} AS digest, at FROM {table}"  # noqa: S608  our own names
    + (" JOIN rounds USING (cohort, round)" if table == "tape_answers" else "")
    for table, columns in NAMED_BY.items()
    for column in columns
)
# The last month in which a text was named: system prompts stay as long as they are sent.
_OVER: Final = f"""
SELECT digest, substr(max(at), 1, 7) AS month FROM ({_NAMED}) JOIN tape_blobs USING (digest)
GROUP BY digest HAVING max(at) < ? ORDER BY month, digest
"""  # noqa: S608  our own words


@dataclass(frozen=True, slots=True)
class Volume:
    """A month's texts that were moved, or would be: how many, their bytes, and the file."""

    month: str
    texts: int
    bytes: int
    file: str


def move_texts(db: Connection, before: datetime, *, dry: bool = False) -> Iterator[Volume]:
    """Move the texts of every month that was over by then into that month's file.

    Args:
        db: The file; it must be ours to write to.
        before: Texts that were last named in its month or later stay.
        dry: Change nothing, and say what it would come to.

    Raises:
        ArenaError: DuckDB is not installed, or a file is not what was written to it.
    """
    first = before.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    months: dict[str, list[str]] = {}
    for row in db.rows(_OVER, moment(first)):
        months.setdefault(row["month"], []).append(row["digest"])
    for month, digests in months.items():
        bodies = _unmoved(db, digests)
        size = sum(map(len, bodies.values()))
        if bodies:
            file = folder_of(db.path) / month if dry else _moved(db, month, bodies)
            yield Volume(month, len(bodies), size, str(file))
    if not dry and db.path is not None:
        _delete_unnamed(db)


def _unmoved(db: Connection, digests: list[str]) -> dict[str, bytes]:
    bodies = {}
    for digest in digests:
        kept = db.value("SELECT body FROM tape_blobs WHERE digest = ?", digest)
        text = None if moved_to(kept) else unpacked_text(kept)
        if text is not None:
            bodies[digest] = text
    return bodies


def _moved(db: Connection, month: str, bodies: Mapping[str, bytes]) -> Path:
    """Write a month's file, with what it held before; then let the database name it."""
    wrong = [digest for digest, body in bodies.items() if sha256(body).hexdigest() != digest]
    if wrong:
        raise ArenaError(
            "tape.text",
            f"{len(wrong)} texts of {month} are not what their digests say: {wrong[0]}",
            hint="nothing of that month was moved; `arena audit` says what else is wrong",
        )
    texts = {**volume_texts(db, month), **bodies} if _digest(db, month) else dict(bodies)
    folder = folder_of(db.path)
    draft = folder / f"{month}.parquet"
    write_parquet(draft, COLUMNS, sorted(texts.items()))
    draft.chmod(PRIVATE)
    digest = sha256(draft.read_bytes()).hexdigest()
    file = draft.replace(folder / volume_name(month, digest))
    for path in (file, folder):
        _make_last(path)
    if _texts(folder, month, digest) != texts:
        raise damaged_volume(file, "it does not hold what was written")
    with db.write():
        db.run("REPLACE INTO tape_volumes VALUES (?, ?, ?)", month, digest, len(texts))
        sql = "UPDATE tape_blobs SET body = ? WHERE digest = ?"
        db.many(sql, [(moved_text(month), name) for name in bodies])
    return file


def _make_last(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _delete_unnamed(db: Connection) -> None:
    """Delete files of earlier moves that the database does not name."""
    folder = folder_of(db.path)
    named = {file.name for file in volume_files(db)}
    for file in folder.glob("*.parquet"):
        if file.name not in named:
            file.unlink()


def volume_files(db: Connection) -> tuple[Path, ...]:
    """The files of texts that a database names, oldest month first."""
    rows = db.rows("SELECT month, digest FROM tape_volumes ORDER BY month")
    return tuple(folder_of(db.path) / volume_name(row["month"], row["digest"]) for row in rows)


def volume_texts(db: Connection, month: str) -> Mapping[str, bytes]:
    """Every text of a month that was moved, by its digest; the file is proved by its own.

    Raises:
        ArenaError: The file is not there, or was changed (`tape.volume`).
    """
    digest = _digest(db, month)
    return _texts(folder_of(db.path), month, digest)


def _digest(db: Connection, month: str) -> str:
    return str(db.value("SELECT digest FROM tape_volumes WHERE month = ?", month) or "")


def _texts(folder: Path, month: str, digest: str) -> Mapping[str, bytes]:
    file = folder / volume_name(month, digest)
    state = file.stat() if file.exists() else None
    return _read(folder, month, digest, (state.st_mtime_ns, state.st_size) if state else None)


@lru_cache(maxsize=1)
def _read(
    folder: Path, month: str, digest: str, _state: tuple[int, int] | None
) -> Mapping[str, bytes]:
    """Read a file whole: one is kept in memory, as long as it stays as it is."""
    file = proved(folder, month, digest)
    return {str(name): bytes(body) for name, body in read_parquet([file], COLUMNS)}
