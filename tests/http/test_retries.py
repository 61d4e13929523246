import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import LONGEST_LINE
from arena.http import HttpReply, HttpRequest, Manners
from arena.http.retries import named, payload_of, words_of
from tests.http.asking import Desk, Says, page_of_a_guard, says, well
from tests.standins.misbehaviour import Misbehaviour

# How long it is left alone


@pytest.mark.parametrize(
    "said",
    [
        says(429, Retry_After="7"),
        says(503, Retry_After="Mon, 05 Jan 2026 09:00:07 GMT"),
        says(429, b'{"retry_after_seconds": 7}'),
        says(429, b'{"message": "Please wait 7 seconds"}'),
    ],
    ids=["seconds", "date", "field", "words"],
)
def test_a_server_says_how_long_it_is_left_alone(said: Misbehaviour) -> None:
    desk = Desk()
    with Says(said, well()) as server:
        desk.get(server)
    assert desk.time.slept == [7.0]


def test_one_that_asks_for_too_long_is_given_up_at_once() -> None:
    desk = Desk()
    with Says(says(429, Retry_After="3600"), well()) as server:
        error = desk.fails(server)
    assert error.code == "venue.silent"
    assert "it asks to be left alone for 3600 s, and 60 s is the most" in error.message
    assert (desk.reader.requests, desk.time.slept) == (1, [])


def test_and_it_is_left_alone_then() -> None:
    desk = Desk()
    with Says(says(429, Retry_After="600"), well()) as server:
        desk.fails(server)
        error = desk.fails(server)
        assert "it is not asked again for 600 s" in error.message
        assert desk.reader.requests == 1
        desk.time.at = 600.0
        assert desk.get(server).status == 200


def test_nobody_is_left_alone_for_more_than_an_hour() -> None:
    desk = Desk()
    with Says(says(503, Retry_After="999999999999"), well()) as server:
        desk.fails(server)
        desk.time.at = 3600.0
        assert desk.get(server).status == 200


# Guards before the server


@pytest.mark.parametrize(
    "said",
    [page_of_a_guard(), page_of_a_guard(200), says(302, Location="https://x.test/a\tb")],
    ids=["forbidden", "a page", "a passing redirect"],
)
def test_a_guard_is_asked_once_more_after_minutes(said: Misbehaviour) -> None:
    desk = Desk()
    with Says(said, well()) as server:
        assert desk.get(server).status == 200
    assert desk.time.slept == [120.0]
    with Says(said) as server:
        assert desk.fails(server).code == "venue.blocked"


@pytest.mark.parametrize(("status", "code"), [(303, "venue.blocked"), (307, "venue.refused")])
def test_a_redirect_is_not_followed_and_where_it_points_is_said(status: int, code: str) -> None:
    with Says(says(status, Location="https://elsewhere.test/rows")) as server:
        error = Desk().fails(server)
    assert error.code == code
    assert "which points to https://elsewhere.test/rows" in error.message


def test_a_guard_between_other_failures_is_counted_too() -> None:
    desk = Desk()
    with Says(page_of_a_guard(), says(500), page_of_a_guard()) as server:
        assert desk.fails(server).code == "venue.blocked"
    assert desk.reader.requests == 3


def test_a_guard_may_speak_in_plain_text() -> None:
    plain = Misbehaviour(status=403, body=b"error code: 1010", content_type="text/plain")
    with Says(plain) as server:
        error = Desk().fails(server)
    assert error.code == "venue.blocked"
    assert "error code: 1010" in error.message


def test_a_guard_may_ask_for_longer() -> None:
    desk = Desk(Manners(after_block=30))
    with Says(page_of_a_guard(Retry_After="45"), well()) as server:
        desk.get(server)
    assert desk.time.slept == [45.0]


def test_a_guard_that_asks_for_too_long_ends_it_at_once() -> None:
    desk = Desk()
    with Says(page_of_a_guard(Retry_After="121"), well()) as server:
        error = desk.fails(server)
    assert error.code == "venue.blocked"
    assert "left alone for 121 s" in error.message
    assert desk.reader.requests == 1


def test_one_that_was_turned_away_does_not_knock_again_for_a_while() -> None:
    desk = Desk()
    with Says(page_of_a_guard(), page_of_a_guard(), well()) as server:
        desk.fails(server)
        assert "not asked again for 600 s" in desk.fails(server).message
        assert desk.reader.requests == 2
        desk.time.at += 600
        assert desk.get(server).status == 200


def words(body: bytes, kind: str = "application/json") -> str:
    reply = HttpReply(400, (("content-type", kind),), body)
    return words_of(reply, payload_of(reply))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": "id not found", "type": "not found error"}, "id not found"),
        ({"message": "Bad request", "details": []}, "Bad request"),
        ({"detail": "Not found."}, "Not found."),
        ({"error": {"code": "x", "message": "too many requests"}}, "too many requests"),
        ({"error": None, "message": "late"}, "late"),
        ({"error": "", "message": "late"}, "late"),
        ([{"message": "first"}, {"message": "second"}], "first"),
        ("plain", "plain"),
        ({"a": 1}, '{"a": 1}'),
        ([], "[]"),
        (7, "7"),
        ({"error": "one\ntwo\x1b[2J\u202ethree"}, "one two [2J three"),
    ],
)
def test_an_error_is_found_in_any_shape(body: object, said: str) -> None:
    assert words(json.dumps(body).encode()) == said


def test_a_page_is_told_by_its_beginning() -> None:
    assert words(b"<html>\n <b>no</b>" + b"x" * 9_000, "text/html").startswith("<html> <b>no")


def test_nothing_said_is_nothing() -> None:
    assert words(b"") == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "x"]), inner),
)


@given(JSON.map(lambda said: json.dumps(said).encode()) | st.binary())
def test_no_error_is_too_odd_for_one_short_line(body: bytes) -> None:
    said = words(body)
    assert said.isprintable()
    assert len(said) <= LONGEST_LINE


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://ada:pw@x.org/a?b=c#d", "GET /a?b=c"),
        ("https://x.org", "GET /"),
        ("http://[::1/", "GET http://[::1/"),
    ],
)
def test_a_request_is_named_by_its_path(url: str, name: str) -> None:
    assert named(HttpRequest("GET", url)) == name
