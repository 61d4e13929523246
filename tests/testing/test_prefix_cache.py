"""What is read from a provider's cache, told in each provider's accounting."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.standins.asked import Format
from tests.standins.model_server import ModelServer, in_turn
from tests.standins.prefix_cache import BLOCK, TOKEN
from tests.testing.bare import ALL, MODEL, body_of, post

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
