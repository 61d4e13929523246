"""Kalshi's server on this machine: what it answers at each path is written down for it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.clock import HandClock
from arena.records.market import MarketId
from arena.venues.kalshi.venue import KalshiOptions, KalshiVenue
from tests.http.asking import Drawer
from tests.standins.misbehaviour import Misbehaviour
from tests.venues.kalshi.rows import HERE, NOW, Row, events, trading
from tests.venues.scripted import Asked, PathServer, Query, unhurried

BASE = "/trade-api/v2"


def refuses(status: int) -> Misbehaviour:
    """Refuse as Kalshi does."""
    body = {"code": "no", "message": "no", "details": ""}
    return Misbehaviour(status=status, body=json.dumps(body).encode())


GUARD = Misbehaviour(status=403, body=b"<html></html>", content_type="text/html")


class Kalshi(PathServer):
    """Its exchange is open; paths are those below the API's own."""

    def __init__(self, said: Mapping[str, object] | None = None) -> None:
        every = {"/exchange/status": trading(), **(said or {})}
        super().__init__("kalshi", refuses(404), every, BASE)

    def times(self, path: str) -> int:
        """Count the requests for a path."""
        return len(self.queries(path))

    def queries(self, path: str) -> list[Query]:
        """Give the queries that a path was asked with."""
        return [asked.query for asked in self.at(BASE + path)]


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
        self.server.desks.append(self)
        given = self.options
        options = KalshiOptions(
            self.server.home + BASE, self.fallback, given.pages, given.depth, given.per_second
        )
        reader = unhurried(HERE, self.clock, self.drawer)
        self.venue = KalshiVenue(HERE, options, self.clock, reader)


def paged(*pages: tuple[Row, ...]) -> object:
    """Give a page for each cursor: "1" asks for the second, and so on."""

    def answer(asked: Asked) -> object:
        n = int(asked.one("cursor") or "0")
        return events(*pages[n], cursor=str(n + 1) if n + 1 < len(pages) else "")

    return answer


def of(*own: str) -> list[MarketId]:
    return [MarketId(f"kalshi:{one}") for one in own]
