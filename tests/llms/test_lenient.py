from decimal import Decimal

import pytest

from arena.http import HttpReply
from arena.llms.wires.lenient import Liner, body_of, count, dollars, first, mapping, words
from arena.secrets import Redactor

LINER = Liner(Redactor("sk-0123456789abcdef"))


def test_the_first_object_of_a_list_is_the_body() -> None:
    assert body_of(HttpReply(400, (), b'[{"error": 1}]')) == {"error": 1}


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"[3]", b"3", b"null", b"{", b"\0{\xff", b"[" * 100_000]
)
def test_what_is_no_object_is_no_body(body: bytes) -> None:
    assert body_of(HttpReply(200, (), body)) is None


@pytest.mark.parametrize("body", ['{"a": 1}'.encode("utf-16"), b'\xef\xbb\xbf{"a": 1}'])
def test_json_in_another_encoding_is_read(body: bytes) -> None:
    assert body_of(HttpReply(200, (), body)) == {"a": 1}


def test_a_byte_that_is_no_text_costs_one_character_and_not_the_body() -> None:
    assert body_of(HttpReply(200, (), b'{"a": "caf\xe9", "b": 1.5}')) == {
        "a": "caf\ufffd",
        "b": Decimal("1.5"),
    }


@pytest.mark.parametrize("value", [None, 3, "x", [1]])
def test_what_is_no_mapping_is_an_empty_one(value: object) -> None:
    assert mapping(value) == {} == first(value)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, 7),
        ("7", 7),
        (Decimal("7.0"), 7),
        (0, 0),
        (10**12, 10**12),
        (10**12 + 1, None),
        (Decimal("1e999999999"), None),
        (-1, None),
        (True, None),
        ("\u0667", None),
        ("", None),
    ],
)
def test_tokens_are_whole_and_not_below_nothing(value: object, number: int | None) -> None:
    assert count(value) == number


def test_dollars_are_on_the_grid() -> None:
    assert dollars(Decimal("0.0000015")) == Decimal("0.000002")
    assert dollars("0.25") == Decimal("0.25")
    assert dollars(Decimal("1e10")) is None


def test_words_of_parts_are_joined() -> None:
    assert words([{"type": "text", "text": "a"}, "b", {"type": "image"}, 3]) == "ab"


def test_a_line_is_short_printable_and_without_the_key() -> None:
    assert LINER.line("a\n\tb\x00\u202e sk-0123456789abcdef") == "a b [key]"
    assert LINER.line("x" * 999, 5) == "xxxxx"
    assert LINER.line(["x"]) == ""
