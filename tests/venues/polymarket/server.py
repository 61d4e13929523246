"""Polymarket's three services on this machine, at one address, and a desk that asks them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from arena.clock import HandClock
from arena.records.market import MarketId
from arena.venues.polymarket.asking import PolymarketOptions
from arena.venues.polymarket.venue import PolymarketVenue
from tests.http.asking import Drawer
from tests.standins.misbehaviour import Misbehaviour
from tests.venues.polymarket.rows import HERE, NOW, Row, ours
from tests.venues.scripted import Asked, PathServer, unhurried

LIST = "/gamma/markets/keyset"
Says = Callable[[Asked], object]


def refuses(status: int, error: str = "no") -> Misbehaviour:
    return Misbehaviour(status=status, body=json.dumps({"error": error}).encode())


NOT_FOUND = refuses(404, "id not found")


class Services(PathServer):
    """Gamma, the CLOB and the Data API, each below a path of its own."""

    def __init__(self, said: Mapping[str, object] | None = None) -> None:
        super().__init__("polymarket", NOT_FOUND, said or {})

    def holds(self, *rows: Row) -> None:
        """Let Gamma know these markets, by its list and one by one."""
        self.said[LIST] = listed(*rows)
        for row in rows:
            self.said[f"/gamma/markets/{row['id']}"] = row

    def has_books(self, *books: Row) -> None:
        """Let the CLOB have these books, which it gives in its own order."""

        def answer(asked: Asked) -> object:
            return [book for book in reversed(books) if book["asset_id"] in tokens_of(asked)]

        self.said["/clob/books"] = answer


def tokens_of(asked: Asked) -> tuple[str, ...]:
    """The tokens that a body names."""
    return tuple(row["token_id"] for row in asked.body)


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
        self.server.desks.append(self)
        home = self.server.home
        options = replace(
            self.options, gamma=f"{home}/gamma", clob=f"{home}/clob/", data=f"{home}/data"
        )
        reader = unhurried(HERE, self.clock, self.drawer)
        self.venue = PolymarketVenue(HERE, options, self.clock, reader)


def of(*own: str) -> list[MarketId]:
    return [ours(one) for one in own]
