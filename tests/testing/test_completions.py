from collections.abc import Mapping
from typing import Any

import pytest

from tests.standins.asked import Format
from tests.standins.failures import (
    USED,
)
from tests.standins.model_server import (
    EMPTY_CONTENT,
    Dialect,
    Misbehaviour,
    Served,
    Shape,
)
from tests.testing.bare import ALL, text_in, words

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL


@pytest.mark.parametrize("kind", ALL)
def test_words_stand_where_the_format_has_them(kind: Format) -> None:
    assert text_in(kind, words(kind, "well")) == "well"
    assert text_in(kind, words(kind, EMPTY_CONTENT)) == ""


BLOCKED = Misbehaviour(shape=Shape.BLOCKED)


def counted(kind: Format, dialect: Dialect = Dialect.OPENAI) -> Mapping[str, Any]:
    served = Served(tokens=USED, cost=0.0123, dialect=dialect)
    told = words(kind, Misbehaviour(content="well", served=served))
    usage: Mapping[str, Any] = told["usageMetadata" if kind is GEMINI else "usage"]
    return usage


def test_openai_counts_the_cached_in_the_total() -> None:
    usage = counted(CHAT)
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (1000, 500)
    assert usage["prompt_tokens_details"] == {"cached_tokens": 600, "cache_write_tokens": 300}
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 200}
    usage = counted(RESPONSES)
    assert (usage["input_tokens"], usage["output_tokens"]) == (1000, 500)
    assert usage["input_tokens_details"]["cached_tokens"] == 600
    assert usage["output_tokens_details"] == {"reasoning_tokens": 200}


def test_anthropic_counts_the_cached_apart() -> None:
    usage = counted(ANTHROPIC)
    assert usage["input_tokens"] == 100
    assert usage["cache_read_input_tokens"] == 600
    assert usage["cache_creation_input_tokens"] == 300
    assert usage["output_tokens"] == 500
    assert usage["output_tokens_details"] == {"thinking_tokens": 200}


def test_gemini_counts_thoughts_apart() -> None:
    assert counted(GEMINI) == {
        "promptTokenCount": 1000,
        "cachedContentTokenCount": 600,
        "candidatesTokenCount": 300,
        "thoughtsTokenCount": 200,
        "totalTokenCount": 1500,
    }
