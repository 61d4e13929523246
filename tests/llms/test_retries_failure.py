import json

import pytest

from arena.http import HttpReply
from arena.llms.retries import read_failure
from arena.llms.wires.lenient import Liner
from arena.llms.wires.unsupported_fields import FORMAT
from arena.llms.wires.wire import WireReply
from arena.records.answer import Trouble, Usage
from arena.records.money import usd
from arena.secrets import Redactor

KEY = "sk-0123456789abcdef"


def read(body: dict[str, object], status: int = 400, usage: Usage | None = None) -> WireReply:
    reply = HttpReply(status, (), json.dumps(body).encode())
    return read_failure(reply, body, Liner(Redactor(KEY)), usage or Usage())


def page(body: bytes, status: int = 401) -> WireReply:
    return read_failure(HttpReply(status, (), body), None, Liner(Redactor(KEY)), Usage())


@pytest.mark.parametrize(
    "body",
    [
        {"error": "boom"},
        {"error": {"message": "boom"}},
        {"error": None, "message": "boom", "object": "error"},
        {"detail": "boom"},
        {"detail": [{"loc": ["body"], "msg": "boom"}]},
        {"errors": [{"message": "boom"}]},
        {"error": {"message": {"detail": [{"msg": "boom"}]}}},
    ],
)
def test_every_shape_of_error_says_why(body: dict[str, object]) -> None:
    assert read(body).detail.removeprefix(": ") == "boom"


def test_a_router_s_error_is_read_through_to_its_host_s() -> None:
    raw = {"error": {"message": "Unsupported parameter: 'top_k'", "code": "insufficient_quota"}}
    metadata = {"raw": json.dumps(raw), "provider_name": "Some Host"}
    error = {"message": "Provider returned error", "code": 400, "metadata": metadata}
    said = read({"error": error})
    assert said.detail == "Provider returned error: Unsupported parameter: 'top_k' (400)"
    assert said.trouble is Trouble.QUOTA


def test_the_field_that_a_host_refused_is_found_inside_a_router_s_error() -> None:
    raw = json.dumps({"error": {"message": "no", "param": "seed", "code": "unsupported_value"}})
    wrapped: list[dict[str, object]] = [
        {"error": {"message": "Provider returned error", "metadata": {"raw": raw}}},
        {"error": {"message": f"Error from provider: {raw}"}},
        {"error": {"message": "failed", "cause": raw}},
    ]
    assert [read(body).refused for body in wrapped] == ["seed"] * 3


def test_a_validator_s_list_names_the_field() -> None:
    item = {
        "type": "extra_forbidden",
        "loc": ["body", "seed"],
        "msg": "Extra inputs are not permitted",
    }
    assert read({"detail": [item]}, status=422).refused == "seed"


def test_a_schema_that_is_refused_is_about_the_format() -> None:
    error = {"message": "Invalid schema", "param": "response_format", "code": "x"}
    assert read({"error": error}).refused == FORMAT


@pytest.mark.parametrize("status", [401, 429, 500])
def test_only_a_wrong_request_is_about_a_field(status: int) -> None:
    assert read({"error": {"message": "Unknown parameter: 'seed'"}}, status).refused == ""


def test_a_question_that_is_too_long_is_about_no_field() -> None:
    message = "maximum context length is 9; 'max_tokens' is not supported beyond"
    assert read({"error": {"message": message, "param": "max_tokens"}}).refused == ""


@pytest.mark.parametrize(
    ("status", "usage", "billed"),
    [
        (400, Usage(), False),
        (429, Usage(), False),
        (307, Usage(), False),
        (408, Usage(), None),
        (409, Usage(), None),
        (500, Usage(), False),
        (503, Usage(), False),
        (504, Usage(), None),
        (524, Usage(), None),
        (200, Usage(), None),
        (200, Usage(9, 1), True),
        (500, Usage(cost=usd("0.1")), True),
    ],
)
def test_what_was_charged(status: int, usage: Usage, billed: object) -> None:
    assert read({"error": "boom"}, status, usage).billed is billed


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"Unauthorized\nmore", "Unauthorized"),
        (b"\n\n  no auth credentials  \n", "no auth credentials"),
        (b"<html><head><title>401 Nope</title></head><body>x</body></html>", "401 Nope"),
        (b"<style>body{}</style><h1>x</h1>", "no reason given"),
        (b"", "no reason given"),
        (f"bad key {KEY}".encode(), "bad key [key]"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"a\x1b[31mb\x00", "a[31mb"),
    ],
)
def test_an_error_that_is_no_json_says_its_first_line(body: bytes, words: str) -> None:
    assert page(body).detail == words


def test_the_words_of_an_error_are_one_short_harmless_line() -> None:
    said = read({"error": {"message": "a\nb\x1b[31m\u202e" + "x" * 1_000}})
    assert said.detail.startswith("a b[31mxx")
    assert len(said.detail) <= 300


@pytest.mark.parametrize(
    ("status", "code", "trouble"),
    [
        (429, "insufficient_quota", Trouble.QUOTA),
        (400, "content_filter", Trouble.REFUSAL),
        (400, "invalid_prompt", Trouble.REFUSAL),
        (400, "invalid_api_key", Trouble.CREDENTIALS),
        (500, "context_length_exceeded", Trouble.TOO_LONG),
        (400, "string_above_max_length", Trouble.TOO_LONG),
        (400, "exceed_context_size_error", Trouble.TOO_LONG),
        (403, "unsupported_country_region_territory", Trouble.COUNTRY),
        (429, "rate_limit_exceeded", Trouble.RATE_LIMITED),
        (200, "rate_limit_exceeded", Trouble.RATE_LIMITED),
        (200, "503", Trouble.SERVER),
    ],
)
def test_a_code_says_more_than_its_status(status: int, code: str, trouble: Trouble) -> None:
    assert read({"error": {"message": "no", "code": code}}, status).trouble is trouble


USED_UP = [
    (429, "Your team has either used all available credits or reached its limit."),
    (429, "Monthly spending limit reached"),
    (403, "Your newly created team doesn't have any credits or licenses yet."),
    (400, "Insufficient balance"),
    (200, "Your credit balance is too low"),
]
TOO_LONG = [
    "This model's maximum context length is 8192 tokens. However, you requested 9000.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Your input exceeds the context window of this model.",
    "Input tokens exceed the configured limit of 272000 tokens.",
    "the request exceeds the available context size, try increasing it",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    "Input is too long for requested model.",
]
MISTAKEN = [
    "max_tokens is too large: 50000. This model supports at most 16384 completion tokens.",
    "Unsupported parameter: 'context' is not supported with this model.",
]
ABROAD = [
    (403, "Country, region, or territory not supported"),
    (403, "This model is not available in your region."),
    (400, "User location is not supported for the API use."),
]


@pytest.mark.parametrize(
    ("trouble", "status", "words"),
    [
        *((Trouble.QUOTA, *said) for said in USED_UP),
        *((Trouble.TOO_LONG, 400, words) for words in TOO_LONG),
        *((Trouble.COUNTRY, *said) for said in ABROAD),
    ],
)
def test_what_is_final_is_told_by_words_where_there_is_no_code(
    trouble: Trouble, status: int, words: str
) -> None:
    said = read({"error": {"message": words, "code": 429 if status == 200 else None}}, status)
    assert (said.trouble, said.again, said.refused) == (trouble, False, "")


@pytest.mark.parametrize(
    ("status", "words", "trouble"),
    [
        (429, "Rate limit reached: add credits to your account", Trouble.RATE_LIMITED),
        (500, "could not read the spend limit", Trouble.SERVER),
        (401, "no auth credentials", Trouble.CREDENTIALS),
        (400, "the model name is too long", Trouble.REQUEST),
        *((400, words, Trouble.REQUEST) for words in MISTAKEN),
    ],
)
def test_other_words_leave_it_at_what_the_status_says(
    status: int, words: str, trouble: Trouble
) -> None:
    assert read({"error": {"message": words}}, status).trouble is trouble
