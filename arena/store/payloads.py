"""What venues' servers said, byte for byte: an index of answers, and each body once."""

import json
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Final

from arena.records.market import VenueId
from arena.records.payload import Payload
from arena.store.blobs import storable
from arena.store.codec import moment, read_moment
from arena.store.sqlite import Connection, Row

LEVEL: Final = 1  # a third of the time of level 6, for a fifth more bytes
LONG: Final = 64_000  # bytes: what takes longer to pack than to hand to a thread
MOST_WAITING: Final = 3  # long answers that are packed while others are read

_KEEP = """
INSERT INTO tape_payloads (venue, at, method, url, asked_digest, status, headers, digest, size)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_KEEP_BODY = "INSERT INTO tape_bodies VALUES (?, ?) ON CONFLICT DO NOTHING"


@dataclass(frozen=True, slots=True)
class Kept:
    """One answer as the index has it; its body is under `digest`, `size` bytes unpacked.

    `asked` is the digest of the request's body, None where it had none. `headers` is JSON.
    """

    venue: VenueId
    at: datetime
    method: str
    url: str
    status: int
    digest: str
    size: int
    headers: str = "[]"
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class _Packed:
    digest: str
    body: bytes


@dataclass(frozen=True, slots=True)
class SqlitePayloads:
    """The raw answers of one SQLite file: it is the port `Payloads`.

    A long answer is packed beside whatever is done next. It is in the file when the next but
    few is, before anything else is written by `Store.write`, and when the store is closed.
    """

    db: Connection
    _waiting: list[tuple[Payload, Future[_Packed]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def keep(self, payload: Payload) -> None:
        """Keep one answer for good; a body that is there already is not repeated.

        What a text column cannot hold of an address is replaced.
        """
        if len(payload.body) < LONG or self.db.is_writing:
            self.settle()
            self._write(payload, _pack(payload.body))
            return
        self.settle(MOST_WAITING - 1)
        self._waiting.append((payload, _packer().submit(_pack, payload.body)))

    def settle(self, most: int = 0) -> None:
        """Write what is still being packed, but for the last so many answers."""
        while len(self._waiting) > most:
            payload, packed = self._waiting[0]
            self._write(payload, packed.result())
            del self._waiting[0]

    def _write(self, payload: Payload, packed: _Packed) -> None:
        asked = _pack(payload.asked) if payload.asked else None
        with self.db.write():
            for one in filter(None, (asked, packed)):
                self.db.run(_KEEP_BODY, one.digest, one.body)
            self.db.run(
                _KEEP,
                payload.venue,
                moment(payload.at),
                storable(payload.method),
                storable(payload.url),
                None if asked is None else asked.digest,
                payload.status,
                json.dumps(payload.headers, separators=(",", ":")),
                packed.digest,
                len(payload.body),
            )

    def payloads(self, venue: VenueId, since: datetime, until: datetime) -> Iterator[Kept]:
        """Read the index of a venue's answers from a moment until before another, in order."""
        self.settle()
        sql = """SELECT * FROM tape_payloads WHERE venue = ? AND at >= ? AND at < ?
            ORDER BY at, number"""
        for row in self.db.raw.execute(sql, (venue, moment(since), moment(until))):
            yield _kept(row)

    def newest(self, venue: VenueId, most: int) -> Sequence[Kept]:
        """Read a venue's last answers, the newest first."""
        self.settle()
        sql = (
            "SELECT * FROM tape_payloads WHERE venue = ? ORDER BY at DESC, number DESC LIMIT ?"
        )
        return [_kept(row) for row in self.db.rows(sql, venue, most)]

    def body(self, digest: str) -> bytes | None:
        """Unpack what has this digest; None where nothing has, or where it was pruned."""
        self.settle()
        packed = self.db.value("SELECT packed FROM tape_bodies WHERE digest = ?", digest)
        return None if packed is None else zlib.decompress(packed)

    def digests(self, beginning: str, most: int = 2) -> Sequence[str]:
        """Name the bodies that are there and whose digest begins so, at most so many."""
        self.settle()
        sql = "SELECT digest FROM tape_bodies WHERE digest >= ? AND digest < ? LIMIT ?"
        return [row["digest"] for row in self.db.rows(sql, beginning, beginning + "g", most)]


def _pack(body: bytes) -> _Packed:
    return _Packed(sha256(body).hexdigest(), zlib.compress(body, LEVEL))


@cache
def _packer() -> ThreadPoolExecutor:
    """Give the thread that packs: both halves of its work leave the interpreter free."""
    return ThreadPoolExecutor(1, "packer")


def _kept(row: Row) -> Kept:
    return Kept(
        VenueId(row["venue"]),
        read_moment(row["at"]),
        row["method"],
        row["url"],
        row["status"],
        row["digest"],
        row["size"],
        row["headers"],
        row["asked_digest"],
    )
