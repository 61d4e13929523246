"""Kalshi's server on this machine: what it answers at each path is written down for it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

from arena.clock import HandClock
from arena.http import Manners, PoliteReader
from arena.records.market import MarketId
from arena.venues.kalshi.server import KalshiOptions
from arena.venues.kalshi.venue import KalshiVenue
from tests.http.asking import Drawer, NoTime
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply
from tests.venues.kalshi.rows import HERE, NOW, Row, events, trading

BASE = "/trade-api/v2"
T = TypeVar("T")
Query = tuple[tuple[str, str], ...]
Says = object | Misbehaviour | Callable[[Query], object]


class Kalshi(LocalServer):
    """Answers each path with a payload, a mishap, or what a function makes of the query.

    Any other path is a 404. `asked` is each path with its query, in order.
    """

    def __init__(self, said: Mapping[str, Says] | None = None) -> None:
        super().__init__("kalshi")
        self.said: dict[str, Says] = {"/exchange/status": trading(), **(said or {})}
        self.asked: list[tuple[str, Query]] = []
        self.headers: tuple[tuple[str, str], ...] = ()
        self.desks: list[object] = []

    def times(self, path: str) -> int:
        """Count the requests for a path."""
        return sum(one == path for one, _ in self.asked)

    def queries(self, path: str) -> list[Query]:
        """Give the queries that a path was asked with."""
        return [query for one, query in self.asked if one == path]

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        url = urlsplit((await read_request(reader)).path)
        path, query = url.path.removeprefix(BASE), tuple(parse_qsl(url.query))
        self.asked.append((path, query))
        said = self.said.get(path, NOT_FOUND)
        found = said(query) if callable(said) else said
        if not isinstance(found, Misbehaviour):
            found = Misbehaviour(body=json.dumps(found).encode(), headers=self.headers)
        if found.drops:
            writer.transport.abort()
            return False
        return await send_reply(writer, found, found.body or b"")


def refuses(status: int) -> Misbehaviour:
    """Refuse as Kalshi does."""
    body = {"code": "no", "message": "no", "details": ""}
    return Misbehaviour(status=status, body=json.dumps(body).encode())


NOT_FOUND = refuses(404)
GUARD = Misbehaviour(status=403, body=b"<html></html>", content_type="text/html")


@dataclass(slots=True, eq=False)
class Desk:
    """The adapter, and everything it is given."""

    server: Kalshi
    options: KalshiOptions = field(default_factory=KalshiOptions)
    fallback: str = ""
    clock: HandClock = field(default_factory=lambda: HandClock(NOW))
    drawer: Drawer = field(default_factory=Drawer)
    venue: KalshiVenue = field(init=False)

    def __post_init__(self) -> None:
        self.server.desks.append(self)  # what has connections outlives the loop they are of
        given = self.options
        options = KalshiOptions(
            self.server.home + BASE, self.fallback, given.pages, given.depth, given.per_second
        )
        manners = Manners(per_second=1e6, at_once=8, tries=2)
        pauses = NoTime().pauses()
        reader = PoliteReader(HERE, manners, self.clock, self.drawer, pauses=pauses)
        self.venue = KalshiVenue(HERE, options, self.clock, reader)


def run(asking: Awaitable[T]) -> T:
    """Wait for an answer in a loop of its own."""

    async def ask() -> T:
        return await asking

    return asyncio.run(ask())


def paged(*pages: tuple[Row, ...]) -> object:
    """Give a page for each cursor: "1" asks for the second, and so on."""

    def answer(query: Query) -> object:
        n = int(dict(query).get("cursor", "0"))
        return events(*pages[n], cursor=str(n + 1) if n + 1 < len(pages) else "")

    return answer


def of(*own: str) -> list[MarketId]:
    return [MarketId(f"kalshi:{one}") for one in own]
