import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.http.door import UnpackedBody, unpack

MOST = 1_000
TEXT = b'{"markets": []}' * 20


def bare(body: bytes) -> bytes:
    """Pack without the two bytes that begin a zlib stream, as some servers mean deflate."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


PACKINGS = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", bare),
]


@pytest.mark.parametrize(("coding", "pack"), PACKINGS)
@given(body=st.binary(max_size=MOST))
def test_what_was_packed_is_unpacked(coding: str, pack: type[bytes], body: bytes) -> None:
    assert unpack(pack(body), coding, MOST) == UnpackedBody(body, is_all=True)


@pytest.mark.parametrize(("coding", "pack"), PACKINGS)
def test_what_ends_too_soon_is_refused(coding: str, pack: type[bytes]) -> None:
    with pytest.raises(zlib.error):
        unpack(pack(TEXT)[:-1], coding, MOST)


@given(junk=st.binary(max_size=40))
def test_junk_is_refused_or_read_and_nothing_else(junk: bytes) -> None:
    for coding in ("gzip", "deflate"):
        try:
            found = unpack(junk, coding, MOST)
        except zlib.error:
            continue
        assert len(found.body) <= MOST + 1


def test_no_more_is_unpacked_than_shows_that_it_is_too_much() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    assert unpack(bomb, "gzip", MOST) == UnpackedBody(bytes(MOST + 1), is_all=False)


def test_what_is_as_long_as_it_may_be_is_all() -> None:
    assert unpack(gzip.compress(bytes(MOST)), "gzip", MOST) == UnpackedBody(
        bytes(MOST), is_all=True
    )


def test_what_comes_behind_the_first_stream_is_not_read() -> None:
    packed = gzip.compress(TEXT) + gzip.compress(b"more")
    assert unpack(packed, "gzip", MOST) == UnpackedBody(TEXT, is_all=False)
