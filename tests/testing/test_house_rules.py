import json
from collections.abc import Mapping

import pytest

from arena.agents.prompt import decision_schema, forecast_schema, stake_schema
from tests.standins.asked import Format
from tests.standins.model_server import ModelServer, in_turn, strictly
from tests.testing.bare import ALL, KEY, SCHEMA, body_of, headers_of, heard, post

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


def test_anthropic_wants_a_version_and_a_longest_answer() -> None:
    with ModelServer(in_turn("well")) as server:
        assert post(server, ANTHROPIC, headers={"x-api-key": KEY}).status == 400
        body = body_of(ANTHROPIC)
        del body["max_tokens"]
        assert post(server, ANTHROPIC, body).status == 400


def test_anthropic_s_newest_version_takes_no_sampling() -> None:
    body = body_of(ANTHROPIC) | {"temperature": 0}
    new = headers_of(ANTHROPIC) | {"anthropic-version": "2026-10-21"}
    with ModelServer(WELL) as server:
        assert post(server, ANTHROPIC, body).status == 200
        assert post(server, ANTHROPIC, body, headers=new).status == 400


def test_anthropic_takes_no_beginning_of_an_answer() -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "{"}]
    assert judged(ANTHROPIC, {"messages": messages})[0] == 400


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


def test_a_schema_that_is_not_strict_may_say_more() -> None:
    named = {"name": "answer", "schema": changed(required=[])}
    extra = {"response_format": {"type": "json_schema", "json_schema": named}}
    assert judged(CHAT, extra)[0] == 200


def test_openai_wants_a_name_for_a_schema() -> None:
    chat = {"response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA}}}
    assert "json_schema.name" in judged(CHAT, chat)[1]
    responses = {"text": {"format": {"type": "json_schema", "schema": SCHEMA}}}
    assert "text.format.name" in judged(RESPONSES, responses)[1]


def test_openai_gives_json_only_to_who_says_the_word() -> None:
    extra = {"response_format": {"type": "json_object"}}
    assert "the word 'json'" in judged(CHAT, extra)[1]
    body = body_of(CHAT, "as JSON") | extra
    assert heard(WELL, CHAT, body).status == 200


@pytest.mark.parametrize("model", ["o3", "gpt-6-sol"])
def test_openai_s_reasoners_take_no_sampling_and_another_token_field(model: str) -> None:
    assert judged(CHAT, {"temperature": 0}, model=model)[0] == 400
    assert judged(CHAT, {"max_tokens": 9}, model=model)[0] == 400
    assert judged(CHAT, {"max_completion_tokens": 9}, model=model)[0] == 200
    assert judged(CHAT, {"temperature": 0, "max_tokens": 9})[0] == 200


def test_the_fields_of_chat_are_none_of_responses() -> None:
    assert judged(RESPONSES, {"max_tokens": 9})[0] == 400
    assert judged(RESPONSES, {"max_output_tokens": 9})[0] == 200


def test_gemini_wants_the_type_beside_the_schema_and_knows_fewer_words() -> None:
    bare = {"generationConfig": {"responseJsonSchema": SCHEMA}}
    assert "mime type" in judged(GEMINI, bare)[1]
    assert 'Unknown name "uniqueItems"' in of_schema(GEMINI, changed(uniqueItems=True))[1]
