"""A venue's server on this machine, a reader that asks it, and a clock that takes no time."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.http import (
    MAX_REPLY,
    HttpDoor,
    HttpReply,
    HttpRequest,
    JsonReply,
    Manners,
    Pauses,
    PoliteReader,
)
from arena.records.answer import Payload
from arena.records.market import VenueId
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply

if TYPE_CHECKING:
    from tests.standins.asked import Recorded

T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
VENUE = VenueId("agora")
GUARD = b"<html><head><title>Attention Required!</title></head></html>"

T = TypeVar("T")


def well(body: bytes = b'{"rows": []}', **headers: str) -> Misbehaviour:
    return says(200, body, **headers)


def says(status: int, body: bytes = b'{"error": "no"}', **headers: str) -> Misbehaviour:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Misbehaviour(status=status, body=body, headers=named)


def page_of_a_guard(status: int = 403, **headers: str) -> Misbehaviour:
    return replace(says(status, GUARD, **headers), content_type="text/html")


class Says(LocalServer):
    """Gives its answers in turn, and the last one from then on."""

    def __init__(self, *answers: Misbehaviour) -> None:
        super().__init__("venue-server")
        self.answers = answers
        self.requests: list[Recorded] = []
        self._never = asyncio.Event()

    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        self.requests.append(await read_request(reader))
        said = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if said.hangs:
            await self._never.wait()
        async with self._counted():
            return await send_reply(writer, said, said.body or b"")


@dataclass(slots=True, eq=False)
class NoTime:
    """A clock that only sleeping moves."""

    at: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        until = self.at + seconds
        await asyncio.sleep(0)
        self.at = max(self.at, until)

    def pauses(self, jitter: float = 0.5) -> Pauses:
        """Wait on this clock; with a jitter of 0.5 every wait is as short as it may be."""
        return Pauses(self.sleep, self.now, lambda: jitter)


@dataclass(slots=True, eq=False)
class Drawer:
    """Keeps payloads in a list."""

    kept: list[Payload] = field(default_factory=list)

    def keep(self, payload: Payload) -> None:
        self.kept.append(payload)


class Noting(HttpDoor):
    """A door that notes when requests started, and how many were under way."""

    def __init__(self, time: NoTime) -> None:
        super().__init__()
        self.starts: list[float] = []
        self.started = asyncio.Event()
        self.most_at_once = 0
        self._time = time
        self._busy = 0

    async def send(
        self, request: HttpRequest, *, seconds: float, most: int = MAX_REPLY
    ) -> HttpReply:
        self.starts.append(self._time.at)
        self.started.set()
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        try:
            return await super().send(request, seconds=seconds, most=most)
        finally:
            self._busy -= 1


@dataclass(slots=True, eq=False)
class Desk:
    """A reader with everything it is given."""

    manners: Manners = field(default_factory=Manners)
    time: NoTime = field(default_factory=NoTime)
    drawer: Drawer = field(default_factory=Drawer)
    clock: HandClock = field(default_factory=lambda: HandClock(T0))
    reader: PoliteReader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = PoliteReader(
            VENUE, self.manners, self.clock, self.drawer, pauses=self.time.pauses()
        )

    def get(self, server: LocalServer, path: str = "/rows") -> JsonReply:
        return asyncio.run(self.reader.get(server.home + path))

    def fails(self, server: LocalServer, path: str = "/rows") -> ArenaError:
        return failure(self.reader.get(server.home + path))


def failure(asking: Awaitable[T]) -> ArenaError:
    async def ask() -> T:
        return await asking

    with pytest.raises(ArenaError) as caught:
        asyncio.run(ask())
    return caught.value
