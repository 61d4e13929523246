from typing import Any

import pytest

from tests.standins.asked import Format
from tests.standins.model_server import Ill, Misbehaviour, ails, fails
from tests.testing.bare import ALL, heard

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL


def error(kind: Format, said: Misbehaviour) -> tuple[int, dict[str, Any]]:
    reply = heard(said, kind)
    return reply.status, reply.json["error"]


def test_each_format_names_an_error_in_its_place() -> None:
    said = fails(429, "no", code="slow_down")
    _, chat = error(CHAT, said)
    assert (chat["type"], chat["code"], chat["param"]) == ("slow_down", "slow_down", None)
    assert error(ANTHROPIC, said)[1] == {"type": "slow_down", "message": "no"}
    _, gemini = error(GEMINI, said)
    assert (gemini["code"], gemini["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert gemini["details"][0]["reason"] == "slow_down"


@pytest.mark.parametrize("ill", Ill)
@pytest.mark.parametrize("kind", ALL)
def test_every_ill_has_words_in_every_format(kind: Format, ill: Ill) -> None:
    status, told = error(kind, ails(ill, field="temperature"))
    assert status >= 400
    assert told["message"]
    assert "{" not in told["message"]
