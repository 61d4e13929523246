"""What is read from a provider's cache, told in each provider's accounting."""

import json
from collections.abc import Mapping
from contextlib import ExitStack
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.hangs import HANG
from tests.standins.asked import Format
from tests.standins.model_server import ModelServer, fails, in_turn
from tests.standins.prefix_cache import BLOCK, TOKEN
from tests.testing.bare import ALL, MODEL, body_of, path_of, post

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL
SHARED = "the shared facts of this round. " * 64  # 2,048 characters
RULES = "r" * 512
MARK = {"cache_control": {"type": "ephemeral"}}


def question(kind: Format, own: str, *, marked: bool = True, model: str = MODEL) -> Any:  # noqa: ANN401  JSON
    body = body_of(kind, SHARED + own, system=RULES, model=model)
    if kind is ANTHROPIC and marked:
        shared = {"type": "text", "text": SHARED, **MARK}
        body["system"] = [{"type": "text", "text": RULES, **MARK}]
        body["messages"] = [
            {"role": "user", "content": [shared, {"type": "text", "text": own}]}
        ]
    return body


def cached(kind: Format, told: Mapping[str, Any]) -> int:
    """The tokens that were read from the cache, as the format counts them."""
    match kind:
        case Format.CHAT:
            found = told["usage"]["prompt_tokens_details"]["cached_tokens"]
        case Format.RESPONSES:
            found = told["usage"]["input_tokens_details"]["cached_tokens"]
        case Format.ANTHROPIC:
            found = told["usage"]["cache_read_input_tokens"]
        case Format.GEMINI:
            found = told["usageMetadata"].get("cachedContentTokenCount", 0)
    return int(found)


@pytest.mark.parametrize("kind", ALL)
def test_what_two_prompts_share_is_read_from_the_cache_the_second_time(kind: Format) -> None:
    with ModelServer(in_turn("well")) as server:
        first = post(server, kind, question(kind, "mine")).json
        second = post(server, kind, question(kind, "yours")).json
    shared = (len(RULES) + len(SHARED)) // TOKEN
    assert cached(kind, first) == 0
    assert shared - BLOCK // TOKEN <= cached(kind, second) <= shared


def test_other_rules_or_another_model_share_nothing() -> None:
    with ModelServer(in_turn("well")) as server:
        post(server, CHAT, question(CHAT, "mine"))
        changed = body_of(CHAT, SHARED, system=f"R{RULES}")
        assert cached(CHAT, post(server, CHAT, changed).json) == 0
        other = question(CHAT, "mine", model="large")
        assert cached(CHAT, post(server, CHAT, other).json) == 0


def test_anthropic_keeps_what_is_marked_and_nothing_else() -> None:
    with ModelServer(in_turn("well")) as server:
        plain = [
            post(server, ANTHROPIC, question(ANTHROPIC, "own", marked=False)).json["usage"]
            for _ in range(2)
        ]
        first, second = (
            post(server, ANTHROPIC, question(ANTHROPIC, own)).json["usage"]
            for own in ("mine", "yours")
        )
    shared = (len(RULES) + len(SHARED)) // TOKEN
    assert [u["cache_read_input_tokens"] for u in plain] == [0, 0]
    assert [u["cache_creation_input_tokens"] for u in plain] == [0, 0]
    assert (first["cache_creation_input_tokens"], first["cache_read_input_tokens"]) == (
        shared,
        0,
    )
    assert (second["cache_creation_input_tokens"], second["cache_read_input_tokens"]) == (
        0,
        shared,
    )
    assert second["input_tokens"] == (len(RULES) + len(SHARED) + 5) // TOKEN - shared


def test_a_mark_on_the_whole_request_keeps_all_of_it() -> None:
    body = question(ANTHROPIC, "own", marked=False) | MARK
    with ModelServer(in_turn("well")) as server:
        counts = [post(server, ANTHROPIC, body).json["usage"] for _ in range(2)]
    assert [u["cache_read_input_tokens"] > 0 for u in counts] == [False, True]


def test_what_failed_warmed_nothing() -> None:
    with ModelServer(in_turn(fails(500), "well")) as server:
        post(server, CHAT, question(CHAT, "mine"))
        assert cached(CHAT, post(server, CHAT, question(CHAT, "mine")).json) == 0


def test_those_who_ask_together_warm_nothing_for_each_other() -> None:
    with ModelServer(in_turn("well"), latency=0.5) as server, ExitStack() as open_doors:
        doors = [
            HTTPConnection(urlsplit(server.base_url).netloc, timeout=HANG) for _ in range(2)
        ]
        for door in doors:
            open_doors.callback(door.close)
            door.connect()
        sent = json.dumps(question(CHAT, "mine"))
        for door in doors:
            door.request("POST", path_of(CHAT), sent)
        told = [json.loads(door.getresponse().read()) for door in doors]
        later = post(server, CHAT, question(CHAT, "mine")).json
    assert [cached(CHAT, one) for one in told] == [0, 0]
    assert cached(CHAT, later) > 0
