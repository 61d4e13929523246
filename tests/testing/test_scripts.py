import pytest

from tests.standins.asked import Format
from tests.standins.model_server import (
    ModelServer,
    fails,
    in_turn,
    refuses,
)
from tests.testing.bare import (
    ALL,
    Heard,
    body_of,
    heard,
    post,
)

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL


def statuses(server: ModelServer, kind: Format, times: int) -> list[int]:
    return [post(server, kind).status for _ in range(times)]


def test_replies_come_in_turn_and_the_last_one_stays() -> None:
    with ModelServer(in_turn(fails(500), lambda *_: fails(429), "well")) as server:
        assert statuses(server, ANTHROPIC, 4) == [500, 429, 200, 200]


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
