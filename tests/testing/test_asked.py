import pytest

from tests.standins.asked import Asked, Format, Recorded, parts, understand
from tests.testing.bare import ALL, KEY, MODEL, SCHEMA, body_of, headers_of, path_of


def asked(kind: Format, body: dict[str, object] | None = None) -> Asked:
    recorded = Recorded(path_of(kind), headers_of(kind), body or body_of(kind))
    found = understand(recorded)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ALL)
def test_every_format_says_the_same(kind: Format) -> None:
    said = asked(kind)
    assert (said.format, said.model) == (kind, MODEL)
    assert list(said) == [
        {"role": "system", "content": "the rules"},
        {"role": "user", "content": "the facts"},
    ]
    assert (said.system, said.user, said.schema) == ("the rules", "the facts", None)


@pytest.mark.parametrize("kind", ALL)
def test_a_schema_is_found_in_every_format(kind: Format) -> None:
    assert asked(kind, body_of(kind, schema=SCHEMA)).schema == SCHEMA


@pytest.mark.parametrize("kind", ALL)
def test_a_key_is_found_in_the_header_of_its_format(kind: Format) -> None:
    headers = {name.lower(): value for name, value in headers_of(kind).items()}
    assert Recorded(path_of(kind), headers, {}).key == KEY


def test_a_key_in_the_address_is_none() -> None:
    assert Recorded(f"{path_of(Format.GEMINI)}?key={KEY}", {}, {}).key == ""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/chat/completions", Format.CHAT),
        ("/api/v1/chat/completions", Format.CHAT),
        ("/v1/responses?x=1", Format.RESPONSES),
        ("/v1/messages", Format.ANTHROPIC),
        ("/v1/models/a:generateContent", Format.GEMINI),
        ("/v1/models/a:streamGenerateContent", None),
        ("/v1", None),
    ],
)
def test_the_end_of_a_path_tells_the_format(path: str, kind: Format | None) -> None:
    recorded = Recorded(path, {}, {})
    assert recorded.format is kind
    assert (understand(recorded) is None) is (kind is None)


def test_the_parts_of_a_message_are_joined_without_anything_between_them() -> None:
    blocks = [{"type": "text", "text": "the "}, {"type": "text", "text": "facts"}]
    for kind in (Format.CHAT, Format.ANTHROPIC):
        body = body_of(kind)
        body["messages"][-1]["content"] = blocks
        assert asked(kind, body).user == "the facts"
    body = body_of(Format.RESPONSES)
    body["input"] = [{"role": "user", "content": blocks}]
    assert asked(Format.RESPONSES, body).user == "the facts"


def test_what_the_model_is_to_have_said_is_no_question() -> None:
    body = body_of(Format.GEMINI)
    body["contents"].append({"role": "model", "parts": [{"text": "I say"}]})
    said = asked(Format.GEMINI, body)
    assert said[-1] == {"role": "assistant", "content": "I say"}
    assert (said.user, len(said), len(said[1:])) == ("the facts", 3, 2)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("wrong", [None, 7, "x", [1, None], {"parts": 3}])
def test_messages_of_the_wrong_type_are_left_out(kind: Format, wrong: object) -> None:
    names = "messages", "input", "contents", "system", "instructions", "systemInstruction"
    said = asked(kind, dict.fromkeys(names, wrong))
    assert all(isinstance(message["content"], str) for message in said)
    assert said.schema is None


def test_parts_are_what_is_a_mapping() -> None:
    assert parts("a") == [{"text": "a"}]
    assert parts([{"text": "a"}, "b"]) == [{"text": "a"}]
    assert parts(None) == []
