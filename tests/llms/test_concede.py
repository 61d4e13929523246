from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.llms.options import Options
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
    told,
)
from arena.llms.wires.wire import Output, Profile
from arena.records.answer import Question
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
