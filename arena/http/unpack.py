"""Decompresses bodies of replies, up to a limit of bytes."""

import zlib
from dataclasses import dataclass, field

_GZIP, _ZLIB, _BARE = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
FORMATS = {"gzip": (_GZIP,), "x-gzip": (_GZIP,), "deflate": (_ZLIB, _BARE)}
"""What each content coding may be: servers mean two things by deflate."""


class TruncatedError(zlib.error):
    """A packed body ends before its end: the connection broke off."""


@dataclass(frozen=True, slots=True)
class UnpackedBody:
    """A decompressed body; `is_all` is False where other bytes followed it."""

    body: bytes = field(repr=False)
    is_all: bool


def unpack(packed: bytes, coding: str, most: int) -> UnpackedBody:
    """Unpack a body, or as much of it as shows that it is too long.

    Args:
        packed: The body as it came.
        coding: A key of `FORMATS`.
        most: One byte more than this is unpacked at most.

    Raises:
        TruncatedError: It ends too soon.
        zlib.error: It is not packed so.
    """
    *others, last = FORMATS[coding]
    for form in others:
        try:
            return _unpacked(packed, form, most)
        except TruncatedError:
            raise
        except zlib.error:
            continue
    return _unpacked(packed, last, most)


def _unpacked(packed: bytes, form: int, most: int) -> UnpackedBody:
    stream = zlib.decompressobj(form)
    body = stream.decompress(packed, most + 1)
    if not stream.eof and len(body) <= most:
        raise TruncatedError("it ends too soon")
    return UnpackedBody(body, stream.eof and not stream.unused_data)
