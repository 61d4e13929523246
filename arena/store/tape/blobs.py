"""Texts and bytes of the tape, each kept once under its SHA-256."""

from hashlib import sha256

from arena.store.sqlite import Connection


def keep(db: Connection, body: bytes | str | None) -> str | None:
    """Keep a text and give its digest; None is kept as None."""
    if body is None:
        return None
    data = body.encode("utf-8", "replace") if isinstance(body, str) else body
    digest = sha256(data).hexdigest()
    db.run("INSERT INTO tape_blobs VALUES (?, ?) ON CONFLICT DO NOTHING", digest, data)
    return digest


def blob(db: Connection, digest: str | None) -> bytes | None:
    """Read the bytes that have this digest; None if there are none."""
    body: bytes | None = db.value("SELECT body FROM tape_blobs WHERE digest = ?", digest)
    return body


def words(db: Connection, digest: str | None) -> str | None:
    """Read a text by its digest; None where there is none."""
    body = blob(db, digest)
    return None if body is None else body.decode("utf-8", "replace")


def storable(text: str) -> str:
    """Replace what UTF-8 has no bytes for: halves of characters in hostile text."""
    return text.encode("utf-8", "replace").decode()
