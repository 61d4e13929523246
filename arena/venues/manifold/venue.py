"""The adapter: asks Manifold's server, politely, and reads what it says.

What Manifold's payloads say about markets: facts, state, and the price of its curve.

Only questions with the answers YES and NO that are traded for mana against a pool are read;
whatever else Manifold lists is left out as sound. Every function is pure and takes whatever
JSON there is.

Source: https://docs.manifold.markets/api and, for what it leaves open,
https://github.com/manifoldmarkets/manifold (common/src/api/market-types.ts).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypeVar

from arena.http import JsonReply, ListPage, Manners, PoliteReader, walk
from arena.http.retries import changed
from arena.ports import Clock, Payloads
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    Catalogue,
    EventId,
    LeftOut,
    Market,
    MarketId,
    Outcome,
    PricePoint,
    Quote,
    Source,
    State,
    Status,
    Unit,
    VenueId,
)
from arena.records.settings import VenueSettings
from arena.venues.manifold.curve import LEVELS, Pool, asks, bids
from arena.venues.options import is_address, is_pace, is_whole, read_options
from arena.venues.reading import (
    EPOCH,
    LONGEST_NAME,
    MOST,
    Listed,
    Origin,
    Read,
    Row,
    SkipError,
    broken,
    concatenated,
    dollars,
    flag,
    hold_to_format,
    mapping,
    market_id,
    number,
    own_id,
    read_one,
    read_rows,
    text,
    unit_price,
    unreadable,
)

KIND, MECHANISM, TOKEN = "BINARY", "cpmm-1", "MANA"
PAGES = "https://manifold.markets/"
NO_DATE_FROM = 253_402_300_800_000  # milliseconds: the year 10000
APART = Decimal("0.01")  # a probability further than this from its own pool is a mistake
# Topics of questions about their creator, or with no answer that can be looked up.
PERSONAL = frozenset({"personal", "personal-goals", "nonpredictive", "unranked"})
PUBLIC = "public"

_OWN = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)
_T = TypeVar("_T")


def is_own(own: str) -> bool:
    """Say whether this may be Manifold's own id of a market: it can stand in an address."""
    return _OWN.fullmatch(own) is not None


def markets(payload: object, origin: Origin, min_bettors: int | None = None) -> Read[Listed]:
    """Read a list of markets as `/v0/search-markets` and `/v0/markets` give it.

    Prices have no depth and are the list's own.

    Args:
        payload: What the server said.
        origin: Whose it is, and for which moment.
        min_bettors: Leaves out what is not good enough to be offered; None leaves nothing out.
    """

    def parse(row: Row) -> tuple[str, Listed]:
        listed = _read(row, origin, None, min_bettors)
        return listed.market.id, listed

    return read_rows(payload, "markets", "id", parse)


def market(
    payload: object,
    origin: Origin,
    min_bettors: int | None = None,
    levels: int | None = LEVELS,
) -> Read[Listed]:
    """Read one market as `/v0/market/{id}` gives it: with its rules, and a book with depth.

    Args:
        payload: What the server said.
        origin: Whose it is, and for which moment.
        min_bettors: Leaves out what is not good enough to be offered; None leaves nothing out.
        levels: How deep the book is, on each side; None tells a price as a list does.
    """
    row = mapping(payload)
    return read_one(
        text(row.get("id"))[:LONGEST_NAME] or "market",
        lambda: _read(row, origin, levels, min_bettors),
    )


def falls(payload: object) -> bool:
    """Say whether a list runs from the most traded of the last day to the least.

    One inversion in twenty neighbours, or one at all, is forgiven: volumes move on while a
    list is made. Rows that name no volume are passed over.
    """
    rows = payload if isinstance(payload, list) else []
    named = [number(row.get("volume24Hours")) for row in rows if isinstance(row, dict)]
    volumes = [volume for volume in named if volume is not None]
    risen = sum(after > before for before, after in pairwise(volumes))
    return risen <= max(1, len(volumes) // 20)


def _read(row: Row, origin: Origin, levels: int | None, min_bettors: int | None) -> Listed:
    own = _need(row, "id", _identity)
    _is_ours(row)
    market = Market(
        id=market_id(origin.venue, own),
        venue=origin.venue,
        event=EventId(market_id(origin.venue, own)),
        question=_need(row, "question", text),
        closes_at=_date(row, "closeTime"),
        opens_at=_date(row, "createdTime"),
        rules=text(row.get("textDescription")) or text(row.get("description")),
        category=next(iter(_topics(row)), ""),
        url=_page(row),
        refs=(("slug", slug),) if (slug := text(row.get("slug"))) else (),
        unit=Unit.MANA,
    )
    status = _status(row, market, origin)
    is_open = status.state is State.OPEN
    quote = _quote(row, market, origin, levels) if is_open else None
    if min_bettors is not None:
        _refuse_unfit(row, min_bettors)
    return Listed(market, quote, status)


def _is_ours(row: Row) -> None:
    """Refuse what is not traded as YES and NO for mana against a pool.

    Raises:
        SkipError: With the word that says so.
    """
    for name, ours in (("outcomeType", KIND), ("mechanism", MECHANISM), ("token", TOKEN)):
        if name == "token" and row.get(name) is None:
            continue  # there was nothing but mana once
        stated = _need(row, name, text)
        if stated != ours:
            raise SkipError(f"{name} {stated[:40]}, not {ours}")


def _status(row: Row, market: Market, origin: Origin) -> Status:
    """Say where a market is in its life; what it pays only once its creator has resolved it.

    A creator can take a resolution back: the market is then simply not resolved any more.
    """
    if _need(row, "isResolved", flag):
        outcome = _outcome(row)
        state = State.CLOSED_PENDING if outcome is None else State.RESOLVED
        return Status(market.id, state, origin.at, outcome, unconfirmed=True)
    closed = market.closes_at is not None and market.closes_at <= origin.at
    state = State.CLOSED_PENDING if closed else State.OPEN
    return Status(market.id, state, origin.at, unconfirmed=True)


def _outcome(row: Row) -> Outcome | None:
    """Read what a resolved market pays; None for a resolution of a kind not known here.

    MKT pays the probability that its creator named, or else the market's last. CANCEL gives
    everybody's money back.
    """
    outcomes = {"YES": YES_WINS, "NO": NO_WINS, "CANCEL": VOIDED}
    word = row.get("resolution")
    if word == "MKT":
        named = row.get("resolutionProbability")
        paid = unit_price(row.get("probability") if named is None else named)
        return None if paid is None else Outcome(paid)
    return outcomes.get(word) if isinstance(word, str) else None


def _quote(row: Row, market: Market, origin: Origin, levels: int | None) -> Quote | None:
    """Price a market by its pool; without levels as a list does.

    None where the pool is not told (as in 2022), or too small to trade with.
    """
    probability = _need(row, "probability", unit_price)
    pool = _pool(row)
    if pool is None or not pool.is_usable:
        return None
    if abs(pool.probability - probability) > APART:
        raise broken(f"probability {probability} contradicts its pool")
    depth = levels or 1
    best, worst = asks(pool, depth), bids(pool, depth)
    return Quote(
        market=market.id,
        bid=worst[0].price if worst else None,
        ask=best[0].price if best else None,
        at=origin.at,
        volume=dollars(row.get("volume")),
        bids=worst if levels else (),
        asks=best if levels else (),
        volume_24h=dollars(row.get("volume24Hours")),
        liquidity=dollars(row.get("totalLiquidity")),
        source=Source.CURVE if levels else Source.LIST,
    )


def _pool(row: Row) -> Pool | None:
    """Read the pool; None where it is a bare number or nothing at all."""
    pool = row.get("pool")
    if not isinstance(pool, dict):
        return None
    sides = [number(pool.get(name)) for name in ("YES", "NO")]
    p = number(row.get("p"))
    if p is None or not 0 < p < 1:
        raise broken("p is missing or not between 0 and 1")
    held = [side for side in sides if side is not None and 0 <= side <= MOST]
    if len(held) != len(sides):
        raise broken("pool does not name its shares of YES and NO")
    return Pool(+held[0], +held[1], +p)  # the plus rounds: there may be a million digits


def _refuse_unfit(row: Row, min_bettors: int) -> None:
    """Refuse a sound market that is not listed, not ranked or personal, or that few bet on.

    Creators judge their own questions, so how many people have bet on one is the best sign
    of its quality.

    Raises:
        SkipError: It is not good enough to be offered.
    """
    if row.get("visibility", PUBLIC) != PUBLIC:
        raise SkipError("it is not listed")
    if row.get("isRanked") is False or PERSONAL.intersection(_topics(row)):
        raise SkipError("it is personal, or not ranked")
    bettors = number(row.get("uniqueBettorCount"))
    if bettors is None and min_bettors > 0:
        raise broken("uniqueBettorCount is missing or not a number")
    if bettors is not None and bettors < min_bettors:
        raise SkipError(f"fewer than {min_bettors} people have bet on it")


def _need(row: Row, name: str, read: Callable[[object], _T | None]) -> _T:
    cell = read(row.get(name))
    if cell is None or cell == "":
        raise broken(f"{name} is missing or not of its kind")
    return cell


def _identity(value: object) -> str | None:
    return value if isinstance(value, str) and is_own(value) else None


def millis(value: object) -> datetime | None:
    """Read milliseconds since 1970; None for what is no date before the year 10000."""
    since = number(value)
    if since is None or not 0 <= since < NO_DATE_FROM:
        return None
    return EPOCH + timedelta(milliseconds=int(since))


def _date(row: Row, name: str) -> datetime | None:
    """Read a date that may be missing, or absurd: some markets are never to close."""
    value = row.get(name)
    if value is not None and number(value) is None:
        raise broken(f"{name} is no date")
    return millis(value)


def _topics(row: Row) -> tuple[str, ...]:
    named = row.get("groupSlugs")
    slugs = (text(slug) for slug in (named if isinstance(named, list) else ()))
    return tuple(slug for slug in slugs if slug)


def _page(row: Row) -> str:
    named = text(row.get("url"))
    return named if named.startswith(PAGES) else ""


# What Manifold's payloads say about probabilities after each bet of the past.
#
# Source: https://docs.manifold.markets/api (`/v0/bets`).


def bets(payload: object, origin: Origin) -> Read[PricePoint]:  # noqa: ARG001  one of its KINDS
    """Read the probability after each bet of `/v0/bets`, oldest first.

    Orders that still wait for somebody have moved nothing, and neither have pairs of shares
    that were turned back into mana: both are left out.
    """
    read = read_rows(payload, "bets", "id", _bet)
    rows = read.rows[::-1]  # of two in one millisecond the payload names the later first
    return Read(tuple(sorted(rows, key=attrgetter("at"))), read.left_out)


def bet_ids(payload: object) -> tuple[str, ...]:
    """Name the bets of a payload in its order: the last one is where the next page begins."""
    rows = payload if isinstance(payload, list) else []
    named = [row.get("id") for row in rows if isinstance(row, dict)]
    return tuple(own for own in named if isinstance(own, str) and own)


def _bet(row: Row) -> tuple[str, PricePoint]:
    own = _need(row, "id", _identity)
    if row.get("isRedemption") is True:
        raise SkipError("it turns pairs of shares back into mana")
    if row.get("isFilled") is False:
        raise SkipError("it is an order that is not filled")
    if row.get("answerId") is not None:
        raise SkipError("it is about one of several answers")
    at, after = _need(row, "createdTime", millis), _need(row, "probAfter", unit_price)
    return own, PricePoint(at, after)


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
        self._pages: dict[str, JsonReply] = {}

    async def catalogue(self) -> Catalogue:
        """List the open markets that are good enough to be offered, in the order of `sort`."""
        reads: list[Read[Listed]] = []
        pages: list[JsonReply] = []

        async def fetch(cursor: str | None) -> ListPage:
            page = await self._search(cursor or "0")
            pages.append(page)
            reads.append(markets(page.payload, self._origin(page), self._options.min_bettors))
            rows = page.payload if isinstance(page.payload, list) else []
            ids = [str(row.get("id")) for row in rows if isinstance(row, dict)]
            more = str(int(cursor or "0") + PAGE) if len(rows) >= PAGE else None
            return ListPage(ids, more)

        await walk(fetch, most=self._options.pages, what=f"{self._venue}: markets")
        read = hold_to_format(self._venue, "markets", concatenated(reads))
        if not read.rows and not any(markets(p.payload, self._origin(p)).rows for p in pages):
            raise changed(
                self._venue, "it lists no market at all that is traded for mana, yes or no"
            )
        listed = {row.market.id: row for row in reversed(read.rows)}  # pages may overlap
        listings = [listed[own] for own in dict.fromkeys(row.market.id for row in read.rows)]
        is_open = [row for row in listings if row.status.state is State.OPEN]
        quotes = tuple(row.quote for row in is_open if row.quote is not None)
        if len(is_open) > 1 and not quotes:
            raise changed(self._venue, "none of its open markets has a price")
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
        read = await self._ask_all([m.id for m in markets], self._options.min_bettors)
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
            newest = ("beforeTime", str((until - EPOCH) // MILLISECOND + 1))
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
        read = hold_to_format(self._venue, "bets", concatenated(reversed(reads)))
        return tuple(point for point in read.rows if since <= point.at <= until)

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
            raise changed(self._venue, "its list is not in the order that was asked for")
        return page

    async def _ask_all(
        self,
        wanted_ids: Iterable[MarketId],
        min_bettors: int | None = None,
        levels: int | None = None,
    ) -> Sequence[Listed]:
        """Read each market that is there, one request each; memoised for one poll."""
        now = self._clock.now()
        self._pages = {
            own: page
            for own, page in self._pages.items()
            if timedelta(0) <= now - page.at < FRESH
        }
        read: Read[Listed] = Read()
        for wanted_id in dict.fromkeys(wanted_ids):
            own = own_id(self._venue, wanted_id)
            if own is not None and is_own(own):
                page = await self._ask(own)
                if page.status != HTTPStatus.NOT_FOUND:
                    origin = self._origin(page)
                    read_market = market(page.payload, origin, min_bettors, levels)
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


KINDS: Mapping[str, Callable[[object, Origin], Read[Any]]] = {
    "markets": markets,
    "market": market,
    "bets": bets,
}
