from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.llms.profile import options_of, profile_of
from arena.llms.wires.openai_chat import OpenAiChat, from_settings
from arena.llms.wires.request import request_of
from arena.llms.wires.wire import Ask, Output, Profile
from arena.records.answer import Question
from tests.llms.asking import KEY, QUESTION, settings

MODEL = settings("https://x.example/v1")
SCHEMA = Question("rules", "facts", schema='{"type": "object"}')
SHARED = Question("rules", "all of us. me.", shared=11)


def body(
    question: Question, output: Output = Output.PROMPT, profile: Profile | None = None
) -> Mapping[str, Any]:
    return OpenAiChat().body(Ask(MODEL, profile or Profile(), question, output))


def sent(url: str, model: str, options: Mapping[str, object]) -> Mapping[str, Any]:
    """What would be sent to a server, with its profile and the options."""
    configured = replace(settings(url, options=dict(options)), model=model)
    profile = profile_of(configured)
    checked = options_of(configured, profile, OpenAiChat().options)
    ask = Ask(configured, profile, QUESTION, profile.output)
    return request_of(OpenAiChat(), ask, checked)


def test_a_request_to_an_unknown_server_holds_no_more_than_is_needed() -> None:
    assert sent("https://x.example/v1", "small-1", {}) == {
        "model": "small-1",
        "messages": [
            {"role": "system", "content": "the rules"},
            {"role": "user", "content": "the facts"},
        ],
        "max_tokens": 4096,
        "stream": False,
    }


def test_a_schema_is_named_and_strict_where_the_server_knows_the_word() -> None:
    said = body(SCHEMA, Output.SCHEMA, Profile(strict=True))["response_format"]
    assert said == {
        "type": "json_schema",
        "json_schema": {"name": "decision", "schema": {"type": "object"}, "strict": True},
    }
    assert "strict" not in body(SCHEMA, Output.SCHEMA)["response_format"]["json_schema"]


def test_json_mode_and_none() -> None:
    assert body(SCHEMA, Output.JSON)["response_format"] == {"type": "json_object"}
    assert "response_format" not in body(SCHEMA, Output.PROMPT)


def test_the_shared_beginning_is_marked_where_that_is_needed() -> None:
    assert body(SHARED, profile=Profile(caches=True))["messages"][1]["content"] == [
        {"type": "text", "text": "all of us. ", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "me."},
    ]
    assert body(SHARED)["messages"][1]["content"] == "all of us. me."


def test_nothing_is_marked_where_nothing_is_shared_or_the_mark_was_refused() -> None:
    marks = Profile(caches=True)
    assert body(QUESTION, profile=marks)["messages"][1]["content"] == "the facts"
    refused = Ask(MODEL, marks, SHARED, Output.PROMPT, frozenset({"cache_control"}))
    said: Mapping[str, Any] = OpenAiChat().body(refused)
    assert said["messages"][1]["content"] == "all of us. me."


def test_the_rules_are_said_in_the_role_that_the_model_knows() -> None:
    said = body(QUESTION, profile=Profile(system_role="developer"))
    assert [message["role"] for message in said["messages"]] == ["developer", "user"]


def test_the_key_is_a_bearer_token_and_no_key_is_nothing() -> None:
    assert ("Authorization", f"Bearer {KEY}") in OpenAiChat().headers(MODEL, KEY)
    assert "Authorization" not in dict(OpenAiChat().headers(MODEL, None))


def test_the_address_takes_a_slash_at_its_end() -> None:
    url = OpenAiChat().url(settings("https://x.example/v1/"))
    assert url == "https://x.example/v1/chat/completions"


def test_openai_is_asked_in_its_own_words() -> None:
    said = sent("https://api.openai.com/v1", "gpt-5.6-sol", {"effort": "low"})
    assert said["max_completion_tokens"] == 4096
    assert "max_tokens" not in said
    assert said["reasoning_effort"] == "low"


def test_a_route_is_pinned() -> None:
    route = {"order": ["one", "two"], "quantizations": ["fp8"], "max_price": {"prompt": 1}}
    said = sent("https://openrouter.ai/api/v1", "some/model", {"route": route})
    assert said["provider"] == {
        "order": ["one", "two"],
        "quantizations": ["fp8"],
        "max_price": {"prompt": 1},
        "allow_fallbacks": False,
        "require_parameters": True,
        "data_collection": "deny",
    }


def test_deepseek_turns_thinking_off_in_a_way_of_its_own() -> None:
    said = sent("https://api.deepseek.com", "deepseek-v4-pro", {"effort": "none"})
    assert said["thinking"] == {"type": "disabled"}
    assert "reasoning_effort" not in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0}, "no option temperature"),
        ({"json_mode": True}, "no option json_mode"),
        ({"token_field": "tokens"}, "token_field"),
        ({"output": "xml"}, "output"),
        ({"effort": "low"}, "no effort at all"),
        ({"sampling": {"temperature": 0}}, "no sampling parameters"),
        ({"extra": "stop"}, "extra"),
        ({"extra": {"stream": True}}, "stream"),
        ({"extra": {"plugins": [{"id": "response-healing"}]}}, "plugins"),
        ({"extra": {"max_completion_tokens": 100_000}}, "holds max_completion_tokens"),
        ({"extra": {"generationConfig": {"maxOutputTokens": 9}}}, "holds maxOutputTokens"),
        ({"extra": {"generationConfig": {"candidateCount": 8}}}, "holds candidateCount"),
        ({"extra": {"web_search_options": {}}}, "holds web_search_options"),
        ({"route": {"hosts": ["one"]}}, "no hosts"),
        ({"profile": {"output": "xml"}}, "output is none of schema, json, prompt"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArenaError, match=message) as caught:
        from_settings(settings("http://127.0.0.1:1/v1", options=options), None)
    assert caught.value.status == 2
