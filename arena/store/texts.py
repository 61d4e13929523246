"""Prompts and replies as the tape keeps them: packed, where that makes them smaller."""

import zlib
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Final

from arena.errors import ArenaError

MARK: Final = b"x\x9c"  # what zlib begins with at its usual level, and no UTF-8 text does
MOVED: Final = b"\xffmoved to "  # and a month: no UTF-8 text begins so
LEVEL: Final = 6
# The columns of the tape that name texts by their digests.
NAMED_BY: Final = {
    "tape_answers": ("system_digest", "user_digest", "text_digest", "raw_digest"),
    "tape_calls": (
        "system_digest", "shared_digest", "own_digest", "schema_digest", "text_digest",
        "raw_digest",
    ),
    "tape_submissions": ("text_digest",),
    "tape_contexts": ("digest",),
}  # fmt: skip


def packed_text(plain: bytes) -> bytes:
    """A text as it is kept; one that could be taken for a packed one is packed anyway.

    >>> unpacked_text(packed_text(b"x" * 100)) == b"x" * 100
    True
    """
    packed = zlib.compress(plain, LEVEL)
    return packed if len(packed) < len(plain) or plain.startswith((MARK, MOVED)) else plain


def moved_text(month: str) -> bytes:
    """What is kept of a text that is in the file of a month, such as 2026-01."""
    return MOVED + month.encode()


def moved_to(kept: bytes | None) -> str | None:
    """The month in whose file a text is; None where it is here."""
    return kept.removeprefix(MOVED).decode() if kept and kept.startswith(MOVED) else None


def unpacked_text(kept: bytes | None) -> bytes | None:
    """The text of what is kept; None of None. Texts of older databases are not packed.

    What begins as a packed text does and is none, because it was changed, is given as it is:
    its digest tells.
    """
    if kept is None or not kept.startswith(MARK):
        return kept
    try:
        return zlib.decompress(kept)
    except zlib.error:
        return kept


def folder_of(database: PurePath | None) -> Path:
    """Where the files of a database's moved texts are."""
    return Path(f"{database}-texts")


def volume_name(month: str, digest: str) -> str:
    """The name of a month's file of texts, by its SHA-256."""
    return f"{month}-{digest[:16]}.parquet"


def proved(folder: Path, month: str, digest: str) -> Path:
    """A month's file of texts, which is what was written.

    Raises:
        ArenaError: It is not there, or was changed (`tape.volume`).
    """
    file = folder / volume_name(month, digest)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise damaged_volume(file, f"it cannot be read: {error.strerror}") from error
    if sha256(content).hexdigest() != digest:
        raise damaged_volume(file, "it was changed")
    return file


def damaged_volume(file: Path, what: str) -> ArenaError:
    """Say what is wrong with a month's file of texts."""
    return ArenaError(
        "tape.volume",
        f"{file}: {what}",
        hint="a month's prompts and replies are in it; backups have it in their folder `texts`",
    )
