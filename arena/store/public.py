"""A copy of an arena's file that may be given away: numbers without the long texts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.store.schema import CACHES, TRUTHS
from arena.store.sqlite import Connection

# Prompts, replies, what venues' servers sent, and what was said to them.
LEFT_OUT: Final = frozenset({"tape_blobs", "tape_bodies", "tape_payloads"})
KEPT: Final = tuple(name for name in (*TRUTHS, *CACHES) if name not in LEFT_OUT)


def copy_public(db: Connection, file: Path) -> int:
    """Copy an arena's file without prompts, replies and answers of servers.

    It is written whole or not at all, in the place of an older one. The arena's commands read
    it as they read their own; `arena audit` misses the texts in it.

    Returns:
        How many rows there are in it.

    Raises:
        ArenaError: The file is the arena's own, or the arena's is in memory.
    """
    if db.path is None:
        raise ArenaError("export.memory", "an arena in memory has no file to copy", status=2)
    if file.resolve() == Path(db.path).resolve():
        raise ArenaError("export.itself", f"{file} is the arena's own file", status=2)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        rows = _filled(Path(db.path), part)
        part.replace(file)
    finally:
        for left in (part, Path(f"{part}-wal"), Path(f"{part}-shm")):
            left.unlink(missing_ok=True)
    return rows


def _filled(source: Path, part: Path) -> int:
    with _opened(part) as copy, copy.in_words():
        copy.raw.execute("PRAGMA foreign_keys = OFF")
        copy.raw.execute("ATTACH ? AS source", (str(source),))
        with copy.write():
            # the first row of a seat makes one of the totals: those come last, as they are
            for name in sorted(KEPT, key=lambda name: name == "totals"):
                columns = [row["name"] for row in copy.rows(f"PRAGMA table_info({name})")]
                listed = ", ".join(columns)
                copy.run(f"DELETE FROM {name}")  # noqa: S608  our own names
                copy.run(
                    f"INSERT INTO {name} ({listed}) "  # noqa: S608
                    f"SELECT {listed} FROM source.{name}"
                )
            rows = sum(int(copy.value(f"SELECT count(*) FROM {name}")) for name in KEPT)  # noqa: S608
        copy.raw.execute("DETACH source")
        copy.raw.execute("PRAGMA journal_mode = DELETE")
    return rows


@contextmanager
def _opened(file: Path) -> Iterator[Connection]:
    copy = Connection(file)
    try:
        yield copy
    finally:
        copy.close()
