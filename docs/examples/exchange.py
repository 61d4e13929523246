"""The venue of docs/venues.md: a made-up exchange that has one address with everything."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from arena.http import Manners, PoliteReader
from arena.ports import Clock, Payloads
from arena.records.market import (
    NO_WINS,
    YES_WINS,
    Catalogue,
    EventId,
    Market,
    MarketId,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.settings import VenueSettings
from arena.venues.reading import (
    Read,
    hold_to_format,
    market_id,
    moment,
    own_id,
    text,
    unit_price,
    unreadable,
)

NEEDED = ("id", "question", "state")
OUTCOMES = {"yes": YES_WINS, "no": NO_WINS}


class Exchange:
    """A venue that tells everything at one address."""

    only_now = True  # it knows the present: `arena tick --at` another day is refused

    def __init__(self, settings: VenueSettings, clock: Clock, payloads: Payloads) -> None:
        options: dict[str, Any] = dict(settings.options)
        self.id, self.url = settings.id, options["url"]
        manners = Manners(per_second=options.get("per_second", 2))
        self.reader = PoliteReader(settings.id, manners, clock, payloads)

    async def rows(self) -> tuple[datetime, Read[Any]]:
        """Ask the one address; when it was true, and what could be read."""
        page = await self.reader.get(self.url)
        read = parse(page.payload)
        hold_to_format(self.id, "markets", read)  # stops where too much cannot be read
        return page.at - page.age, read

    async def catalogue(self) -> Catalogue:
        """List the markets that are open now."""
        _, read = await self.rows()
        markets = tuple(facts(row, self.id) for row in read.rows if row["state"] == "open")
        return Catalogue(markets, left_out=read.left_out)

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Say all that is known of some markets: the list has it."""
        return markets

    async def quotes(self, markets: Iterable[MarketId]) -> dict[MarketId, Quote]:
        """Quote some markets as of now."""
        at, read = await self.rows()
        named = {market_id(self.id, row["id"]): row for row in read.rows}
        return {
            m: Quote(m, unit_price(row.get("bid")), unit_price(row.get("ask")), at)
            for m in markets
            if (row := named.get(m)) and row["state"] == "open"
        }

    async def statuses(self, markets: Iterable[MarketId]) -> dict[MarketId, Status]:
        """Say what has become of some markets; of a stranger nothing is said."""
        at, read = await self.rows()
        named = {market_id(self.id, row["id"]): row for row in read.rows}
        found = {m: state(m, named.get(m), at) for m in markets if own_id(self.id, m)}
        return {m: status for m, status in found.items() if status}


def parse(payload: object) -> Read[Any]:
    """Read a payload and nothing else: a function that a test can try on anything."""
    if not isinstance(payload, list):
        return Read(left_out=(unreadable("the payload", "it is no list"),))
    rows, bad = [], []
    for n, row in enumerate(payload):
        if isinstance(row, dict) and all(text(row.get(key)) for key in NEEDED):
            rows.append(row)
        else:
            bad.append(unreadable(f"row {n}", f"one of {', '.join(NEEDED)} is missing"))
    return Read(tuple(rows), tuple(bad))


def facts(row: dict[str, Any], venue: VenueId) -> Market:
    """Give the facts of a market that do not change by the minute."""
    name = market_id(venue, row["id"])
    closes = moment(row.get("closes"))
    return Market(name, venue, EventId(name), text(row["question"]), closes_at=closes)


def state(market: MarketId, row: dict[str, Any] | None, at: datetime) -> Status | None:
    """Say what a row makes of its market; an outcome has to be read twice."""
    if row is None:
        return None
    if row["state"] == "resolved" and row.get("outcome") in OUTCOMES:
        return Status(market, State.RESOLVED, at, OUTCOMES[row["outcome"]], unconfirmed=True)
    trades = row["state"] == "open"
    return Status(market, State.OPEN if trades else State.CLOSED_PENDING, at, unconfirmed=True)
