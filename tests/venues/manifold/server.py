"""Manifold's server on this machine, which says about markets what a test wants it to say."""

from collections.abc import Callable

from tests.standins.misbehaviour import Misbehaviour
from tests.venues.scripted import Asked, ScriptedServer

Answer = Callable[[Asked], object]

MISSING = Misbehaviour(status=404, body=b'{"message": "Contract not found"}')


def manifold(answer: Answer) -> ScriptedServer:
    return ScriptedServer("manifold", answer)


def always(said: object) -> ScriptedServer:
    return manifold(lambda _: said)
