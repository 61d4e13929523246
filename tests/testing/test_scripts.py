import json

import pytest

from tests.standins.asked import Asked, Format
from tests.standins.model_server import (
    Misbehaviour,
    ModelServer,
    by_model,
    fails,
    in_turn,
    like,
    poisoned,
    refuses,
    refuses_schemas,
)
from tests.standins.scripts import complains_of_key, says_key
from tests.testing.bare import (
    ALL,
    KEY,
    SCHEMA,
    Heard,
    body_of,
    heard,
    post,
    text_in,
)

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL


def statuses(server: ModelServer, kind: Format, times: int) -> list[int]:
    return [post(server, kind).status for _ in range(times)]


def test_replies_come_in_turn_and_the_last_one_stays() -> None:
    with ModelServer(in_turn(fails(500), lambda *_: fails(429), "well")) as server:
        assert statuses(server, ANTHROPIC, 4) == [500, 429, 200, 200]


def test_each_model_may_reply_in_its_own_way() -> None:
    reply = by_model({"ill": fails(500)}, others="well")
    with ModelServer(reply) as server:
        assert post(server, CHAT, body_of(CHAT, model="ill")).status == 500
        assert post(server, CHAT).status == 200


def test_the_words_of_one_reply_are_said_in_the_manner_of_another() -> None:
    told = heard(like(Misbehaviour(thinking="hm"), then="well"), ANTHROPIC).json
    assert [part["type"] for part in told["content"]] == ["thinking", "text"]
    assert text_in(ANTHROPIC, told) == "well"


def test_a_failure_keeps_its_own_manner() -> None:
    assert heard(like(Misbehaviour(thinking="hm"), then=fails(500)), ANTHROPIC).status == 500


def refused(kind: Format, extra: dict[str, object], *fields: str, words: str = "") -> Heard:
    return heard(refuses(*fields, then="well", words=words), kind, body_of(kind) | extra)


@pytest.mark.parametrize(
    ("kind", "extra", "field"),
    [
        (CHAT, {"temperature": 0}, "temperature"),
        (RESPONSES, {"reasoning": {"effort": "low"}}, "reasoning.effort"),
        (ANTHROPIC, {"output_config": {"effort": "low"}}, "output_config.effort"),
        (
            GEMINI,
            {"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}},
            "thinkingLevel",
        ),
    ],
)
def test_a_field_is_refused_until_it_is_gone(
    kind: Format, extra: dict[str, object], field: str
) -> None:
    told = refused(kind, extra, field.rpartition(".")[2])
    assert told.status == 400
    assert field in told.json["error"]["message"]
    assert refused(kind, {}, field).status == 200


def test_fields_are_refused_one_at_a_time() -> None:
    told = refused(CHAT, {"top_p": 1, "temperature": 0}, "temperature", "top_p")
    assert told.json["error"]["param"] == "temperature"


def test_a_complaint_may_have_other_words_and_name_no_field() -> None:
    told = refused(CHAT, {"seed": 1}, "seed", words="Unrecognized argument supplied: {field}")
    assert told.json["error"]["message"] == "Unrecognized argument supplied: seed"
    assert told.json["error"]["param"] is None


def test_what_is_inside_a_message_is_no_field() -> None:
    assert refused(CHAT, {}, "content").status == 200


@pytest.mark.parametrize("kind", ALL)
def test_a_schema_may_be_refused(kind: Format) -> None:
    reply = refuses_schemas(then="well")
    assert heard(reply, kind, body_of(kind, schema=SCHEMA)).status == 400
    assert heard(reply, kind).status == 200


@pytest.mark.parametrize("kind", ALL)
def test_one_poisoned_text_refuses_the_whole_prompt(kind: Format) -> None:
    reply = poisoned("a bomb", then="well")
    told = heard(reply, kind, body_of(kind, "rain, a bomb, and snow"))
    assert "well" not in told.body.decode()
    assert text_in(kind, heard(reply, kind, body_of(kind, "rain and snow")).json) == "well"


@pytest.mark.parametrize("kind", ALL)
def test_a_server_may_repeat_the_key(kind: Format) -> None:
    told = heard(complains_of_key, kind)
    assert (told.status, KEY in told.body.decode()) == (401, True)
    assert text_in(kind, heard(says_key, kind).json) == f"Your key is {KEY}"


def test_a_reply_knows_what_it_was_asked() -> None:
    def reply(model: str, asked: Asked) -> str:
        sampled = asked.recorded.body["temperature"]
        return json.dumps([model, asked.format, asked.system, asked.user, sampled])

    told = heard(reply, CHAT, body_of(CHAT) | {"temperature": 0.5}).json
    said = json.loads(str(text_in(CHAT, told)))
    assert said == ["small-1", "openai_chat", "the rules", "the facts", 0.5]
