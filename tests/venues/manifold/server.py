"""A server on this machine that says about markets what a test wants it to say."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

from arena.records.answer import Payload
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path, and its query with each name once."""

    path: str
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer: a payload becomes JSON, bytes are sent as they are."""

    payload: object
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


MISSING = Said({"message": "Contract not found"}, 404)


class Spoken(LocalServer):
    """Answers as it is told; `asked` records what it was asked."""

    def __init__(self, answer: Callable[[Asked], Said]) -> None:
        super().__init__("manifold")
        self.asked: list[Asked] = []
        self._answer = answer

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        recorded = await read_request(reader)
        parts = urlsplit(recorded.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.asked.append(Asked(parts.path, query))
        said = self._answer(self.asked[-1])
        kind = "text/html" if isinstance(said.payload, bytes) else "application/json"
        reply = Misbehaviour(status=said.status, content_type=kind, headers=said.headers)
        return await send_reply(writer, reply, _body(said.payload))


class Kept:
    """Keeps payloads in memory."""

    def __init__(self) -> None:
        self.payloads: list[Payload] = []

    def keep(self, payload: Payload) -> None:
        self.payloads.append(payload)


def _body(payload: object) -> bytes:
    if isinstance(payload, bytes):
        return payload
    return json.dumps(payload, default=_number).encode()


def _number(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{value!r} has no place in JSON")
