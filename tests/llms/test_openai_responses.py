import json
from collections.abc import Mapping
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.llms.client import WireClient
from arena.llms.options import Options
from arena.llms.profile import profile_of
from arena.llms.wires.openai_responses import OpenAiResponses, from_settings
from arena.llms.wires.request import request_of
from arena.llms.wires.wire import Ask, Output, Profile
from arena.records.answer import Question
from arena.records.settings import ModelSettings
from tests.llms.asking import KEY, QUESTION, settings

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
