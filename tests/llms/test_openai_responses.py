import json
from collections.abc import Mapping
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.llms.client import WireClient
from arena.llms.profile import Options, profile_of
from arena.llms.wires.lenient import NO_WORDS, ONLY_A_TOOL, ONLY_THOUGHTS
from arena.llms.wires.openai_responses import OpenAiResponses, from_settings
from arena.llms.wires.request import request_of
from arena.llms.wires.wire import Ask, Output, Profile, WireReply
from arena.records.answer import Question, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor
from tests.llms.asking import KEY, QUESTION, replied, settings

MODEL = settings("https://x.example/v1")
SCHEMA = Question("rules", "facts, as JSON", schema=json.dumps({"type": "object"}))


def body(output: Output, profile: Profile | None = None) -> Mapping[str, Any]:
    return OpenAiResponses().body(Ask(MODEL, profile or Profile(), SCHEMA, output))


def test_a_request_keeps_nothing_at_the_provider_and_holds_no_sampling() -> None:
    ask = Ask(MODEL, Profile(), QUESTION, Output.PROMPT)
    assert OpenAiResponses().body(ask) == {
        "model": "small-1",
        "instructions": "the rules",
        "input": [{"role": "user", "content": "the facts"}],
        "max_output_tokens": 4096,
        "store": False,
        "stream": False,
    }


def test_a_schema_is_the_format_of_the_text() -> None:
    assert body(Output.SCHEMA, Profile(strict=True))["text"] == {
        "format": {
            "type": "json_schema",
            "name": "decision",
            "schema": {"type": "object"},
            "strict": True,
        }
    }
    assert body(Output.JSON)["text"] == {"format": {"type": "json_object"}}


def test_effort_has_a_place_of_its_own() -> None:
    model = ModelSettings(
        "m", "openai_responses", "https://api.openai.com/v1", "gpt-6-astra", max_tokens=9
    )
    ask = Ask(model, profile_of(model), QUESTION, Output.PROMPT)
    said = request_of(OpenAiResponses(), ask, Options(effort="max"))
    assert said["reasoning"] == {"effort": "max"}
    assert said["max_output_tokens"] == 9


def test_address_and_key() -> None:
    wire = OpenAiResponses()
    assert wire.url(MODEL) == "https://x.example/v1/responses"
    assert ("Authorization", f"Bearer {KEY}") in wire.headers(MODEL, KEY)


def test_the_field_for_the_length_is_not_free_to_choose() -> None:
    with pytest.raises(ArenaError, match="no option token_field"):
        from_settings(
            settings("https://x.example", options={"token_field": "max_tokens"}), None
        )


def test_it_is_built_from_its_settings() -> None:
    assert isinstance(from_settings(MODEL, KEY), WireClient)


HIDDEN_KEY = "sk-0123456789abcdef"


def read(body: object, status: int = 200) -> WireReply:
    return OpenAiResponses().read(replied(body, status), Redactor(HIDDEN_KEY))


def message(*parts: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(parts), **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "output_text", "text": words}


def saying(*items: object, **more: object) -> WireReply:
    return read({"status": "completed", "error": None, "output": list(items), **more})


def test_messages_are_the_reply_and_reasoning_is_passed_over() -> None:
    reasoning = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "content": [{"type": "reasoning_text", "text": "hm"}],
    }
    said = saying(reasoning, message(text("one "), text("two")), {"type": "function_call"}, 3)
    assert said.text == "one two"
    assert said.trouble is None
    assert said.finish == "completed"
    assert said.billed is True


def test_comments_on_the_work_under_way_are_not_the_reply() -> None:
    said = saying(
        message(text("Let me see."), phase="commentary"),
        message(text("well"), phase="final_answer"),
    )
    assert said.text == "well"


@pytest.mark.parametrize(
    ("reason", "trouble"),
    [
        ("max_output_tokens", Trouble.TRUNCATED),
        ("content_filter", Trouble.REFUSAL),
        ("something_new", Trouble.TRUNCATED),
        (None, Trouble.TRUNCATED),
    ],
)
def test_what_is_incomplete_is_not_an_answer(reason: str | None, trouble: Trouble) -> None:
    details = {"reason": reason} if reason else None
    said = saying(message(text("{}")), status="incomplete", incomplete_details=details)
    assert (said.trouble, said.text) == (trouble, "{}")
    assert said.finish == (reason or "incomplete")


def test_a_refusal_is_a_part_of_the_message() -> None:
    said = saying(message({"type": "refusal", "refusal": "I will not."}))
    assert (said.trouble, said.detail, said.text) == (Trouble.REFUSAL, "I will not.", None)


@pytest.mark.parametrize(
    ("items", "why"),
    [
        ([], NO_WORDS),
        ([message(text(" "))], NO_WORDS),
        ([{"type": "reasoning", "summary": []}], ONLY_THOUGHTS),
        ([{"type": "reasoning"}, message(text(""))], ONLY_THOUGHTS),
        ([{"type": "reasoning"}, {"type": "function_call", "name": "bet"}], ONLY_A_TOOL),
        ([{"type": "web_search_call"}], ONLY_A_TOOL),
        ([message(text("Let me see."), phase="commentary")], NO_WORDS),
    ],
)
def test_an_answer_without_words_says_what_it_was_instead(
    items: list[object], why: str
) -> None:
    said = saying(*items)
    assert (said.trouble, said.detail) == (Trouble.EMPTY, why)


def test_parts_are_counted_inside_the_totals() -> None:
    usage = {
        "input_tokens": 1_000,
        "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 100},
        "output_tokens": 70,
        "output_tokens_details": {"reasoning_tokens": 50},
    }
    said = saying(message(text("x")), usage=usage, service_tier="flex", model="m-1")
    assert said.usage == Usage(1_000, 70, None, 600, 100, 50)
    assert (said.tier, said.model) == ("flex", "m-1")


@pytest.mark.parametrize(
    ("error", "trouble", "again"),
    [
        ({"code": "server_error", "message": "boom"}, Trouble.SERVER, True),
        ({"code": "rate_limit_exceeded", "message": "slow"}, Trouble.RATE_LIMITED, True),
        ({"code": "invalid_prompt", "message": "flagged"}, Trouble.REFUSAL, False),
    ],
)
def test_a_response_that_failed_says_why(
    error: dict[str, str], trouble: Trouble, again: object
) -> None:
    said = saying(status="failed", error=error)
    assert (said.trouble, said.again) == (trouble, again)
    assert error["message"] in said.detail


@pytest.mark.parametrize("status", ["cancelled", "queued", "in_progress"])
def test_a_response_that_never_came_is_the_server_s_fault(status: str) -> None:
    said = saying(message(text("half")), status=status)
    assert (said.trouble, said.text) == (Trouble.SERVER, None)
    assert status in said.detail


def test_a_chat_completion_is_no_response() -> None:
    said = read({"choices": [{"message": {"content": "x"}}]})
    assert (said.trouble, said.detail) == (Trouble.SERVER, "there is no output in it")


def test_the_key_is_in_no_word_that_is_kept() -> None:
    echo = f"your key {HIDDEN_KEY}"
    replies = [
        saying(message(text(echo), {"type": "refusal", "refusal": echo}), model=HIDDEN_KEY),
        saying(status="failed", error={"code": HIDDEN_KEY, "message": echo}),
        saying(
            status="incomplete",
            incomplete_details={"reason": HIDDEN_KEY},
            service_tier=HIDDEN_KEY,
        ),
        read(
            {
                "error": {
                    "message": echo,
                    "param": HIDDEN_KEY,
                    "code": "unsupported_parameter",
                }
            },
            400,
        ),
    ]
    assert HIDDEN_KEY not in repr(replies)
