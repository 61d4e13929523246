"""Polymarket's three services on this machine, at one address, and a desk that asks them."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

from arena.clock import HandClock
from arena.http import Manners, PoliteReader
from arena.records.market import MarketId
from arena.venues.polymarket.asking import PolymarketOptions
from arena.venues.polymarket.venue import PolymarketVenue
from tests.http.asking import Drawer, NoTime
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply
from tests.venues.polymarket.rows import HERE, NOW, Row, ours

LIST = "/gamma/markets/keyset"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path, its query in order, and the tokens that a body names."""

    path: str
    query: tuple[tuple[str, str], ...]
    tokens: tuple[str, ...] = ()

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.query if key == name)

    def one(self, name: str) -> str | None:
        return next(iter(self.all(name)), None)


Says = Callable[[Asked], object]


class Services(LocalServer):
    """Answers each path with a payload, a mishap, or what a function makes of the request.

    Any other path is a 404. `asked` is what was asked, in order.
    """

    def __init__(self, said: Mapping[str, object] | None = None) -> None:
        super().__init__("polymarket")
        self.said: dict[str, object] = dict(said or {})
        self.asked: list[Asked] = []
        self.headers: tuple[tuple[str, str], ...] = ()
        self.desks: list[object] = []

    def at(self, path: str) -> list[Asked]:
        """Give the requests for a path."""
        return [asked for asked in self.asked if asked.path == path]

    def holds(self, *rows: Row) -> None:
        """Let Gamma know these markets, by its list and one by one."""
        self.said[LIST] = listed(*rows)
        for row in rows:
            self.said[f"/gamma/markets/{row['id']}"] = row

    def has_books(self, *books: Row) -> None:
        """Let the CLOB have these books, which it gives in its own order."""

        def answer(asked: Asked) -> object:
            return [book for book in reversed(books) if book["asset_id"] in asked.tokens]

        self.said["/clob/books"] = answer

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        heard = await read_request(reader)
        url = urlsplit(heard.path)
        body = json.loads(heard.raw) if heard.raw else []
        tokens = tuple(row["token_id"] for row in body)
        asked = Asked(url.path, tuple(parse_qsl(url.query)), tokens)
        self.asked.append(asked)
        said = self.said.get(url.path, NOT_FOUND)
        found = said(asked) if callable(said) else said
        if not isinstance(found, Misbehaviour):
            found = Misbehaviour(body=json.dumps(found).encode(), headers=self.headers)
        return await send_reply(writer, found, found.body or b"")


def refuses(status: int, error: str = "no") -> Misbehaviour:
    return Misbehaviour(status=status, body=json.dumps({"error": error}).encode())


NOT_FOUND = refuses(404, "id not found")


def listed(*rows: Row) -> Says:
    """Answer as Gamma's list does: by ids where they are named, and closed ones apart."""

    def answer(asked: Asked) -> object:
        is_closed = asked.one("closed") == "true"
        some = [row for row in rows if row["closed"] is is_closed]
        if asked.all("id"):
            some = [row for row in some if row["id"] in asked.all("id")]
        return {"markets": some}

    return answer


def paged(*pages: tuple[Row, ...]) -> Says:
    """Give a page for each cursor: "1" asks for the second, and so on."""

    def answer(asked: Asked) -> object:
        n = int(asked.one("after_cursor") or "0")
        more = {"next_cursor": str(n + 1)} if n + 1 < len(pages) else {}
        return {"markets": list(pages[n]), **more}

    return answer


@dataclass(slots=True, eq=False)
class Desk:
    """The adapter, and everything it is given."""

    server: Services
    options: PolymarketOptions = field(default_factory=PolymarketOptions)
    clock: HandClock = field(default_factory=lambda: HandClock(NOW))
    drawer: Drawer = field(default_factory=Drawer)
    venue: PolymarketVenue = field(init=False)

    def __post_init__(self) -> None:
        self.server.desks.append(self)  # what has connections outlives the loop they are of
        home = self.server.home
        options = replace(
            self.options, gamma=f"{home}/gamma", clob=f"{home}/clob/", data=f"{home}/data"
        )
        manners = Manners(per_second=1e6, at_once=8, tries=2)
        pauses = NoTime().pauses()
        reader = PoliteReader(HERE, manners, self.clock, self.drawer, pauses=pauses)
        self.venue = PolymarketVenue(HERE, options, self.clock, reader)


def run(asking: Awaitable[T]) -> T:
    """Wait for an answer in a loop of its own."""

    async def ask() -> T:
        return await asking

    return asyncio.run(ask())


def of(*own: str) -> list[MarketId]:
    return [ours(one) for one in own]
