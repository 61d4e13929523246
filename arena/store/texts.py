"""Prompts and replies as the tape keeps them: packed, where that makes them smaller."""

import zlib
from typing import Final

MARK: Final = b"x\x9c"  # what zlib begins with at its usual level, and no UTF-8 text does
LEVEL: Final = 6


def packed_text(plain: bytes) -> bytes:
    """A text as it is kept; one that could be taken for a packed one is packed anyway.

    >>> unpacked_text(packed_text(b"x" * 100)) == b"x" * 100
    True
    """
    packed = zlib.compress(plain, LEVEL)
    return packed if len(packed) < len(plain) or plain.startswith(MARK) else plain


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
