from collections.abc import Mapping
from typing import Any

import pytest

from tests.standins.asked import Format
from tests.standins.failures import (
    STOPPED_BY_AN_ERROR,
    USED,
    nested_under_provider,
)
from tests.standins.model_server import (
    EMPTY_CONTENT,
    Dialect,
    Misbehaviour,
    Served,
    Shape,
    cut_short,
)
from tests.testing.bare import ALL, heard, text_in, words

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL


def finish(kind: Format, said: Misbehaviour) -> object:
    told = words(kind, said)
    match kind:
        case Format.CHAT:
            return told["choices"][0]["finish_reason"]
        case Format.RESPONSES:
            return told["status"], (told["incomplete_details"] or {}).get("reason")
        case Format.ANTHROPIC:
            return told["stop_reason"]
        case Format.GEMINI:
            return told["candidates"][0]["finishReason"]


@pytest.mark.parametrize("kind", ALL)
def test_words_stand_where_the_format_has_them(kind: Format) -> None:
    assert text_in(kind, words(kind, "well")) == "well"
    assert text_in(kind, words(kind, EMPTY_CONTENT)) == ""


@pytest.mark.parametrize(
    ("kind", "whole", "cut", "filtered"),
    [
        (CHAT, "stop", "length", "content_filter"),
        (
            RESPONSES,
            ("completed", None),
            ("incomplete", "max_output_tokens"),
            ("incomplete", "content_filter"),
        ),
        (ANTHROPIC, "end_turn", "max_tokens", "refusal"),
        (GEMINI, "STOP", "MAX_TOKENS", "SAFETY"),
    ],
)
def test_why_it_stopped_is_said_in_the_format_s_word(
    kind: Format, whole: object, cut: object, filtered: object
) -> None:
    assert finish(kind, Misbehaviour(content="well")) == whole
    assert finish(kind, cut_short("we")) == cut
    assert finish(kind, Misbehaviour(content="we", finish="content_filter")) == filtered


def test_any_other_word_is_said_as_it_stands() -> None:
    assert finish(CHAT, Misbehaviour(finish="eos")) == "eos"
    assert finish(RESPONSES, Misbehaviour(finish="eos")) == ("incomplete", "eos")
    assert finish(RESPONSES, Misbehaviour(finish="cancelled")) == ("cancelled", None)
    assert finish(ANTHROPIC, Misbehaviour(finish="pause_turn")) == "pause_turn"
    assert finish(GEMINI, Misbehaviour(finish="RECITATION")) == "RECITATION"


def test_an_error_in_the_middle_is_a_reason_to_stop() -> None:
    assert finish(CHAT, STOPPED_BY_AN_ERROR) == "error"
    assert finish(RESPONSES, STOPPED_BY_AN_ERROR) == ("failed", None)
    assert finish(GEMINI, STOPPED_BY_AN_ERROR) == "OTHER"


REFUSAL = Misbehaviour(refusal="I cannot.")


def test_a_refusal_is_the_message_s_own_field_in_chat() -> None:
    message = words(CHAT, REFUSAL)["choices"][0]["message"]
    assert (message["refusal"], message["content"]) == ("I cannot.", None)


def test_a_refusal_is_a_part_of_the_message_in_responses() -> None:
    (message,) = words(RESPONSES, REFUSAL)["output"]
    assert message["content"] == [{"type": "refusal", "refusal": "I cannot."}]


def test_a_refusal_is_why_it_stopped_in_the_other_two() -> None:
    told = words(ANTHROPIC, REFUSAL)
    assert (told["stop_reason"], told["content"]) == ("refusal", [])
    assert told["stop_details"]["explanation"] == "I cannot."
    assert finish(GEMINI, REFUSAL) == "SAFETY"


BLOCKED = Misbehaviour(shape=Shape.BLOCKED)


def test_a_blocked_prompt_has_no_candidates_but_feedback_in_gemini() -> None:
    told = words(GEMINI, BLOCKED)
    assert "candidates" not in told
    assert told["promptFeedback"] == {"blockReason": "PROHIBITED_CONTENT"}


def test_a_blocked_prompt_is_a_refusal_without_words_in_anthropic() -> None:
    told = words(ANTHROPIC, BLOCKED)
    assert (told["stop_reason"], told["content"]) == ("refusal", [])


@pytest.mark.parametrize("kind", [CHAT, RESPONSES])
def test_a_blocked_prompt_is_an_error_where_openai_s_formats_are_spoken(kind: Format) -> None:
    reply = heard(BLOCKED, kind)
    assert (reply.status, reply.json["error"]["code"]) == (400, "invalid_prompt")


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (CHAT, "choices"),
        (RESPONSES, "output"),
        (ANTHROPIC, "content"),
        (GEMINI, "candidates"),
    ],
)
def test_a_completion_may_hold_none(kind: Format, field: str) -> None:
    assert words(kind, Misbehaviour(shape=Shape.NONE))[field] == []
    assert words(kind, Misbehaviour(shape=Shape.NULL))[field] is None


def test_a_completion_may_be_nested_under_the_provider() -> None:
    told = words(CHAT, nested_under_provider("well"))
    assert (told["id"], told["choices"], told["model"]) == (None, None, None)
    assert text_in(CHAT, told["provider"]) == "well"


THINKING = Misbehaviour(content="well", thinking="hm")


def in_dialect(dialect: Dialect) -> Mapping[str, Any]:
    said = Misbehaviour(content="well", thinking="hm", served=Served(dialect=dialect))
    message: Mapping[str, Any] = words(CHAT, said)["choices"][0]["message"]
    return message


@pytest.mark.parametrize(
    ("dialect", "field"),
    [
        (Dialect.DEEPSEEK, "reasoning_content"),
        (Dialect.OLLAMA, "reasoning"),
        (Dialect.OPENROUTER, "reasoning"),
    ],
)
def test_each_server_of_the_chat_format_thinks_in_its_own_field(
    dialect: Dialect, field: str
) -> None:
    message = in_dialect(dialect)
    assert (message[field], message["content"]) == ("hm", "well")


def test_mistral_thinks_in_the_content() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    assert in_dialect(Dialect.MISTRAL)["content"] == [thought, {"type": "text", "text": "well"}]


def test_thoughts_stand_before_the_words_in_the_other_formats() -> None:
    assert [item["type"] for item in words(RESPONSES, THINKING)["output"]] == [
        "reasoning",
        "message",
    ]
    assert [part["type"] for part in words(ANTHROPIC, THINKING)["content"]] == [
        "thinking",
        "text",
    ]
    assert words(GEMINI, THINKING)["candidates"][0]["content"]["parts"] == [
        {"text": "hm", "thought": True},
        {"text": "well"},
    ]


@pytest.mark.parametrize("kind", ALL)
def test_parts_are_said_as_they_stand(kind: Format) -> None:
    part = {"type": "odd", "text": "well"}
    assert text_in(kind, words(kind, Misbehaviour(content=[part]))) in ("well", [part])


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


def test_deepseek_counts_hits_and_misses() -> None:
    usage = counted(CHAT, Dialect.DEEPSEEK)
    assert (usage["prompt_cache_hit_tokens"], usage["prompt_cache_miss_tokens"]) == (600, 400)
    assert "prompt_tokens_details" not in usage


def test_xai_counts_reasoning_beside_the_answer_and_dollars_in_ticks() -> None:
    usage = counted(CHAT, Dialect.XAI)
    assert (usage["completion_tokens"], usage["total_tokens"]) == (300, 1500)
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 200}
    assert usage["cost_in_usd_ticks"] == 123_000_000
    assert "cost" not in usage


def test_ollama_has_no_details() -> None:
    assert set(counted(CHAT, Dialect.OLLAMA)) == {
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "cost",
        "is_byok",
    }


def test_a_router_says_what_it_cost_and_who_answered() -> None:
    served = Served(cost=0.0123, route="Somebody", dialect=Dialect.OPENROUTER)
    told = words(CHAT, Misbehaviour(content="well", served=served))
    assert (told["usage"]["cost"], told["provider"]) == (0.0123, "Somebody")
    assert told["choices"][0]["native_finish_reason"] == "stop"


def test_usage_may_be_missing() -> None:
    for kind in ALL:
        told = words(kind, Misbehaviour(content="well", served=Served(usage=False)))
        assert not {"usage", "usageMetadata"} & told.keys()


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (CHAT, "model"),
        (RESPONSES, "model"),
        (ANTHROPIC, "model"),
        (GEMINI, "modelVersion"),
    ],
)
def test_another_model_than_was_asked_for_may_answer(kind: Format, field: str) -> None:
    said = Misbehaviour(content="well", served=Served(model="grok-4.3"))
    assert words(kind, said)[field] == "grok-4.3"
    assert words(kind, "well")[field] == "small-1"


def test_the_tier_is_told() -> None:
    said = Misbehaviour(content="well", served=Served(tier="flex"))
    assert words(CHAT, said)["service_tier"] == "flex"
    assert words(RESPONSES, said)["service_tier"] == "flex"
    assert words(ANTHROPIC, said)["usage"]["service_tier"] == "flex"
    assert words(GEMINI, said)["usageMetadata"]["serviceTier"] == "flex"
