"""The journal as it is kept: each entry's head and event, and old entries packed in pieces.

A head is the canonical JSON of `[id, at, kind, cohort, contestant, postings]`, an event that of
its record. The digest of an entry is over the digest before, its head and its event, so that
digests of packed entries are not kept: they are worked out, up to the one of the piece.
"""

import sqlite3
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from arena.store.texts import unpacked_text

PIECE: Final = 256  # entries
GENESIS: Final = "0" * 64
IN_MEMORY: Final = 32  # unpacked pieces
LEVEL: Final = 7  # half the time of level 9, for a thirtieth more bytes

_PIECES = "SELECT last, digest, body FROM journal_pieces WHERE last >= ? ORDER BY last"
_BEFORE = "SELECT digest FROM journal_pieces WHERE last < ? ORDER BY last DESC LIMIT 1"


class Line(NamedTuple):
    """An entry as it is kept, with the digest of the journal up to it."""

    head: str
    event: str
    digest: str


def link(before: str, head: str, event: str) -> str:
    """SHA-256 of the digest of the entry before, an entry's head, and its event."""
    return sha256(f"{before}{head}{event}".encode()).hexdigest()


def id_key(entry_id: str) -> int:
    """A number to look an entry up by, which few ids share."""
    return zlib.crc32(entry_id.encode("utf-8", "replace"))


def fold(raw: sqlite3.Connection, seq: int, size: int = PIECE) -> None:
    """Pack the entries since the last piece, if `seq` ends one of that size."""
    sql = "SELECT head, event, digest FROM journal_lines WHERE seq <= ? ORDER BY seq"
    lines = [] if seq % size else [Line(*row) for row in raw.execute(sql, (seq,))]
    if not lines:
        return
    text = "\n".join(part for line in lines for part in (line.head, line.event))
    packed = zlib.compress(text.encode(), LEVEL)
    raw.execute("INSERT INTO journal_pieces VALUES (?, ?, ?)", (seq, lines[-1].digest, packed))
    raw.execute("DELETE FROM journal_lines WHERE seq <= ?", (seq,))


def fold_all(raw: sqlite3.Connection, size: int = PIECE) -> None:
    """Pack every entry that a whole piece can be made of."""
    newest = raw.execute("SELECT coalesce(max(seq), 0) FROM journal_lines").fetchone()[0]
    for seq in range(size, newest + 1, size):
        fold(raw, seq, size)


def cut(raw: sqlite3.Connection, seq: int) -> None:
    """Take every entry after one out of the journal; entries of its own piece are unpacked."""
    raw.execute("DELETE FROM journal_lines WHERE seq > ?", (seq,))
    piece = raw.execute(_PIECES, (seq,)).fetchone()
    if piece is not None and piece[0] > seq:
        lines = _unpacked(raw, *piece)
        first = piece[0] - len(lines) + 1
        for number, line in enumerate(lines[: seq - first + 1], first):
            raw.execute("INSERT INTO journal_lines VALUES (?, ?, ?, ?)", (number, *line))
    raw.execute("DELETE FROM journal_pieces WHERE last > ?", (seq,))


def lines_of(raw: sqlite3.Connection) -> Iterator[tuple[int, Line]]:
    """Read every entry with its number, oldest first.

    The digest of a packed entry is worked out; that of a piece's last entry is the one kept.
    """
    for last, digest, body in raw.execute(_PIECES, (0,)):
        lines = _unpacked(raw, last, digest, body)
        yield from enumerate(lines, last - len(lines) + 1)
    for seq, *line in raw.execute("SELECT * FROM journal_lines ORDER BY seq"):
        yield seq, Line(*line)


def register(raw: sqlite3.Connection) -> None:
    """Give a connection the functions that views and statements of this package use."""

    @lru_cache(maxsize=IN_MEMORY)
    def lines(last: int, digest: str) -> list[Line]:
        piece = raw.execute(_PIECES, (last,)).fetchone()
        return _unpacked(raw, last, digest, piece[2])

    def packed_part(part: str, last: int, digest: str, before_last: int) -> str:
        """Part of the entry that is so many before the last one of a piece."""
        return str(getattr(lines(last, digest)[-1 - before_last], part))

    raw.create_function("text_of", 1, unpacked_text, deterministic=True)
    raw.create_function("id_key", 1, id_key, deterministic=True)
    raw.create_function("float_of", 1, float, deterministic=True)
    raw.create_function("moment_of", 1, _moment_of, deterministic=True)
    raw.create_function("packed_part", 4, packed_part)


def _moment_of(second: float) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()


def _unpacked(raw: sqlite3.Connection, last: int, digest: str, body: bytes) -> list[Line]:
    """The entries of a piece; the last has the digest that is kept, so that a break shows."""
    before = (raw.execute(_BEFORE, (last,)).fetchone() or (GENESIS,))[0]
    parts = zlib.decompress(body).decode().split("\n")
    lines: list[Line] = []
    for head, event in zip(parts[::2], parts[1::2], strict=True):
        before = link(before, head, event)
        lines.append(Line(head, event, before))
    lines[-1] = Line(lines[-1].head, lines[-1].event, digest)
    return lines
