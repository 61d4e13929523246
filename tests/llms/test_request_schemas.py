import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings

from arena.llms.wires.request import ANTHROPIC, GEMINI, Dialect, schema_for
from tests.llms.hostile import json_with
from tests.sizes import size

KEYWORDS = (
    "$defs $ref $schema type enum const items minItems maxItems minimum maximum anyOf oneOf"
    " allOf properties additionalProperties required pattern minLength title description"
)


def test_a_choice_between_schemas_has_one_name() -> None:
    said = schema_for(GEMINI, '{"oneOf": [{"type": "null"}, {"minLength": 3}]}')
    assert said == {"anyOf": [{"type": "null"}, {}]}


def test_a_reference_stands_alone_and_what_it_names_is_said_too() -> None:
    text = json.dumps(
        {
            "$defs": {"p": {"type": "number", "multipleOf": 2}},
            "type": "array",
            "items": {"$ref": "#/$defs/p", "description": "a chance"},
        }
    )
    assert schema_for(ANTHROPIC, text) == {
        "$defs": {"p": {"type": "number"}},
        "type": "array",
        "items": {"$ref": "#/$defs/p"},
    }


def test_an_object_is_closed_unless_it_says_otherwise() -> None:
    assert schema_for(ANTHROPIC, '{"type": "object"}')["additionalProperties"] is False
    mapping = '{"type": "object", "additionalProperties": {"type": "number", "minimum": 0}}'
    assert schema_for(ANTHROPIC, mapping)["additionalProperties"] == {"type": "number"}


def test_a_property_may_be_called_like_a_keyword() -> None:
    text = '{"properties": {"pattern": {"type": "string"}, "type": {"type": "string"}}}'
    assert list(schema_for(GEMINI, text)) == ["properties", "propertyOrdering"]
    assert schema_for(GEMINI, text)["propertyOrdering"] == ["pattern", "type"]


@pytest.mark.parametrize("dialect", [ANTHROPIC, GEMINI])
@settings(deadline=None, max_examples=size(50, 200))
@given(schema=json_with(KEYWORDS.split(), ("object", "array")))
def test_no_keyword_is_left_that_would_be_refused(dialect: Dialect, schema: object) -> None:
    said = schema_for(dialect, json.dumps(schema))
    assert set(keywords(said)) <= dialect.keeps


def keywords(schema: object) -> list[str]:
    """Every keyword of a schema and of those inside it; names of properties are none."""
    if not isinstance(schema, Mapping):
        return []
    inside = [
        inner for name in ("$defs", "properties") for inner in schema.get(name, {}).values()
    ]
    inside += [
        schema.get("items"),
        schema.get("additionalProperties"),
        *schema.get("anyOf", []),
    ]
    return [*schema, *(word for inner in inside for word in keywords(inner))]
