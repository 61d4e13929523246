"""What is asked of Polymarket's three services, and how."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, TypeVar

from arena.errors import ArenaError
from arena.http import JsonReply, ListPage, PoliteReader, walk
from arena.http.retries import changed
from arena.records.market import PricePoint, VenueId
from arena.records.money import Price
from arena.records.settings import VenueSettings
from arena.venues.options import is_address, is_number, is_pace, is_whole, read_options
from arena.venues.polymarket.clob import (
    ClobMarket,
    PolymarketBook,
    PolymarketFeeTerms,
    books,
    clob_market,
    price_history,
    read_midpoint,
    read_midpoints,
    terms,
)
from arena.venues.polymarket.gamma import GammaMarket, falls, for_us, market, markets
from arena.venues.polymarket.outcome import PAYLOAD, Resolution, resolutions
from arena.venues.reading import (
    EPOCH,
    Origin,
    Read,
    chunks,
    concatenated,
    hold_to_format,
    mappings,
    text,
)

BUSIEST = "volume24hr"
ORDERS = (BUSIEST, "volumeNum", "liquidityNum")  # `volume` is sorted as text
MOST_PAGES, MOST_DAYS, MOST_DEPTH = 100, 3650, 1000


@dataclass(frozen=True, slots=True)
class PolymarketOptions:
    """How Polymarket is asked, and which of its markets are listed.

    `pages` of 100 markets are listed, those with most of `order` first. `volume_num_min` and
    `liquidity_num_min` are dollars. `closes_within_days` lists only what is to end by then;
    None lists all. `depth` is how many levels of a book are kept on each side.
    """

    gamma: str = "https://gamma-api.polymarket.com"
    clob: str = "https://clob.polymarket.com"
    data: str = "https://data-api.polymarket.com"
    order: str = BUSIEST
    pages: int = 10
    volume_num_min: float | None = None
    liquidity_num_min: float | None = None
    closes_within_days: float | None = None
    depth: int = 20
    per_second: float = 4.0


def options_of(settings: VenueSettings) -> PolymarketOptions:
    """Read the options of a venue.

    Raises:
        ArenaError: `venue.option`: one is unknown or has a wrong value.
    """
    return read_options(settings, PolymarketOptions, _RIGHT, _HINT)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "gamma": is_address,
    "clob": is_address,
    "data": is_address,
    "order": lambda value: value in ORDERS,
    "pages": lambda value: is_whole(value, 1, MOST_PAGES),
    "volume_num_min": lambda value: is_number(value, 0, 1e12),
    "liquidity_num_min": lambda value: is_number(value, 0, 1e12),
    "closes_within_days": lambda value: is_number(value, 0.01, MOST_DAYS),
    "depth": lambda value: is_whole(value, 1, MOST_DEPTH),
    "per_second": is_pace,
}
_HINT = f"pages are 1 to {MOST_PAGES}, order is one of {', '.join(ORDERS)}"


KINDS: Mapping[str, Callable[[object, Origin], Read[Any]]] = {
    "markets": lambda payload, origin: for_us(markets(payload, origin)),
    "markets-by-id": markets,
    "market": market,
    "books": books,
    "midpoint": lambda payload, _: read_midpoint(payload),
    "midpoints": lambda payload, _: read_midpoints(payload),
    "price-history": lambda payload, _: price_history(payload),
    "resolutions": lambda payload, _: resolutions(payload),
    "clob-market": lambda payload, _: clob_market(payload),
    "clob-markets": lambda payload, _: terms(payload),
}


PAGE = 100
IDS = 50  # less than a page, so that a full answer has no page after it
TOKENS = 100
CONDITIONS = 20
WINDOW = timedelta(days=14)  # longer ones are refused, or empty for what has ended
EVERY = timedelta(hours=1)  # a point of a price history

UNREADABLE = "unreadable"
ONE_MAY = ("venue.silent", "venue.refused")  # be answered so, and others not

Query = list[tuple[str, str]]

_T = TypeVar("_T")


class Asking:
    """Asks the services and reads their answers; what is malformed throughout is an error.

    Every method raises `ArenaError` as `PoliteReader` does, and `venue.format` where an
    answer is not what was asked for.
    """

    def __init__(
        self, venue: VenueId, options: PolymarketOptions, reader: PoliteReader
    ) -> None:
        self._venue = venue
        self._options = options
        self._reader = reader
        self._gamma = options.gamma.rstrip("/")
        self._clob = options.clob.rstrip("/")
        self._data = options.data.rstrip("/")

    async def open_list(self, now: datetime) -> Read[GammaMarket]:
        """List open markets, the busiest first; a market counts where it is first named."""
        order = self._options.order
        query = [*self._busiest(), ("include_tag", "true"), *self._narrowing(now)]
        reads: list[Read[GammaMarket]] = []

        async def fetch(cursor: str | None) -> ListPage:
            page, leaf = await self._page(query, cursor)
            in_order = falls(page.payload, order)
            if in_order is False or (in_order is None and cursor is None and leaf.ids):
                raise changed(self._venue, f"its list is not in the order of {order}")
            reads.append(self._markets(page))
            return leaf

        await walk(fetch, most=self._options.pages, what=f"{self._venue}: markets")
        read = hold_to_format(self._venue, "markets", concatenated(reads))
        if not read.rows and not read.left_out:
            raise changed(self._venue, "it lists no market at all")
        once: dict[str, GammaMarket] = {}
        for row in read.rows:
            once.setdefault(row.own, row)  # pages may overlap
        return Read(tuple(once.values()), read.left_out)

    async def of_next_protocol(self) -> int:
        """Count the open markets of protocol v2, a page at most: no list has them unasked."""
        page, _ = await self._page([*self._busiest(), ("version", "v2")], None)
        body = page.payload if isinstance(page.payload, dict) else {}
        return sum(row.get("version") == "v2" for row in mappings(body.get("markets")))

    async def markets(self, own: Iterable[str]) -> dict[str, GammaMarket | None]:
        """Look markets up by Gamma's own ids; None is one that it does not have.

        Closed ones are left out by default, so what is missing is asked for again. A market
        whose row cannot be read, or that has not two outcomes, is not in the answer.
        """
        gamma_ids = list(dict.fromkeys(own))
        named_ids: set[str] = set()
        read = await self._by_id(gamma_ids, named_ids)
        missing = [gamma_id for gamma_id in gamma_ids if gamma_id not in named_ids]
        read += await self._by_id(missing, named_ids, ("closed", "true"))
        missing = [gamma_id for gamma_id in missing if gamma_id not in named_ids]
        pages = await self._singly(f"{self._gamma}/markets", missing)
        for gamma_id, page in pages.items():
            if page.status != HTTPStatus.NOT_FOUND:
                page_read = self._of_right_shape(
                    "a market", market(page.payload, self._origin(page))
                )
                self._only([gamma_id], (row.own for row in page_read.rows))
                read += page_read
        rows = self._but_for_one("markets by id", read).rows
        gone = [
            gamma_id for gamma_id, page in pages.items() if page.status == HTTPStatus.NOT_FOUND
        ]
        return {row.own: row for row in rows} | dict.fromkeys(gone)

    async def books(self, tokens: Sequence[str]) -> dict[str, PolymarketBook]:
        """Ask for the books of tokens; one that has none is left out."""
        read: Read[PolymarketBook] = Read()
        for some in chunks(tokens, TOKENS):
            page = await self._post("books", some)
            if page.status != HTTPStatus.NOT_FOUND:
                read += self._of_right_shape("books", books(page.payload, self._origin(page)))
        return {row.token: row for row in self._but_for_one("books", read).rows}

    async def midpoints(self, tokens: Sequence[str]) -> dict[str, Price]:
        """Ask for the midpoints of tokens, and again for each that is missing in the batch."""
        prices: dict[str, Price] = {}
        for some in chunks(tokens, TOKENS):
            page = await self._post("midpoints", some)
            if page.status != HTTPStatus.NOT_FOUND:
                read = self._of_right_shape("midpoints", read_midpoints(page.payload))
                self._but_for_one("midpoints", read)
                prices |= {midpoint.token: midpoint.price for midpoint in read.rows}
        for token_id in dict.fromkeys(tokens):
            if token_id and token_id not in prices:
                query = (("token_id", token_id),)
                page = await self._reader.get(f"{self._clob}/midpoint", query, may_miss=True)
                for midpoint in read_midpoint(page.payload).rows:
                    prices[token_id] = midpoint.price
        return prices

    async def resolutions(self, conditions: Sequence[str]) -> dict[str, Resolution]:
        """Ask the Data API where the oracle is with markets; one it does not know has none.

        A row that cannot be read is one whose status means nothing: it settles nothing.
        """
        read: Read[Resolution] = Read()
        for some in chunks(conditions, CONDITIONS):
            query = (("condition_id", ",".join(some)),)
            page = await self._reader.get(f"{self._data}/v2/resolutions", query, may_miss=True)
            if page.status != HTTPStatus.NOT_FOUND:
                read += self._of_right_shape("resolutions", resolutions(page.payload))
        self._but_for_one("resolutions", read)
        bad = (left.what for left in read.left_out if left.malformed)
        odd = {what: Resolution(what, UNREADABLE) for what in bad}
        return {row.condition: row for row in read.rows} | odd

    async def winners(self, conditions: Iterable[str]) -> dict[str, ClobMarket]:
        """Ask the CLOB for the winners of markets; one that it does not have has none."""
        read = await self._each("markets", conditions, clob_market)
        return {row.condition: row for row in read.rows}

    async def terms(self, conditions: Iterable[str]) -> dict[str, PolymarketFeeTerms]:
        """Ask the CLOB for the terms of markets; one that it does not have has none."""
        read = await self._each("clob-markets", conditions, terms)
        return {row.condition: row for row in read.rows}

    async def _each(
        self, what: str, conditions: Iterable[str], parse: Callable[[object], Read[_T]]
    ) -> Read[_T]:
        """Ask the CLOB for one market after the other."""
        read: Read[_T] = Read()
        for page in (await self._singly(f"{self._clob}/{what}", conditions)).values():
            if page.status != HTTPStatus.NOT_FOUND:
                read += self._of_right_shape(what, parse(page.payload))
        return self._but_for_one(f"answers from {what}", read)

    async def _singly(self, url: str, names: Iterable[str]) -> dict[str, JsonReply]:
        """Ask for one thing after the other; where a single one fails, it is left out.

        A server may fail for ever on an odd market, and on no other.

        Source:
            https://github.com/wasabipesto/themis/issues/21
        """
        pages: dict[str, JsonReply] = {}
        failed = ""
        for name in dict.fromkeys(names):
            try:
                pages[name] = await self._reader.get(f"{url}/{name}", may_miss=True)
            except ArenaError as error:
                if failed or error.code not in ONE_MAY:
                    raise
                failed = name
        return pages

    async def past(self, token: str, since: datetime, until: datetime) -> list[PricePoint]:
        """Ask for the past prices of a token: the CLOB, and where it has none the Data API."""
        spans, start = list[tuple[str, str]](), since
        while start < until:
            end = min(start + WINDOW, until)
            spans.append((_seconds(start), _seconds(end)))
            start = end
        points: list[PricePoint] = []
        for first, last in spans:
            query = [("market", token), ("startTs", first), ("endTs", last)]
            query.append(("fidelity", str(EVERY // timedelta(minutes=1))))
            points += await self._points(f"{self._clob}/prices-history", query)
        for first, last in () if points else spans:
            query = [("token_id", token), ("start", first), ("end", last)]
            query += [
                ("bucket_seconds", str(EVERY // timedelta(seconds=1))),
                ("limit", "10000"),
            ]
            points += await self._points(f"{self._data}/v2/prices-history", query)
        return points

    async def _points(self, url: str, query: Query) -> tuple[PricePoint, ...]:
        page = await self._reader.get(url, query, may_miss=True)
        if page.status == HTTPStatus.NOT_FOUND:
            return ()
        read = self._of_right_shape("prices", price_history(page.payload))
        return hold_to_format(self._venue, "prices", read).rows

    async def _by_id(
        self, gamma_ids: Sequence[str], named_ids: set[str], *more: tuple[str, str]
    ) -> Read[GammaMarket]:
        """Look markets up in the list; `named_ids` is given the ids that it named."""
        reads: list[Read[GammaMarket]] = []
        for some in chunks(gamma_ids, IDS):
            query: Query = [("id", gamma_id) for gamma_id in some]
            query += [("limit", str(PAGE)), ("include_tag", "true"), *more]

            async def fetch(
                cursor: str | None, query: Query = query, some: Sequence[str] = some
            ) -> ListPage:
                page, leaf = await self._page(query, cursor)
                self._only(some, leaf.ids)
                reads.append(self._markets(page))
                named_ids.update(leaf.ids)
                return leaf

            await walk(fetch, most=IDS, what=f"{self._venue}: markets by id")
        return concatenated(reads)

    async def _page(self, query: Query, cursor: str | None) -> tuple[JsonReply, ListPage]:
        """Ask for a page of markets; the cursor is good for the same query only."""
        after = [] if cursor is None else [("after_cursor", cursor)]
        page = await self._reader.get(f"{self._gamma}/markets/keyset", [*query, *after])
        body = page.payload if isinstance(page.payload, dict) else {}
        more = body.get("next_cursor")
        if more is not None and not isinstance(more, str):
            raise changed(self._venue, "next_cursor is no text")
        ids = [text(row.get("id")) for row in mappings(body.get("markets"))]
        return page, ListPage([gamma_id for gamma_id in ids if gamma_id], more)

    async def _post(self, what: str, tokens: Sequence[str]) -> JsonReply:
        body = [{"token_id": token} for token in tokens]
        return await self._reader.post(f"{self._clob}/{what}", body, may_miss=True)

    def _busiest(self) -> Query:
        return [
            ("limit", str(PAGE)),
            ("order", self._options.order),
            ("ascending", "false"),
            ("closed", "false"),
            ("active", "true"),
            ("archived", "false"),
        ]

    def _narrowing(self, now: datetime) -> Query:
        options, query = self._options, list[tuple[str, str]]()
        if options.volume_num_min is not None:
            query.append(("volume_num_min", f"{options.volume_num_min:f}"))
        if options.liquidity_num_min is not None:
            query.append(("liquidity_num_min", f"{options.liquidity_num_min:f}"))
        if options.closes_within_days is not None:
            end = now + timedelta(days=float(options.closes_within_days))
            query += [("end_date_min", _iso(now)), ("end_date_max", _iso(end))]
        return query

    def _markets(self, page: JsonReply) -> Read[GammaMarket]:
        return self._of_right_shape("markets", markets(page.payload, self._origin(page)))

    def _of_right_shape(self, kind: str, read: Read[_T]) -> Read[_T]:
        """Let a payload of the right shape pass, whatever its rows are."""
        odd = [left for left in read.left_out if left.what == PAYLOAD]
        if odd:
            raise changed(
                self._venue, f"an answer is not what was asked for ({kind}): {odd[0].why}"
            )
        return read

    def _but_for_one(self, kind: str, read: Read[_T]) -> Read[_T]:
        """Hold to the format, but let a single malformed row be an accident in any number."""
        bad = sum(left.malformed for left in read.left_out)
        return hold_to_format(self._venue, kind, read) if bad > 1 else read

    def _only(self, requested: Iterable[str], received: Iterable[str]) -> None:
        """Refuse the answer of a server that ignores which ids it is asked for."""
        if not set(received) <= set(requested):
            raise changed(self._venue, "it sends markets that were not asked for")

    def _origin(self, page: JsonReply) -> Origin:
        return Origin(self._venue, page.at - page.age)


def _iso(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _seconds(at: datetime) -> str:
    return str((at - EPOCH) // timedelta(seconds=1))
