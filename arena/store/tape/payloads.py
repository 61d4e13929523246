"""What venues' servers said, byte for byte: an index of answers, and each body once."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from arena.records.answer import Payload
from arena.records.market import VenueId
from arena.store.codec import moment
from arena.store.sqlite import Connection
from arena.store.texts import moved_to, packed_text, unpacked_text


def keep(db: Connection, body: bytes | str | None) -> str | None:
    """Keep a text and give its digest; None is kept as None."""
    if body is None:
        return None
    data = body.encode("utf-8", "replace") if isinstance(body, str) else body
    digest = sha256(data).hexdigest()
    # most texts are there already, and packing one takes longer than looking
    if db.row("SELECT 1 FROM tape_blobs WHERE digest = ?", digest) is None:
        keeping = "INSERT INTO tape_blobs VALUES (?, ?) ON CONFLICT DO NOTHING"
        db.run(keeping, digest, packed_text(data))
    return digest


def blob(db: Connection, digest: str | None) -> bytes | None:
    """Read the bytes that have this digest; None if there are none.

    Raises:
        ArenaError: They are in a month's file that is not there (`tape.volume`).
    """
    kept = db.value("SELECT body FROM tape_blobs WHERE digest = ?", digest)
    month = moved_to(kept)
    if month is None:
        return unpacked_text(kept)
    from arena.store.tape.volumes import volume_texts  # noqa: PLC0415  for few readers

    return volume_texts(db, month).get(digest or "")


def words(db: Connection, digest: str | None) -> str | None:
    """Read a text by its digest; None where there is none."""
    body = blob(db, digest)
    return None if body is None else body.decode("utf-8", "replace")


def storable(text: str) -> str:
    """Replace what UTF-8 has no bytes for: halves of characters in hostile text."""
    return text.encode("utf-8", "replace").decode()


LEVEL: Final = 1  # a third of the time of level 6, for a fifth more bytes
EITHER: Final = 32 + zlib.MAX_WBITS  # what we pack is zlib's, what comes packed is gzip's

_KEEP = """
INSERT INTO tape_payloads (venue, at, method, url, asked_digest, status, headers, digest, size)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(frozen=True, slots=True)
class StoredPayload:
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
class SqlitePayloads:
    """The raw answers of one SQLite file: it is the port `Payloads`."""

    db: Connection

    def keep(self, payload: Payload) -> None:
        """Keep one answer for good, at once; a body that is there already is not repeated.

        One that came packed stays so. What a text column cannot hold of an address is
        replaced.
        """
        request_digest = sha256(payload.asked).hexdigest() if payload.asked else None
        digest = sha256(payload.body).hexdigest()
        with self.db.write():
            if request_digest is not None:
                self._keep_body(request_digest, payload.asked)
            self._keep_body(digest, payload.body, payload.packed)
            self.db.run(
                _KEEP,
                payload.venue,
                moment(payload.at),
                storable(payload.method),
                storable(payload.url),
                request_digest,
                payload.status,
                json.dumps(payload.headers, separators=(",", ":")),
                digest,
                len(payload.body),
            )

    def _keep_body(self, digest: str, body: bytes, packed: bytes = b"") -> None:
        if not self.db.value("SELECT 1 FROM tape_bodies WHERE digest = ?", digest):
            packed = packed or zlib.compress(body, LEVEL)
            self.db.run("INSERT INTO tape_bodies VALUES (?, ?)", digest, packed)

    def newest(self, venue: VenueId, most: int) -> Sequence[StoredPayload]:
        """Read a venue's last answers, the newest first."""
        sql = """SELECT *, asked_digest AS asked FROM tape_payloads
            WHERE venue = ? ORDER BY at DESC, number DESC LIMIT ?"""
        return self.db.records(StoredPayload, sql, venue, most)

    def body(self, digest: str) -> bytes | None:
        """Unpack what has this digest; None where nothing has, or where it was pruned."""
        packed = self.db.value("SELECT packed FROM tape_bodies WHERE digest = ?", digest)
        return None if packed is None else unpacked(packed)

    def digests(self, beginning: str, most: int = 2) -> Sequence[str]:
        """Name the bodies that are there and whose digest begins so, at most so many."""
        sql = "SELECT digest FROM tape_bodies WHERE digest >= ? AND digest < ? LIMIT ?"
        return [row["digest"] for row in self.db.rows(sql, beginning, beginning + "g", most)]


def unpacked(packed: bytes) -> bytes:
    """Unpack a body of `tape_bodies`.

    Raises:
        zlib.error: It is damaged.
    """
    return zlib.decompress(packed, EITHER)
