"""Messages as servers are known to word them."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.llms.profile import Options
from arena.llms.wires.openai_chat import OpenAiChat
from arena.llms.wires.request import request_of
from arena.llms.wires.unsupported_fields import (
    FORMAT,
    KEPT,
    THINKING,
    Spared,
    ask_for,
    concede,
    fitting,
    refused_field,
    told,
)
from arena.llms.wires.wire import Output, Profile
from arena.records.answer import Question
from tests.hangs import grows_in_proportion
from tests.llms.asking import settings

MODEL = settings("https://x.example/v1")
QUESTION = Question("rules", "facts, as JSON", schema='{"type": "object"}')
THINKS = Profile(
    effort_field="generationConfig.thinkingConfig.thinkingLevel",
    efforts=("low",),
    with_effort=(("thinking.type", "adaptive"),),
)
EXTRA: Mapping[str, object] = {
    "temperature": 1,
    "reasoning": {"effort": "low", "summary": "auto"},
    "generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}, "topP": 1},
}


def after(
    refused: str,
    spared: Spared | None = None,
    *,
    profile: Profile | None = None,
    best: Output = Output.SCHEMA,
) -> Spared | None:
    """What a server is spared once it has refused a field of a request that holds many."""
    spared = spared or Spared()
    ask = ask_for(MODEL, profile or Profile(), QUESTION, spared, best)
    body = request_of(OpenAiChat(), ask, Options(extra=EXTRA, route={"order": ["one"]}))
    return concede(refused, ask, spared, body)


@pytest.mark.parametrize(
    ("refused", "path"),
    [
        ("temperature", "temperature"),
        ("stream", "stream"),
        ("Temperature", "temperature"),
        ("reasoning.effort", "reasoning.effort"),
        ("effort", "reasoning.effort"),
        ("reasoning", "reasoning"),
        ("reasoning.effort.x", "reasoning.effort"),
        ("generation_config.top_p", "generationConfig.topP"),
        ("topP", "generationConfig.topP"),
    ],
)
def test_a_field_is_found_by_any_of_its_names(refused: str, path: str) -> None:
    assert after(refused) == Spared(frozenset({path}))


@pytest.mark.parametrize(
    "refused",
    [
        "-",
        "nothing",
        "model",
        "messages",
        "messages[1].role",
        "provider",
        "provider.order",
        "max_tokens.x",
        "generationConfig",
        "type",
        "schema",
    ],
)
def test_what_was_not_sent_or_has_to_be_is_not_dropped(refused: str) -> None:
    assert after(refused) is None


def test_nothing_is_dropped_twice() -> None:
    once = after("temperature")
    assert once is not None
    assert after("temperature", once) is None


def test_a_format_is_lowered_one_step_at_a_time() -> None:
    first = after(FORMAT)
    assert first == Spared(output=Output.JSON)
    assert after(FORMAT, first) == Spared(output=Output.PROMPT)
    assert after(FORMAT, Spared(output=Output.PROMPT)) is None


def test_json_mode_is_passed_over_where_json_is_not_mentioned() -> None:
    question = Question("rules", "facts", schema="{}")
    assert fitting(Output.JSON, question, Profile()) is Output.PROMPT
    assert fitting(Output.SCHEMA, question, Profile()) is Output.SCHEMA
    ask = ask_for(MODEL, Profile(), question, Spared(), Output.SCHEMA)
    assert concede(FORMAT, ask, Spared(), {}) == Spared(output=Output.PROMPT)


def test_free_words_are_held_to_nothing() -> None:
    assert fitting(Output.SCHEMA, replace(QUESTION, schema=""), Profile()) is Output.PROMPT


def test_thinking_is_dropped_wherever_it_is_said() -> None:
    assert after(THINKING, profile=THINKS) == Spared(
        frozenset({"generationConfig.thinkingConfig.thinkingLevel"})
    )


def test_a_mark_inside_a_message_is_left_out_by_the_wire() -> None:
    refused = "messages.0.content.0.text.cache_control"
    assert after(refused, profile=Profile(caches=True)) == Spared(frozenset({"cache_control"}))
    assert after(refused) is None


def test_two_questions_that_met_one_server_know_it_together() -> None:
    one = Spared(frozenset({"a"}), Output.JSON)
    two = Spared(frozenset({"b"}), Output.PROMPT, "max_completion_tokens")
    both = Spared(frozenset({"a", "b"}), Output.PROMPT, "max_completion_tokens")
    assert one.with_also(two) == two.with_also(one) == both


def test_everything_that_was_left_out_is_told() -> None:
    spared = Spared(frozenset({"b", "a"}), Output.PROMPT, "max_completion_tokens")
    ask = ask_for(MODEL, Profile(), QUESTION, spared, Output.SCHEMA)
    assert told(ask, Profile(), Output.SCHEMA) == (
        "prompt instead of schema",
        "max_completion_tokens instead of max_tokens",
        "without a",
        "without b",
    )


@given(st.text(max_size=12) | st.sampled_from([*KEPT, "max_tokens", FORMAT, THINKING]))
def test_no_complaint_takes_away_what_is_asked_of_whom(refused: str) -> None:
    spared = after(refused, profile=THINKS) or Spared()
    ask = ask_for(MODEL, Profile(), QUESTION, spared, Output.SCHEMA)
    body = request_of(OpenAiChat(), ask, Options(extra=EXTRA, route={"order": ["one"]}))
    assert {"model", "messages", "provider"} <= body.keys()
    assert 4096 in {body.get("max_tokens"), body.get("max_completion_tokens")}


NAMED = [
    ("Unsupported parameter: 'max_tokens' is not supported with this model.", "max_tokens"),
    ("Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
    ("Unrecognized request argument supplied: top_k", "top_k"),
    ("temperature: Extra inputs are not permitted", "temperature"),
    ("`temperature` is deprecated for this model.", "temperature"),
    ("output_config.effort: Input should be 'low' or 'high'", "output_config.effort"),
    ("This model does not support the effort parameter.", "effort"),
    ('"thinking.type.disabled" is not supported for this model.', "thinking.type.disabled"),
    ("Unknown name \"topP\" at 'generation_config': Cannot find field.", "topP"),
    ("UnsupportedParamsError: openai does not support parameters: ['seed'], for m", "seed"),
    ("Argument not supported on this model: stop", "stop"),
    ("Model grok-4 does not support parameter reasoningEffort.", "reasoningEffort"),
    ("property 'seed' is unsupported, did you mean 'x'?", "seed"),
    ("[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'no'}]", "seed"),
    ('{"detail":"Unsupported parameter: metadata"}', "metadata"),
    ("got an unexpected keyword argument 'top_k'", "top_k"),
    ('Error: {\\n \\"message\\": \\"Unsupported parameter: \'top_p\' is not', "top_p"),
]
ABOUT_THE_FORMAT = [
    "This response_format type is unavailable now",
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported.",
    "output_config.format: Extra inputs are not permitted",
    "Schema is too complex for compilation",
    "Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.",
    "No endpoints found that support the requested parameters",
    "'response_format.json_schema.schema' must be an object",
    "Failed to parse grammar",
    "does not support parameters: ['response_format'], for model=x",
]
ABOUT_THINKING = [
    "Thinking level MINIMAL is not supported for this model.",
    "Budget 0 is invalid. This model only works in thinking mode.",
    '"llama3" does not support thinking',
    "Reasoning is mandatory for this endpoint and cannot be disabled",
]
ABOUT_NOTHING_WE_COULD_DROP = [
    "This model's maximum context length is 8192 tokens.",
    "`max_tokens` or `max_completion_tokens` is too large: 4096.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The model `x` does not exist or you do not have access to it.",
    "`temperature` and `top_p` cannot both be specified for this model.",
    "",
]


@pytest.mark.parametrize(("message", "field"), NAMED)
def test_the_field_is_found_in_the_words(message: str, field: str) -> None:
    assert refused_field(message) == field


@pytest.mark.parametrize("message", ABOUT_THE_FORMAT)
def test_a_complaint_about_the_format_is_one_whatever_the_field(message: str) -> None:
    assert refused_field(message) == FORMAT


@pytest.mark.parametrize("message", ABOUT_THINKING)
def test_a_complaint_about_thinking_is_one_whatever_the_field(message: str) -> None:
    assert refused_field(message) == THINKING


@pytest.mark.parametrize("message", ABOUT_NOTHING_WE_COULD_DROP)
def test_other_mistakes_name_no_field(message: str) -> None:
    assert refused_field(message) == ""


@pytest.mark.parametrize(
    ("message", "param", "code", "field"),
    [
        ("Unknown parameter: 'a.b'.", "a.b", "unknown_parameter", "a.b"),
        ("no", "temperature", "unsupported_value", "temperature"),
        (
            "Invalid schema for response_format",
            "response_format",
            "invalid_json_schema",
            FORMAT,
        ),
        ("Invalid schema", "text.format.schema", "invalid_json_schema", FORMAT),
        ("'messages' must contain the word 'json' in some form", "messages", "", FORMAT),
        ("max_tokens is too large: 4096.", "max_tokens", "", ""),
        ("The model does not exist", "model", "model_not_found", ""),
    ],
)
def test_the_server_s_own_place_for_the_field_counts_more(
    message: str, param: str, code: str, field: str
) -> None:
    assert refused_field(message, param=param, code=code) == field


@pytest.mark.parametrize(
    "piece",
    ["a", "a.", "unknown ", "'\"`\\", "extra_forbidden", "does not support the ", "[(body'"],
)
def test_no_message_takes_long(piece: str) -> None:
    assert grows_in_proportion(lambda n: refused_field(piece * (n // len(piece))), 100_000)
