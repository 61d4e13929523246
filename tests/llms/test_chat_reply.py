import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.http import HttpReply
from arena.llms.chat_reply import ChatReply, Prices, read_chat
from arena.llms.redact import Redactor
from arena.records.answer import Trouble, Usage

FREE = Prices(None, None)


def read(body: object, status: int = 200) -> ChatReply:
    return read_bytes(json.dumps(body).encode(), status)


def read_bytes(body: bytes, status: int = 200) -> ChatReply:
    headers = (("content-type", "application/json"),)
    return read_chat(HttpReply(status, headers, body), FREE, Redactor(None))


def saying(content: object, **more: object) -> ChatReply:
    return read({"choices": [{"message": {"content": content, **more}}]})


def test_parts_of_text_are_joined_and_thoughts_left_out() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "one "},
        "two ",
        {"text": "three"},
        {"type": ["odd"], "text": "no"},
    ]
    assert saying(parts).text == "one two three"


def test_blank_lines_before_the_reply_are_fine() -> None:
    body = b"\n\n\n" + json.dumps({"choices": [{"message": {"content": "well"}}]}).encode()
    assert read_bytes(body).text == "well"


def test_what_no_database_can_keep_is_replaced() -> None:
    assert saying("a\ud800b\x00c").text == "a\ufffdb\ufffdc"


def test_a_finish_reason_of_its_own_is_kept() -> None:
    said = read({"choices": [{"message": {"content": "x"}, "finish_reason": "eos"}]})
    assert (said.finish, said.trouble) == ("eos", None)


def test_reasoning_tokens_are_inside_the_completion_s() -> None:
    usage = {
        "prompt_tokens": 3,
        "completion_tokens": 7,
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    said = read({"choices": [{"message": {"content": "x"}}], "usage": usage})
    assert said.usage == Usage(3, 7, None)


@pytest.mark.parametrize("count", [-1, True, "7", 1.5, None, 10**30])
def test_a_count_that_is_none_is_unknown(count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 7, "cost": "free"}
    said = read({"choices": [{"message": {"content": "x"}}], "usage": usage})
    assert said.usage == Usage(None, 7, None)


@pytest.mark.parametrize(
    "body",
    [
        {"error": "boom"},
        {"error": {"message": "boom"}},
        {"error": None, "message": "boom", "object": "error"},
        {"choices": [], "error": {"message": "boom", "code": 502}},
        {"choices": [{"error": {"message": "boom"}, "message": {"content": "half"}}]},
    ],
)
def test_an_error_with_status_200_is_a_server_s_and_says_why(body: object) -> None:
    said = read(body)
    assert (said.trouble, said.again, said.text) == (Trouble.SERVER, True, None)


def test_the_words_of_an_error_are_one_short_harmless_line() -> None:
    said = read({"error": {"message": "a\nb\x1b[31m\u202e" + "x" * 1_000}}, status=400)
    assert said.detail.startswith("a b[31mxx")
    assert len(said.detail) <= 300


@pytest.mark.parametrize("name", ["detail", "message"])
def test_other_servers_errors_are_read_too(name: str) -> None:
    assert read({name: "model not loaded"}, status=404).detail == "model not loaded"


NAMES = (
    "choices message content error code type text usage prompt_tokens cost finish_reason"
    " refusal metadata model"
)
keys = st.sampled_from(NAMES.split())
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(json_values, st.sampled_from([200, 204, 302, 400, 403, 429, 500, 599]))
def test_no_reply_breaks_the_reader(body: object, status: int) -> None:
    said = read(body, status)
    assert said.trouble is not None or said.text


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=50))
def test_no_bytes_break_the_reader(body: bytes) -> None:
    read_bytes(body)
