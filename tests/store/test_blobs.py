from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.store import Store, open_store
from arena.store.tape.payloads import blob, keep, storable, words
from arena.store.texts import packed_text, unpacked_text

any_text = st.text(st.characters())  # halves of characters too


def count(store: Store) -> int:
    return int(store.db.value("SELECT count(*) FROM tape_blobs"))


@pytest.mark.parametrize("body", ["", "words", "\x00\n\ufeff", b"", b"\xff\x00"])
def test_what_is_kept_is_read_back(store: Store, body: str | bytes) -> None:
    digest = keep(store.db, body)
    raw = body if isinstance(body, bytes) else body.encode()
    assert digest == sha256(raw).hexdigest()
    assert blob(store.db, digest) == raw
    assert words(store.db, digest) == raw.decode("utf-8", "replace")


def test_the_same_words_are_kept_once(store: Store) -> None:
    assert keep(store.db, "words") == keep(store.db, b"words")
    assert count(store) == 1


def test_nothing_is_kept_as_nothing(store: Store) -> None:
    assert keep(store.db, None) is None
    assert count(store) == 0
    assert blob(store.db, None) is None
    assert words(store.db, None) is None


def test_a_digest_that_nothing_has_has_no_words(store: Store) -> None:
    assert words(store.db, "0" * 64) is None


def test_bytes_that_are_no_text_are_read_as_far_as_they_are(store: Store) -> None:
    assert words(store.db, keep(store.db, b"well\xff")) == "well\ufffd"


@given(text=any_text)
def test_any_text_can_be_kept_and_keeps_its_length(text: str) -> None:
    with open_store(None) as store:
        found = words(store.db, keep(store.db, text))
    assert found == storable(text)
    assert len(storable(text)) == len(text)


@given(text=any_text)
def test_storable_text_is_left_as_it_is(text: str) -> None:
    assert storable(storable(text)) == storable(text)
    assert storable(text) == text or any("\ud800" <= c <= "\udfff" for c in text)


def test_a_long_text_takes_less_room_than_it_has_bytes(store: Store) -> None:
    digest = keep(store.db, "the same words " * 100)
    kept = store.db.value("SELECT length(body) FROM tape_blobs WHERE digest = ?", digest)
    assert kept < 100


def test_a_text_of_an_older_database_is_read_as_it_is(store: Store) -> None:
    plain = b"never packed " * 100
    store.db.run("INSERT INTO tape_blobs VALUES ('old', ?)", plain)
    assert blob(store.db, "old") == plain


@given(st.binary())
def test_bytes_that_look_packed_come_back_too(end: bytes) -> None:
    assert unpacked_text(packed_text(b"x\x9c" + end)) == b"x\x9c" + end
