import json
from typing import Any

import pytest

from arena.llms.wires.anthropic_messages import AnthropicMessages
from arena.llms.wires.lenient import NO_WORDS, ONLY_A_TOOL, ONLY_THOUGHTS
from arena.llms.wires.unsupported_fields import FORMAT
from arena.llms.wires.wire import Ask, Output, Profile, WireReply
from arena.records.answer import Question, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor
from tests.llms.asking import replied

KEY = "sk-ant-0123456789abcdef"
WIRE = AnthropicMessages()
SCHEMA = '{"type": "object", "properties": {"p": {"type": "number", "minimum": 0}}}'
QUESTION = Question("the rules", "the markets; my purse", shared=11, schema=SCHEMA)
MARK = {"type": "ephemeral"}


def model(**options: object) -> ModelSettings:
    return ModelSettings(
        name="claude",
        adapter="anthropic_messages",
        base_url="https://api.anthropic.com/v1/",
        model="claude-opus-5",
        max_tokens=700,
        options=tuple(options.items()),
    )


def body(
    question: Question = QUESTION,
    *,
    output: Output = Output.SCHEMA,
    caches: bool = True,
    without: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    profile = Profile(output=Output.SCHEMA, caches=caches)
    return dict(WIRE.body(Ask(model(), profile, question, output, without)))


def read(said: object, status: int = 200, **headers: str) -> WireReply:
    return WIRE.read(replied(said, status, **headers), Redactor(KEY))


def message(*blocks: object, stop_reason: str = "end_turn", **more: object) -> WireReply:
    said = {"type": "message", "model": "claude-opus-5-1", "content": list(blocks)}
    return read({**said, "stop_reason": stop_reason, **more})


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def error(kind: str, words: str = "no", status: int = 400, **more: object) -> WireReply:
    told = {"type": kind, "message": words, **more}
    return read({"type": "error", "error": told, "request_id": "req_7"}, status)


# --- what is said -----------------------------------------------------------------------------


def test_it_is_asked_at_messages_with_the_key_and_a_pinned_version() -> None:
    assert WIRE.url(model()) == "https://api.anthropic.com/v1/messages"
    headers = dict(WIRE.headers(model(), KEY))
    assert headers["x-api-key"] == KEY
    assert headers["anthropic-version"] == "2023-06-01"


def test_the_version_can_be_chosen_and_no_key_is_no_header() -> None:
    headers = dict(WIRE.headers(model(version="2026-10-21"), None))
    assert headers["anthropic-version"] == "2026-10-21"
    assert "x-api-key" not in headers


def test_rules_and_shared_facts_are_marked_and_what_is_one_s_own_is_not() -> None:
    said = body()
    assert said["system"] == [{**text("the rules"), "cache_control": MARK}]
    assert said["messages"] == [
        {
            "role": "user",
            "content": [{**text("the markets"), "cache_control": MARK}, text("; my purse")],
        }
    ]


def test_nothing_is_marked_where_marks_were_refused() -> None:
    assert "cache_control" not in json.dumps(body(without=frozenset({"cache_control"})))


def test_nothing_is_marked_where_nothing_is_shared_or_nothing_needs_a_mark() -> None:
    alone = Question("the rules", "the facts")
    assert body(alone)["messages"] == [{"role": "user", "content": "the facts"}]
    assert body(caches=False)["messages"][0]["content"] == QUESTION.user
    assert body(caches=False)["system"] == "the rules"


@pytest.mark.parametrize("shared", [9, 10, 11])
def test_no_block_is_white_space_alone(shared: int) -> None:
    said = body(Question("", "the facts\n\n", shared=shared))
    assert said["messages"][0]["content"] == [{**text("the facts\n\n"), "cache_control": MARK}]
    assert "system" not in said


def test_a_schema_goes_without_what_would_be_refused() -> None:
    assert body()["output_config"] == {
        "format": {
            "type": "json_schema",
            "schema": {
                "type": "object",
                "properties": {"p": {"type": "number"}},
                "additionalProperties": False,
            },
        }
    }


@pytest.mark.parametrize("output", [Output.JSON, Output.PROMPT])
def test_without_a_schema_nothing_is_said_of_the_format(output: Output) -> None:
    assert body(output=output).keys() == {"model", "max_tokens", "messages", "system"}


def test_no_tool_no_sampling_and_no_begun_answer() -> None:
    said = body()
    assert (said["model"], said["max_tokens"]) == ("claude-opus-5", 700)
    assert not said.keys() & {"tools", "tool_choice", "temperature", "top_p", "top_k"}
    assert [turn["role"] for turn in said["messages"]] == ["user"]


# --- what is understood -----------------------------------------------------------------------


def test_text_is_joined_and_thoughts_are_left_out() -> None:
    said = message(
        {"type": "thinking", "thinking": "a draft", "signature": "x"},
        {"type": "redacted_thinking", "data": "y"},
        text("one "),
        text("two"),
    )
    assert (said.text, said.trouble, said.finish) == ("one two", None, "end_turn")
    assert (said.model, said.billed) == ("claude-opus-5-1", True)


def test_what_the_cache_held_is_added_to_what_was_read() -> None:
    said = message(
        text("well"),
        usage={
            "input_tokens": 10,
            "cache_creation_input_tokens": 200,
            "cache_read_input_tokens": 3000,
            "output_tokens": 50,
            "output_tokens_details": {"thinking_tokens": 40},
            "service_tier": "standard",
        },
    )
    assert said.usage == Usage(3210, 50, None, 3000, 200, 40)
    assert said.tier == "standard"


@pytest.mark.parametrize(
    ("speed", "tier"), [("fast", "fast"), ("standard", "priority"), (["fast"], "priority")]
)
def test_the_fast_mode_is_a_tier_of_its_own(speed: object, tier: str) -> None:
    said = message(text("well"), usage={"service_tier": "priority", "speed": speed})
    assert said.tier == tier


def test_a_cache_that_is_not_told_of_adds_nothing_to_what_was_read() -> None:
    counts = {"input_tokens": 10, "output_tokens": 50, "cache_read_input_tokens": None}
    assert message(text("well"), usage=counts).usage == Usage(10, 50)


def test_unknown_counts_stay_unknown() -> None:
    assert message(text("well"), usage={"cache_read_input_tokens": 5}).usage == Usage(
        tokens_cached=5
    )


@pytest.mark.parametrize(
    ("stopped", "trouble"),
    [
        ("max_tokens", Trouble.TRUNCATED),
        ("model_context_window_exceeded", Trouble.TRUNCATED),
        ("pause_turn", Trouble.TRUNCATED),
        ("tool_use", Trouble.UNREADABLE),
        ("refusal", Trouble.REFUSAL),
        ("stop_sequence", None),
        ("something_new", None),
    ],
)
def test_why_it_stopped_counts_more_than_what_it_said(
    stopped: str, trouble: Trouble | None
) -> None:
    said = message(text('{"action": "BET"}'), stop_reason=stopped)
    assert (said.trouble, said.again) == (trouble, False)


def test_a_refusal_says_of_which_class_it_is() -> None:
    said = message(
        stop_reason="refusal", stop_details={"category": "cyber", "explanation": "Not this."}
    )
    assert (said.trouble, said.detail) == (Trouble.REFUSAL, "cyber: Not this.")


@pytest.mark.parametrize(
    ("kind", "status", "trouble", "again"),
    [
        ("invalid_request_error", 400, Trouble.REQUEST, False),
        ("authentication_error", 401, Trouble.CREDENTIALS, False),
        ("billing_error", 402, Trouble.QUOTA, False),
        ("permission_error", 403, Trouble.CREDENTIALS, False),
        ("not_found_error", 404, Trouble.REQUEST, False),
        ("request_too_large", 413, Trouble.TOO_LONG, False),
        ("rate_limit_error", 429, Trouble.RATE_LIMITED, True),
        ("api_error", 500, Trouble.SERVER, True),
        ("timeout_error", 504, Trouble.SERVER, True),
        ("overloaded_error", 529, Trouble.SERVER, True),
    ],
)
def test_an_error_means_the_same_under_its_status_and_under_200(
    kind: str, status: int, trouble: Trouble, *, again: bool
) -> None:
    for said in (error(kind, status=status), error(kind, status=200)):
        assert (said.trouble, said.again) == (trouble, again)
        assert said.detail == f"no ({kind}, req_7)"


def test_an_error_is_not_charged_for_and_lost_patience_may_be() -> None:
    assert error("overloaded_error", status=529).billed is False
    assert error("invalid_request_error").billed is False
    assert error("api_error", status=500).billed is False
    assert error("timeout_error", status=504).billed is None


def test_a_spend_limit_is_a_quota_and_no_reason_to_wait() -> None:
    said = error(
        "rate_limit_error",
        "You have crossed your monthly threshold.",
        429,
        details={"error_code": "enforced_spend_limit_reached"},
    )
    assert (said.trouble, said.again) == (Trouble.QUOTA, False)


@pytest.mark.parametrize(
    "words",
    [
        "You have reached your specified workspace API usage limits.",
        "Your credit balance is too low to access the Anthropic API.",
    ],
)
def test_a_limit_that_somebody_set_is_a_quota_too(words: str) -> None:
    said = error("invalid_request_error", words)
    assert (said.trouble, said.refused) == (Trouble.QUOTA, "")


def test_filtered_output_is_a_refusal() -> None:
    said = error("invalid_request_error", "Output blocked by content filtering policy")
    assert (said.trouble, said.refused) == (Trouble.REFUSAL, "")


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ("temperature: Extra inputs are not permitted", "temperature"),
        ("`temperature` is deprecated for this model.", "temperature"),
        ("This model does not support the effort parameter.", "effort"),
        ("output_config.effort: Extra inputs are not permitted", "output_config.effort"),
        ("output_config.format: not supported on this model", FORMAT),
        ("output_config.format.schema: For 'number', 'multipleOf' is not supported", FORMAT),
        ("The schema is too complex.", FORMAT),
        (
            "messages.0.content.0.text.cache_control: Extra inputs are not permitted",
            "messages.0.content.0.text.cache_control",
        ),
        ("max_tokens: 100000 > 64000, which is the maximum allowed", ""),
    ],
)
def test_the_field_that_was_refused_is_named(words: str, field: str) -> None:
    said = error("invalid_request_error", words)
    assert (said.trouble, said.refused) == (Trouble.REQUEST, field)


@pytest.mark.parametrize(
    ("blocks", "stopped", "why"),
    [
        ([], "end_turn", NO_WORDS),
        ([text("")], "end_turn", NO_WORDS),
        ([text(" \n")], "end_turn", NO_WORDS),
        ([{"type": "thinking", "thinking": "hm"}], "end_turn", ONLY_THOUGHTS),
        ([{"type": "redacted_thinking", "data": "x"}, text("")], "end_turn", ONLY_THOUGHTS),
        ([{"type": "tool_use", "name": "bet"}], "tool_use", ONLY_A_TOOL),
    ],
)
def test_an_answer_without_words_says_what_it_was_instead(
    blocks: list[object], stopped: str, why: str
) -> None:
    said = message(*blocks, stop_reason=stopped)
    assert (said.trouble, said.detail) == (Trouble.EMPTY, why)


@pytest.mark.parametrize(
    "words",
    [
        "prompt is too long: 210042 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    ],
)
def test_a_question_that_is_too_long_is_called_so(words: str) -> None:
    said = error("invalid_request_error", words)
    assert (said.trouble, said.refused) == (Trouble.TOO_LONG, "")


def test_a_request_from_a_country_that_is_not_served_is_not_a_bad_key() -> None:
    assert error("forbidden", "Request not allowed", 403).trouble is Trouble.COUNTRY
    assert error("forbidden", "Ask your admin", 403).trouble is Trouble.CREDENTIALS


def test_the_request_s_id_may_be_in_a_header() -> None:
    said = read({}, 500, request_id="req_8")
    assert said.detail == "no reason given (req_8)"


def test_a_key_that_is_echoed_is_hidden() -> None:
    said = error("authentication_error", f"bad key {KEY}", 401)
    assert said.detail.startswith("bad key [key]")
    assert message(text(f"I know {KEY}")).text == "I know [key]"


@pytest.mark.parametrize("said", [{}, [], 7, {"content": None}, {"content": {"text": "x"}}])
def test_success_without_a_message_is_the_server_s_mistake(said: object) -> None:
    reply = read(said)
    assert reply.text is None
    assert reply.trouble in {Trouble.SERVER, Trouble.UNREADABLE}


def test_a_long_complaint_is_read_whole_and_told_in_short() -> None:
    said = error(
        "invalid_request_error",
        "x" * 1_000 + " temperature: not supported, `top_k` is deprecated",
    )
    assert said.refused == "top_k"
    assert len(said.detail) < 400
