"""A venue's server on this machine, which says what a test wants it to say."""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from arena.http import Manners, PoliteReader
from arena.ports import Clock, Payloads
from arena.records.market import VenueId
from tests.http.asking import NoTime
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply

T = TypeVar("T")
Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path, its query in order, and the JSON of its body."""

    path: str
    query: Query
    body: Any = None

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.query if key == name)

    def one(self, name: str) -> str | None:
        return next(iter(self.all(name)), None)


class ScriptedServer(LocalServer):
    """Answers each request with what a function makes of it: a payload, or a mishap.

    `asked` is what was asked, in order; `headers` come with every payload.
    """

    def __init__(self, name: str, answer: Callable[[Asked], object]) -> None:
        super().__init__(name)
        self.asked: list[Asked] = []
        self.headers: tuple[tuple[str, str], ...] = ()
        self.desks: list[object] = []  # what has connections outlives the loop they are of
        self._answer = answer

    def at(self, path: str) -> list[Asked]:
        """Give the requests for a path."""
        return [asked for asked in self.asked if asked.path == path]

    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        request = await read_request(reader)
        url = urlsplit(request.path)
        query = tuple(parse_qsl(url.query, keep_blank_values=True))
        self.asked.append(Asked(url.path, query, json.loads(request.raw or "null")))
        found = self._answer(self.asked[-1])
        if not isinstance(found, Misbehaviour):
            body = json.dumps(found, default=_number).encode()
            found = Misbehaviour(body=body, headers=self.headers)
        return await send_reply(writer, found, found.body or b"")


class PathServer(ScriptedServer):
    """Answers each path below `base` with what `said` has for it; a function is asked.

    Any other path is answered with `missing`.
    """

    def __init__(
        self, name: str, missing: Misbehaviour, said: Mapping[str, object], base: str = ""
    ) -> None:
        super().__init__(name, self._find)
        self.said = dict(said)
        self._missing = missing
        self._base = base

    def _find(self, asked: Asked) -> object:
        said = self.said.get(asked.path.removeprefix(self._base), self._missing)
        return said(asked) if callable(said) else said


def unhurried(venue: VenueId, clock: Clock, payloads: Payloads) -> PoliteReader:
    """A reader whose waits take no time."""
    manners = Manners(per_second=1e6, at_once=8, tries=2)
    return PoliteReader(venue, manners, clock, payloads, pauses=NoTime().pauses())


def run(asking: Awaitable[T]) -> T:
    """Wait for an answer in a loop of its own."""

    async def ask() -> T:
        return await asking

    return asyncio.run(ask())


def _number(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{value!r} has no place in JSON")
