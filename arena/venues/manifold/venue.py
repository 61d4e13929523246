"""The adapter: asks Manifold's server, politely, and reads what it says."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from arena.errors import ArenaError
from arena.http import JsonReply, ListPage, Manners, PoliteReader, walk
from arena.ports import Clock, Payloads
from arena.records.market import (
    Catalogue,
    LeftOut,
    Market,
    MarketId,
    PricePoint,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.settings import VenueSettings
from arena.venues.manifold.curve import LEVELS
from arena.venues.manifold.parse import (
    ManifoldOffer,
    bet_ids,
    bets,
    falls,
    is_own,
    market,
    markets,
    prob,
    probs,
)
from arena.venues.options import is_address, is_pace, is_whole, read_options
from arena.venues.reading import EPOCH, Listed, Origin, Read, hold_to_format, own_id, unreadable

PAGE = 1000  # rows: the most it gives at once
MOST_PAGES = 2  # of a search: it does not skip more than 1,000 rows
BUSIEST = "24-hour-vol"
SORTS = (
    BUSIEST,
    "score",
    "most-popular",
    "liquidity",
    "newest",
    "close-date",
    "last-updated",
)


@dataclass(frozen=True, slots=True)
class ManifoldOptions:
    """How Manifold is asked, and which of its markets are good enough to be offered.

    `pages` of 1,000 markets are listed in the order of `sort`; a market that fewer than
    `min_bettors` people have bet on is not offered. It allows 500 requests a minute.
    """

    base_url: str = "https://api.manifold.markets/v0"
    sort: str = BUSIEST
    pages: int = 1
    min_bettors: int = 15
    per_second: float = 2.0


def options_of(settings: VenueSettings) -> ManifoldOptions:
    """Read the options of a venue.

    Raises:
        ArenaError: `venue.option`: one is unknown or has a wrong value.
    """
    return read_options(settings, ManifoldOptions, _RIGHT, _HINT)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "base_url": is_address,
    "sort": lambda value: value in SORTS,
    "pages": lambda value: is_whole(value, 1, MOST_PAGES),
    "min_bettors": lambda value: is_whole(value, 0, 1_000_000),
    "per_second": is_pace,
}
_HINT = f"pages are 1 to {MOST_PAGES}, sort is one of {', '.join(SORTS)}"


MOST_BET_PAGES = 20
FRESH = timedelta(seconds=60)  # for so long answers belong to one poll
MILLISECOND = timedelta(milliseconds=1)
CHANGED = "nothing of this poll was used; `arena venue check` says what has changed"


class ManifoldVenue:
    """Manifold as a venue. It implements the `Venue` port, and `Historian` besides.

    Its market maker's curve is the book. No fee is charged for a trade: a taker fee of 7 %
    of p(1-p) a share was tried in 2024, and is 0 in its source since (common/src/fees.ts);
    what a bet through its API costs on top, a quarter of a mana, is no part of a price.
    """

    only_now = True

    def __init__(
        self, venue: VenueId, options: ManifoldOptions, clock: Clock, reader: PoliteReader
    ) -> None:
        self._venue = venue
        self._options = options
        self._clock = clock
        self._reader = reader
        self._base = options.base_url.rstrip("/")
        self._offer = ManifoldOffer(options.min_bettors)
        self._pages: dict[str, JsonReply] = {}

    async def catalogue(self) -> Catalogue:
        """List the open markets that are good enough to be offered, in the order of `sort`."""
        reads: list[Read[Listed]] = []
        pages: list[JsonReply] = []

        async def fetch(cursor: str | None) -> ListPage:
            page = await self._search(cursor or "0")
            pages.append(page)
            reads.append(markets(page.payload, self._origin(page), self._offer))
            rows = page.payload if isinstance(page.payload, list) else []
            ids = [str(row.get("id")) for row in rows if isinstance(row, dict)]
            more = str(int(cursor or "0") + PAGE) if len(rows) >= PAGE else None
            return ListPage(ids, more)

        await walk(fetch, most=self._options.pages, what=f"{self._venue}: markets")
        nothing: Read[Listed] = Read()
        read = hold_to_format(self._venue, "markets", sum(reads, nothing))
        if not read.rows and not self._lists_any(pages):
            raise self._changed("it lists no market at all that is traded for mana, yes or no")
        listed = {row.market.id: row for row in reversed(read.rows)}  # pages may overlap
        listings = [listed[own] for own in dict.fromkeys(row.market.id for row in read.rows)]
        is_open = [row for row in listings if row.status.state is State.OPEN]
        quotes = tuple(row.quote for row in is_open if row.quote is not None)
        if len(is_open) > 1 and not quotes:
            raise self._changed("none of its open markets has a price")
        closed = [
            LeftOut(row.market.id, "it has closed")
            for row in listings
            if row.status.state is not State.OPEN
        ]
        return Catalogue(
            tuple(row.market for row in is_open), quotes, (*read.left_out, *closed)
        )

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Add the rules and the topic; what is closed or not fit to be offered is left out."""
        read = await self._ask_all([m.id for m in markets], self._offer)
        tradable = {row.market.id: row.market for row in read if row.status.state is State.OPEN}
        return tuple(tradable[m.id] for m in markets if m.id in tradable)

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the curve of each open market, as a book with depth."""
        read = await self._ask_all(markets, levels=LEVELS)
        return {row.market.id: row.quote for row in read if row.quote is not None}

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Say where each market is in its life; UNKNOWN is one that Manifold has no more."""
        wanted_ids = list(markets)
        statuses = {row.market.id: row.status for row in await self._ask_all(wanted_ids)}
        for wanted_id in wanted_ids:
            page = self._pages.get(own_id(self._venue, wanted_id) or "")
            if page is not None and page.status == HTTPStatus.NOT_FOUND:
                at = self._origin(page).at
                statuses[wanted_id] = Status(wanted_id, State.UNKNOWN, at, unconfirmed=True)
        return statuses

    async def history(
        self, market: MarketId, since: datetime, until: datetime
    ) -> Sequence[PricePoint]:
        """Give the probability after each bet of a span of time, oldest first.

        At most 20,000 bets are read, the newest; empty for a market that is not there.
        """
        own = own_id(self._venue, market)
        if own is None or not is_own(own):
            return ()
        reads: list[Read[PricePoint]] = []

        async def fetch(cursor: str | None) -> ListPage:
            newest = ("beforeTime", str(_millis(until) + 1))
            edge = newest if cursor is None else ("before", cursor)
            query = (("contractId", own), ("limit", str(PAGE)), edge)
            page = await self._reader.get(f"{self._base}/bets", query, may_miss=True)
            if page.status == HTTPStatus.NOT_FOUND:
                return ListPage((), None)
            read, ids = bets(page.payload, self._origin(page)), bet_ids(page.payload)
            reads.append(read)
            is_last = len(ids) < PAGE or (bool(read.rows) and read.rows[0].at < since)
            return ListPage(ids, None if is_last else ids[-1])

        await walk(fetch, most=MOST_BET_PAGES, what=f"{self._venue}: bets")
        nothing: Read[PricePoint] = Read()
        read = hold_to_format(self._venue, "bets", sum(reversed(reads), nothing))
        return tuple(point for point in read.rows if since <= point.at <= until)

    def _lists_any(self, pages: Iterable[JsonReply]) -> bool:
        """Whether a list has anything to bet on, good enough to be offered or not."""
        return any(markets(page.payload, self._origin(page)).rows for page in pages)

    async def _search(self, offset: str) -> JsonReply:
        query = (
            ("term", ""),
            ("sort", self._options.sort),
            ("filter", "open"),
            ("contractType", "BINARY"),
            ("token", "MANA"),
            ("limit", str(PAGE)),
            ("offset", offset),
        )
        page = await self._reader.get(f"{self._base}/search-markets", query)
        if self._options.sort == BUSIEST and not falls(page.payload):
            raise self._changed("its list is not in the order that was asked for")
        return page

    async def _ask_all(
        self,
        wanted_ids: Iterable[MarketId],
        offer: ManifoldOffer | None = None,
        levels: int | None = None,
    ) -> Sequence[Listed]:
        """Read each market that is there, one request each; memoised for one poll."""
        now = self._clock.now()
        self._pages = {own: page for own, page in self._pages.items() if _is_fresh(page, now)}
        read: Read[Listed] = Read()
        for wanted_id in dict.fromkeys(wanted_ids):
            own = own_id(self._venue, wanted_id)
            if own is not None and is_own(own):
                page = await self._ask(own)
                if page.status != HTTPStatus.NOT_FOUND:
                    read_market = market(page.payload, self._origin(page), offer, levels)
                    read += _about(own, wanted_id, read_market)
        return hold_to_format(self._venue, "market", read).rows

    async def _ask(self, own: str) -> JsonReply:
        page = self._pages.get(own)
        if page is None:
            page = await self._reader.get(f"{self._base}/market/{own}", may_miss=True)
            self._pages[own] = page
        return page

    def _origin(self, page: JsonReply) -> Origin:
        return Origin(self._venue, page.at - page.age)

    def _changed(self, what: str) -> ArenaError:
        return ArenaError("venue.format", f"{self._venue}: {what}", hint=CHANGED)


def from_settings(settings: VenueSettings, clock: Clock, payloads: Payloads) -> ManifoldVenue:
    """Build Manifold as a venue.

    Options: `base_url` of its API, `sort` and `pages` (1 or 2) of the list that markets are
    chosen from, `min_bettors` (15 if not given), `per_second` (2 requests if not given).

    Raises:
        ArenaError: `venue.option`: an option is unknown or has a wrong value.
    """
    options = options_of(settings)
    manners = Manners(per_second=options.per_second)
    reader = PoliteReader(settings.id, manners, clock, payloads)
    return ManifoldVenue(settings.id, options, clock, reader)


def _about(own: str, wanted_id: MarketId, read: Read[Listed]) -> Read[Listed]:
    if all(row.market.id == wanted_id for row in read.rows):
        return read
    return Read(left_out=(unreadable(own, "the answer is about another market"),))


def _is_fresh(page: JsonReply, now: datetime) -> bool:
    return timedelta(0) <= now - page.at < FRESH


def _millis(at: datetime) -> int:
    return (at - EPOCH) // MILLISECOND


KINDS: Mapping[str, Callable[[object, Origin], Read[Any]]] = {
    "markets": markets,
    "market": market,
    "probs": probs,
    "prob": prob,
    "bets": bets,
}
