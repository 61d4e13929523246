import json
from collections.abc import Mapping

import pytest

from arena.agents.prompt import decision_schema, forecast_schema, stake_schema
from tests.standins.asked import Format
from tests.standins.model_server import strictly
from tests.testing.bare import ALL, SCHEMA, body_of, heard

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL
WELL = strictly(then="well")
OPEN = {"type": "array", "items": {"type": "object"}}


def judged(
    kind: Format, extra: Mapping[str, object] = {}, *, model: str = "small-1"
) -> tuple[int, str]:
    reply = heard(WELL, kind, {**body_of(kind, model=model), **extra})
    told = reply.json.get("error") or {}
    return reply.status, told.get("message", "")


def of_schema(kind: Format, schema: Mapping[str, object]) -> tuple[int, str]:
    reply = heard(WELL, kind, body_of(kind, schema=schema))
    return reply.status, (reply.json.get("error") or {}).get("message", "")


def changed(**more: object) -> Mapping[str, object]:
    return {**SCHEMA, **more}


@pytest.mark.parametrize("kind", ALL)
def test_a_small_request_with_a_closed_schema_passes(kind: Format) -> None:
    assert judged(kind) == (200, "")
    assert of_schema(kind, SCHEMA) == (200, "")


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "schema", [decision_schema(("M1", "M2")), forecast_schema(("M1",)), stake_schema()]
)
def test_the_arena_s_own_schemas_pass(kind: Format, schema: str) -> None:
    assert of_schema(kind, json.loads(schema)) == (200, "")


def test_anthropic_takes_no_bounds_in_a_schema() -> None:
    schema = changed(properties={"p": {"type": "number", "minimum": 0}}, required=["p"])
    assert "property 'minimum' is not supported" in of_schema(ANTHROPIC, schema)[1]
    assert of_schema(GEMINI, schema)[0] == 200


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        (changed(additionalProperties=True), "additionalProperties"),
        (changed(required=[]), "required"),
        (changed(allOf=[]), "'allOf' is not permitted"),
        (changed(properties={"l": OPEN}, required=["l"]), "to be false"),
    ],
)
@pytest.mark.parametrize("kind", [CHAT, RESPONSES])
def test_openai_s_strict_schemas_are_closed_and_whole(
    kind: Format, schema: Mapping[str, object], complaint: str
) -> None:
    status, message = of_schema(kind, schema)
    assert (status, complaint in message) == (400, True)
