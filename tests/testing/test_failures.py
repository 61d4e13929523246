"""Every failure by name arrives as one, whatever the format."""

from http.client import HTTPException

import pytest

from tests.standins.asked import Format
from tests.standins.failures import (
    FINAL,
    KEYS,
    NO_CHOICES,
    NOT_GZIP,
    PASSING,
    REFUSED,
)
from tests.standins.model_server import Misbehaviour
from tests.testing.bare import ALL, heard, text_in

ODD = {"no choices": NO_CHOICES, "not gzip": NOT_GZIP}
EVERY = {**FINAL, **KEYS, **ODD, **PASSING, **REFUSED}
GOOD = {Format.CHAT: "stop", Format.ANTHROPIC: "end_turn", Format.GEMINI: "STOP"}


def sound(kind: Format, said: Misbehaviour) -> bool:
    """Whether a bare client would take the reply for a good answer."""
    try:
        reply = heard(said, kind)
        text = text_in(kind, reply.json)
    except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError):
        return False
    whole = b"completed" if kind is Format.RESPONSES else GOOD[kind].encode()
    plain = not reply.all("content-encoding")
    marked = b'"refusal"' in reply.body or b'"thought"' in reply.body
    return reply.status == 200 and bool(text) and whole in reply.body and plain and not marked


@pytest.mark.parametrize("kind", ALL)
def test_a_good_answer_is_sound(kind: Format) -> None:
    assert sound(kind, Misbehaviour(content="well"))


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("kind", ALL)
def test_a_failure_is_none(kind: Format, name: str) -> None:
    assert not sound(kind, EVERY[name])
