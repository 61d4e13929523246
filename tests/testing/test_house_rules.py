"""A stand-in that takes any schema would show nothing about ours."""

from collections.abc import Mapping

import pytest

from tests.standins.asked import Format, Recorded, understand
from tests.standins.model_server import strictly
from tests.standins.scripts import said_by

OPEN = {"type": "array", "items": {"type": "object"}}
CLOSED: Mapping[str, object] = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}},
    "required": ["reasoning"],
    "additionalProperties": False,
}


def complaint(kind: Format, **changed: object) -> str:
    """Send a schema that was closed and whole, but for a change; give what is said of it."""
    schema = {**CLOSED, **changed}
    form = {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}
    path, body = {
        Format.CHAT: ("/v1/chat/completions", {"response_format": {"json_schema": form}}),
        Format.RESPONSES: ("/v1/responses", {"text": {"format": form}}),
        Format.ANTHROPIC: ("/v1/messages", {"output_config": {"format": form}}),
    }[kind]
    asked = understand(Recorded(path, {}, body))
    assert asked is not None
    error = said_by(strictly(then="well"), "small-1", asked).error
    return "" if error is None else error.message


@pytest.mark.parametrize("kind", [Format.CHAT, Format.RESPONSES, Format.ANTHROPIC])
def test_a_closed_schema_passes(kind: Format) -> None:
    assert complaint(kind) == ""


def test_anthropic_takes_no_bounds_in_a_schema() -> None:
    bounded = {"p": {"type": "number", "minimum": 0}}
    said = complaint(Format.ANTHROPIC, properties=bounded, required=["p"])
    assert "property 'minimum' is not supported" in said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"additionalProperties": True}, "additionalProperties"),
        ({"required": []}, "required"),
        ({"allOf": []}, "'allOf' is not permitted"),
        ({"properties": {"l": OPEN}, "required": ["l"]}, "to be false"),
    ],
)
@pytest.mark.parametrize("kind", [Format.CHAT, Format.RESPONSES])
def test_openai_s_strict_schemas_are_closed_and_whole(
    kind: Format, changed: dict[str, object], said: str
) -> None:
    assert said in complaint(kind, **changed)
