import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import LONGEST_LINE, one_line
from arena.http import HttpReply, HttpRequest
from arena.http.verdict import named, payload_of, words_of


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


@given(st.text(max_size=3_000))
def test_one_line_is_short_and_printable(text: str) -> None:
    said = one_line(text)
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
