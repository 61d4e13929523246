import gzip
import json
import zlib
from dataclasses import replace
from hashlib import sha256
from sqlite3 import IntegrityError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.answer import Payload
from arena.records.market import VenueId
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.tape.payloads import StoredPayload, blob, keep, storable, words
from arena.store.texts import packed_text, unpacked_text
from tests.build import HERE, at

URL = "https://example.org/markets?limit=100"
ANSWER = Payload(HERE, at(1), "GET", URL, 200, b'{"markets": []}', (("age", "12"),))


def count(store: Store, table: str) -> int:
    return int(store.db.value(f"SELECT count(*) FROM tape_{table}"))  # noqa: S608  # ours


def kept(store: Store) -> list[StoredPayload]:
    return list(store.payloads.newest(HERE, 100))


def test_a_store_keeps_what_servers_say(store: Store) -> None:
    store.payloads.keep(ANSWER)
    digest = sha256(ANSWER.body).hexdigest()
    assert kept(store) == [
        StoredPayload(HERE, at(1), "GET", URL, 200, digest, 15, headers='[["age","12"]]')
    ]
    assert store.payloads.body(digest) == ANSWER.body


def test_the_same_body_is_kept_once_and_each_answer_that_had_it(store: Store) -> None:
    for hours in (1, 2):
        store.payloads.keep(replace(ANSWER, at=at(hours)))
    assert (count(store, "payloads"), count(store, "bodies")) == (2, 1)


def test_what_was_asked_with_a_body_is_kept_too(store: Store) -> None:
    asked = b'[{"token_id": "1"}]'
    store.payloads.keep(replace(ANSWER, method="POST", asked=asked))
    (found,) = kept(store)
    assert found.asked is not None
    assert store.payloads.body(found.asked) == asked


def test_an_empty_body_is_a_body(store: Store) -> None:
    store.payloads.keep(replace(ANSWER, status=503, body=b""))
    (found,) = kept(store)
    assert (found.status, found.size, store.payloads.body(found.digest)) == (503, 0, b"")


def test_bodies_are_packed(store: Store) -> None:
    body = json.dumps([{"question": f"Will it rain on day {n}?"} for n in range(500)]).encode()
    store.payloads.keep(replace(ANSWER, body=body))
    packed = store.db.value("SELECT packed FROM tape_bodies")
    assert zlib.decompress(packed) == body
    assert len(packed) < len(body) / 4


def test_the_newest_answers_of_a_venue_come_first(store: Store) -> None:
    for n, hours in enumerate((1, 3, 2, 3)):
        store.payloads.keep(replace(ANSWER, at=at(hours), status=n))
    store.payloads.keep(replace(ANSWER, venue=VenueId("there"), at=at(4)))
    assert [one.status for one in store.payloads.newest(HERE, 3)] == [3, 1, 2]


def test_a_digest_that_nothing_has_gives_nothing(store: Store) -> None:
    assert store.payloads.body("0" * 64) is None
    assert store.payloads.digests("0") == []


def test_a_digest_is_found_by_how_it_begins(store: Store) -> None:
    store.payloads.keep(ANSWER)
    digest = sha256(ANSWER.body).hexdigest()
    assert store.payloads.digests(digest[:8]) == [digest]


def test_an_answer_stands_although_what_was_made_of_it_is_undone(store: Store) -> None:
    store.payloads.keep(ANSWER)
    with pytest.raises(IntegrityError), store.write():
        store.db.run("INSERT INTO tape_polls VALUES ('here', NULL, NULL)")
    assert len(kept(store)) == 1


def test_an_answer_in_a_transaction_is_part_of_it(store: Store) -> None:
    with store.write():
        store.payloads.keep(ANSWER)
        assert count(store, "payloads") == 1


def test_a_body_that_came_packed_stays_so(store: Store) -> None:
    packed = gzip.compress(ANSWER.body)
    store.payloads.keep(replace(ANSWER, packed=packed))
    (found,) = kept(store)
    assert store.db.value("SELECT packed FROM tape_bodies") == packed
    assert store.payloads.body(found.digest) == ANSWER.body
    assert not audit(store.db).findings


anything = st.text(
    st.characters(exclude_categories=()), max_size=20
)  # halves of characters too


@given(url=anything, header=anything, body=st.binary(max_size=50))
def test_whatever_a_server_says_can_be_kept(url: str, header: str, body: bytes) -> None:
    said = Payload(HERE, at(1), "GET", url, 200, body, ((header, header),), body)
    with open_store(None) as store:
        store.payloads.keep(said)
        (found,) = kept(store)
        assert store.payloads.body(found.digest) == body
        assert json.loads(found.headers) == [[header, header]]


@pytest.mark.parametrize("body", ["", "words", "\x00\n\ufeff", b"", b"well\xff\x00"])
def test_what_is_kept_is_read_back(store: Store, body: str | bytes) -> None:
    digest = keep(store.db, body)
    raw = body if isinstance(body, bytes) else body.encode()
    assert digest == sha256(raw).hexdigest()
    assert blob(store.db, digest) == raw
    assert words(store.db, digest) == raw.decode("utf-8", "replace")


def test_the_same_words_are_kept_once(store: Store) -> None:
    assert keep(store.db, "words") == keep(store.db, b"words")
    assert count(store, "blobs") == 1


def test_nothing_is_kept_as_nothing(store: Store) -> None:
    assert keep(store.db, None) is None
    assert count(store, "blobs") == 0
    assert blob(store.db, None) is None
    assert words(store.db, None) is words(store.db, "0" * 64) is None


@given(text=anything)
def test_anything_can_be_kept_and_keeps_its_length(text: str) -> None:
    with open_store(None) as store:
        found = words(store.db, keep(store.db, text))
    assert found == storable(text)
    assert len(storable(text)) == len(text)


@given(text=anything)
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
