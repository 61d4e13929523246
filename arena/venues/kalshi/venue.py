"""The adapter: asks Kalshi's server, politely, and reads what it says.

The server has two addresses for the same thing, and says whether it trades now. Its order books
hold bids alone, for YES and for NO: whoever bids p for NO offers YES at 1 - p. The past of its
prices comes as candlesticks.

Source:
    https://docs.kalshi.com/getting_started/orderbook_responses,
    https://docs.kalshi.com/api-reference/market/get-market-candlesticks and
    https://docs.kalshi.com/api-reference/historical/get-historical-market-candlesticks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from arena.errors import ArenaError
from arena.http import JsonReply, ListPage, Manners, PoliteReader, walk
from arena.http.retries import changed
from arena.ports import Clock, Payloads
from arena.records.market import (
    Catalogue,
    LeftOut,
    Level,
    Market,
    MarketId,
    PricePoint,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.money import ONE, Price, price
from arena.records.settings import VenueSettings
from arena.venues.kalshi import parse
from arena.venues.kalshi.parse import (
    Series,
    filled,
    holds_list,
    is_ticker,
    offered,
    price_text,
    read_list,
    series,
    ticker,
)
from arena.venues.options import is_address, is_pace, is_whole, read_options
from arena.venues.reading import (
    EPOCH,
    Listed,
    Origin,
    Read,
    Row,
    SkipError,
    broken,
    chunks,
    concatenated,
    count,
    flag,
    hold_to_format,
    mapping,
    market_id,
    moment,
    number,
    own_id,
    read_one,
    read_rows,
    unreadable,
)

DEPTH = 20
FORMS = ("orderbook_fp", "orderbook")  # the second until March 2026


@dataclass(frozen=True, slots=True)
class KalshiBook:
    """A market's order book as offers for YES, best first."""

    ticker: str
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]

    @property
    def bid(self) -> Price | None:
        """The best bid; None where nobody bids."""
        return self.bids[0].price if self.bids else None

    @property
    def ask(self) -> Price | None:
        """The best ask; None where nobody asks."""
        return self.asks[0].price if self.asks else None


def orderbooks(payload: object, origin: Origin, depth: int = DEPTH) -> Read[KalshiBook]:  # noqa: ARG001
    """Read `GET /markets/orderbooks`, with at most `depth` levels a side."""

    def parse(row: Row) -> tuple[str, KalshiBook]:
        own = ticker(row, "ticker")
        return own, _book(own, row, depth)

    return read_list(payload, "orderbooks", "ticker", parse)


def _book(own: str, row: Row, depth: int) -> KalshiBook:
    held = next((row[form] for form in FORMS if isinstance(row.get(form), dict)), None)
    if held is None:
        raise broken("no orderbook_fp")
    book = mapping(held)
    bids = _levels(book, "yes_dollars")
    asks = [Level(price(ONE - no.price), no.shares) for no in _levels(book, "no_dollars")]
    bids.sort(key=lambda level: -level.price)
    asks.sort(key=lambda level: level.price)
    return KalshiBook(own, tuple(bids[:depth]), tuple(asks[:depth]))


def _levels(book: Row, side: str) -> list[Level]:
    """Read the bids of a side; None is nobody. One that cannot be read spoils the book."""
    rows = book.get(side)
    if side not in book or not isinstance(rows, list | None):
        raise broken(f"no {side}")
    levels: list[Level] = []
    for row in rows or ():
        if not isinstance(row, list) or len(row) < 2:  # noqa: PLR2004  price and count
            raise broken(f"a level of {side} is no pair")
        at, shares = price_text(row[0]), count(row[1])
        if at is None or shares is None:
            raise broken(f"a level of {side} is not in dollars and contracts")
        if offered(at) is not None and shares:
            levels.append(Level(at, shares))
    return levels


MOST_PAGES = 1_000
MOST_DEPTH = 100


@dataclass(frozen=True, slots=True)
class KalshiOptions:
    """How Kalshi is asked.

    `fallback_url` is asked where `base_url` does not answer; empty is none. At most `pages`
    of 200 events are listed. `depth` is how many levels of a book's side are kept; with 0 no
    book is asked for, and a quote has its best prices alone.
    """

    base_url: str = "https://external-api.kalshi.com/trade-api/v2"
    fallback_url: str = "https://api.elections.kalshi.com/trade-api/v2"
    pages: int = 100
    depth: int = DEPTH
    per_second: float = 5.0


def options_of(settings: VenueSettings) -> KalshiOptions:
    """Read the options of a venue.

    Raises:
        ArenaError: `venue.option`: one is unknown or has a wrong value.
    """
    return read_options(settings, KalshiOptions, _RIGHT, _HINT)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "base_url": is_address,
    "fallback_url": lambda value: value == "" or is_address(value),
    "pages": lambda value: is_whole(value, 1, MOST_PAGES),
    "depth": lambda value: is_whole(value, 0, MOST_DEPTH),
    "per_second": is_pace,
}
_HINT = f"pages are 1 to {MOST_PAGES}, depth is 0 to {MOST_DEPTH}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Whether the exchange trades now, and when it says that it will again."""

    trading: bool
    resumes_at: datetime | None


def exchange_status(payload: object, origin: Origin) -> Read[Exchange]:  # noqa: ARG001
    """Read `GET /exchange/status`."""

    def parse() -> Exchange:
        row = mapping(payload)
        exchange, trading = flag(row.get("exchange_active")), flag(row.get("trading_active"))
        if exchange is None or trading is None:
            raise broken("no exchange_active" if exchange is None else "no trading_active")
        resumes = moment(row.get("exchange_estimated_resume_time"))
        return Exchange(exchange and trading, resumes)

    return read_one("exchange", parse)


FRESH = timedelta(seconds=60)  # for so long what was read belongs to one poll
NO_ANSWER = frozenset({"venue.silent", "venue.blocked"})

Query = Sequence[tuple[str, str]]


class Server:
    """Asks one address of Kalshi's interface, and the other where that does not answer.

    The one that answered last is asked first.

    Args:
        venue: Kalshi's name in the arena.
        options: The addresses.
        clock: Says how old the word about trading is.
        reader: Sends the requests.
    """

    def __init__(
        self, venue: VenueId, options: KalshiOptions, clock: Clock, reader: PoliteReader
    ) -> None:
        self._venue = venue
        self._clock = clock
        self._reader = reader
        urls = [url.rstrip("/") for url in (options.base_url, options.fallback_url) if url]
        self._bases = tuple(dict.fromkeys(urls))
        self._exchange: tuple[datetime, Exchange] | None = None

    async def get(self, path: str, query: Query = (), *, may_miss: bool = False) -> JsonReply:
        """Ask for a path, `/events` for one.

        Raises:
            ArenaError: As `PoliteReader.get` does, and where neither address answers as for
                the first.
        """
        failures: list[ArenaError] = []
        for base in self._bases:
            try:
                page = await self._reader.get(base + path, query, may_miss=may_miss)
            except ArenaError as error:
                if error.code not in NO_ANSWER:
                    raise
                failures.append(error)
            else:
                self._bases = tuple(dict.fromkeys((base, *self._bases)))
                return page
        raise failures[0]

    async def rows(self, path: str, query: Query, key: str) -> JsonReply:
        """Ask for a path whose answer has a list under a key.

        Raises:
            ArenaError: As for `get`; `venue.format`: there is no such list, so that nothing
                is known of any row.
        """
        page = await self.get(path, query)
        if not holds_list(page.payload, key):
            raise changed(self._venue, f"the answer to {path} has no list of {key}")
        return page

    def origin(self, page: JsonReply) -> Origin:
        """Say whose a page is, and the moment for which it holds."""
        return Origin(self._venue, page.at - page.age)

    async def require_trading(self) -> None:
        """Make sure that the exchange trades; its word on it holds for a minute.

        Raises:
            ArenaError: `venue.paused`: it does not.
        """
        now = self._clock.now()
        if self._exchange is None or not timedelta(0) <= now - self._exchange[0] < FRESH:
            page = await self.get("/exchange/status")
            read = exchange_status(page.payload, self.origin(page))
            state = hold_to_format(self._venue, "exchange states", read).rows[0]
            self._exchange = (now, state)
        exchange = self._exchange[1]
        if not exchange.trading:
            raise ArenaError(
                "venue.paused",
                f"{self._venue}: trading is paused, {_until(exchange.resumes_at)}",
                hint="nothing was read; the next tick asks again",
            )


def _until(resumes_at: datetime | None) -> str:
    if resumes_at is None:
        return "it does not say until when"
    return f"until about {resumes_at:%Y-%m-%d %H:%M} UTC"


WIDEST = Decimal("0.5")  # a wider spread has no middle that anybody meant


@dataclass(frozen=True, slots=True)
class History:
    """The prices of YES of one market at the ends of its candles, oldest first."""

    market: MarketId
    points: tuple[PricePoint, ...]


def candlesticks(payload: object, origin: Origin) -> Read[History]:
    """Read the candles of one market or, from the batch address, those of several.

    A candle's price is the middle of its last bid and ask where there were both, not more
    than half a dollar apart, and else that of its last trade. A candle with neither is left
    out, as sound.
    """
    body = mapping(payload)
    if "markets" not in body:
        return _histories([payload], "ticker", origin)
    rows = body["markets"]
    if rows is not None and not isinstance(rows, list):
        return Read(left_out=(unreadable("markets", "this is not a list"),))
    return _histories(rows or [], "market_ticker", origin)


def _histories(rows: list[object], named_by: str, origin: Origin) -> Read[History]:
    left: list[LeftOut] = []

    def parse(row: Row) -> tuple[str, History]:
        own = ticker(row, named_by)
        if "candlesticks" not in row:
            raise broken("no candlesticks")
        candles = read_rows(filled(row["candlesticks"]), f"{own} candle", "", _candle)
        left.extend(candles.left_out)
        points = tuple(sorted(candles.rows, key=lambda point: point.at))
        return own, History(market_id(origin.venue, own), points)

    read = read_rows(rows, "history", named_by, parse)
    return Read(read.rows, read.left_out + tuple(left))


def _candle(row: Row) -> tuple[str, PricePoint]:
    ends = number(row.get("end_period_ts"))
    at = None if ends is None else moment(ends)
    if at is None:
        raise broken("no end_period_ts")
    for side in ("yes_bid", "yes_ask"):
        if side not in row:
            raise broken(f"no {side}")
    price = _middle(_close(row, "yes_bid"), _close(row, "yes_ask")) or _close(row, "price")
    if price is None:
        raise SkipError("it has no bid and ask, and no trade")
    return at.isoformat(), PricePoint(at, price)


def _close(row: Row, key: str) -> Price | None:
    """Read the last price of a candle; the archive's candles write dollars as `close`.

    Raises:
        SkipError: What stands there is no text of dollars.
    """
    held = row.get(key)
    if held is None:
        return None
    if not isinstance(held, dict):
        raise broken(f"{key} is not an object")
    dollars = held.get("close_dollars", held.get("close"))
    close = price_text(dollars)
    if dollars is not None and close is None:
        raise broken(f"no close_dollars of {key}")
    return close


def _middle(bid: Price | None, ask: Price | None) -> Price | None:
    if bid is None or ask is None or offered(bid) is None or offered(ask) is None:
        return None
    if not 0 < ask - bid <= WIDEST:
        return None
    return price((bid + ask) / 2)


PERIOD = timedelta(hours=1)
MOST_PERIODS = 4_900  # Kalshi gives some 5,000 candles for one request
SECOND = timedelta(seconds=1)


def _windows(since: datetime, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    start = since
    while (end := min(start + MOST_PERIODS * PERIOD, until)) < until:
        yield start, end
        start = end
    yield start, until


EVENTS_A_PAGE = 200
LONGEST_ANSWER = 50_000_000  # bytes: 200 events, some of them of a hundred markets, 3 kB each
AT_ONCE = 50  # tickers in one address, which is kept below 8,000 characters
TOO_MANY_WITHOUT = 10  # markets of which none has a price, or a row


class KalshiVenue:
    """Kalshi as a venue. It implements the `Venue` port, and `Historian` besides."""

    only_now = True

    def __init__(
        self, venue: VenueId, options: KalshiOptions, clock: Clock, reader: PoliteReader
    ) -> None:
        self._venue = venue
        self._options = options
        self._server = Server(venue, options, clock, reader)
        self._clock = clock
        self._series_by_ticker: dict[str, str] = {}

    async def catalogue(self) -> Catalogue:
        """List the markets that can be traded now, the busiest of the last day first.

        Raises:
            ArenaError: `venue.paused`: the exchange is closed.
        """
        await self._server.require_trading()
        pages: list[Read[Listed]] = []

        async def fetch(cursor: str | None) -> ListPage:
            page = await self._server.rows("/events", _open_events(cursor), "events")
            pages.append(parse.events(page.payload, self._server.origin(page)))
            after = mapping(page.payload).get("cursor")
            if after is not None and not isinstance(after, str):
                raise changed(self._venue, "cursor is no text")
            return ListPage(parse.event_tickers(page.payload), after)

        await walk(fetch, most=self._options.pages, what=f"{self._venue}: events")
        read = parse.tradable(parse.once((), pages, overlap=True))
        hold_to_format(self._venue, "markets", read)
        if not read.rows:
            raise changed(self._venue, "no market is open")
        rows = sorted(read.rows, key=_busiest)
        quotes = tuple(row.quote for row in rows if row.quote is not None)
        if len(rows) > TOO_MANY_WITHOUT and not quotes:
            raise changed(self._venue, f"none of {len(rows)} open markets has a price")
        return Catalogue(tuple(row.market for row in rows), quotes, read.left_out)

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Add the fee, which a market's series and event tell; what is halted is left out."""
        series_by_ticker: dict[str, Read[Series]] = {}
        read: Read[Listed] = Read()
        events = dict.fromkeys(dict(market.refs).get("event", "") for market in markets)
        for event in filter(is_ticker, events):
            query = (("with_nested_markets", "true"),)
            page = await self._server.get(f"/events/{event}", query, may_miss=True)
            if page.status != HTTPStatus.NOT_FOUND:
                of = await self._series(parse.series_of(page.payload), series_by_ticker)
                read += parse.event(page.payload, self._server.origin(page), of)
        hold_to_format(self._venue, "series", concatenated(series_by_ticker.values()))
        rows = parse.tradable(hold_to_format(self._venue, "markets of events", read)).rows
        market_by_id = {row.market.id: row.market for row in rows}
        return tuple(market_by_id[m.id] for m in markets if m.id in market_by_id)

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the newest book of each active market.

        Raises:
            ArenaError: `venue.paused`: the exchange is closed.
        """
        own = self._own(markets)
        if not own:
            return {}
        await self._server.require_trading()
        read: Read[Quote] = Read()
        for some in chunks(own, AT_ONCE):
            page = await self._rows(some)
            read += parse.quotes(page.payload, self._server.origin(page))
        hold_to_format(self._venue, "markets", read)
        wanted = {market_id(self._venue, own_ticker) for own_ticker in own}
        tops = {top.market: top for top in read.rows if top.market in wanted}
        return await self._deepened(tops) if self._options.depth else tops

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Say where each market is in its life; UNKNOWN is one that Kalshi has no more.

        What is not among the markets of today is looked for in the archive. Where an answer
        has rows that cannot be told apart, or none of more than 10 that it was asked for,
        nothing is said to be UNKNOWN.
        """
        own = self._own(markets)
        read: Read[Status] = Read()
        for some in chunks(own, AT_ONCE):
            page = await self._rows(some)
            states = parse.statuses(page.payload, self._server.origin(page))
            read += states
            named = {row.market for row in states.rows}
            named |= {market_id(self._venue, left.what) for left in states.left_out}
            ticker_by_market = {
                market_id(self._venue, own_ticker): own_ticker for own_ticker in some
            }
            sure = named <= ticker_by_market.keys() and (named or len(some) <= TOO_MANY_WITHOUT)
            for missing in (
                own_ticker for name, own_ticker in ticker_by_market.items() if name not in named
            ):
                read += await self._archived(missing, sure=bool(sure))
        hold_to_format(self._venue, "states of markets", read)
        wanted = {market_id(self._venue, own_ticker) for own_ticker in own}
        return {status.market: status for status in read.rows if status.market in wanted}

    async def history(
        self, market: MarketId, since: datetime, until: datetime
    ) -> Sequence[PricePoint]:
        """Give the price at the end of each hour of a span of time, oldest first.

        Both ends of the span count. Hours in which nobody bid, asked or traded are not there.
        """
        until = min(until, self._clock.now())
        since = max(since, EPOCH)
        own = self._own([market])
        if since > until or not own:
            return ()
        paths = [f"/historical/markets/{own[0]}/candlesticks"]
        of = await self._series_of(own[0])
        if of is not None:
            paths.insert(0, f"/series/{of}/markets/{own[0]}/candlesticks")
        read: Read[History] = Read()
        for start, end in _windows(since, until):
            read += await self._candles(paths, start, end)
        read_points = tuple(point for row in read.rows for point in row.points)
        hold_to_format(self._venue, "candles", Read(read_points, read.left_out))
        points = {point.at: point for point in read_points if since <= point.at <= until}
        return tuple(points[at] for at in sorted(points))

    async def _candles(
        self, paths: Sequence[str], start: datetime, end: datetime
    ) -> Read[History]:
        """Read one window where the market's candles are kept; nowhere is an empty one."""
        query: Query = (
            ("start_ts", str((start - EPOCH) // SECOND)),
            ("end_ts", str(-(-(end - EPOCH) // SECOND))),
            ("period_interval", str(PERIOD // timedelta(minutes=1))),
        )
        for path in paths:
            page = await self._server.get(path, query, may_miss=True)
            if page.status != HTTPStatus.NOT_FOUND:
                read = candlesticks(page.payload, self._server.origin(page))
                if any(row.points for row in read.rows) or read.left_out:
                    return read
        return Read()

    async def _series_of(self, ticker: str) -> str | None:
        """Find a market's series, by way of its event; None for one in the archive alone."""
        if ticker not in self._series_by_ticker:
            market = await self._server.get(f"/markets/{ticker}", may_miss=True)
            event = parse.event_of(market.payload)
            if event is None:
                return None
            page = await self._server.get(f"/events/{event}", may_miss=True)
            series = parse.series_of(page.payload)
            if series is None:
                return None
            self._series_by_ticker[ticker] = series
        return self._series_by_ticker[ticker]

    def _own(self, markets: Iterable[MarketId]) -> Sequence[str]:
        """Give the tickers of markets, each once, without those of other venues."""
        tickers = (own_id(self._venue, market) for market in markets)
        return list(dict.fromkeys(t for t in tickers if t is not None and is_ticker(t)))

    async def _rows(self, some: Sequence[str]) -> JsonReply:
        query = (("tickers", ",".join(some)), ("limit", str(len(some))))
        return await self._server.rows("/markets", query, "markets")

    async def _deepened(self, tops: Mapping[MarketId, Quote]) -> Mapping[MarketId, Quote]:
        """Put whole books in the place of best prices, as far as books are given."""
        quotes = dict(tops)
        books: Read[KalshiBook] = Read()
        for some in chunks([own_id(self._venue, market) or "" for market in tops], AT_ONCE):
            try:
                page = await self._server.get(
                    "/markets/orderbooks",
                    [("tickers", own_ticker) for own_ticker in some],
                    may_miss=True,
                )
            except ArenaError as error:
                if error.code != "venue.refused":  # books may need a key: prices do not
                    raise
                break
            if page.status == HTTPStatus.NOT_FOUND:
                break
            origin = self._server.origin(page)
            read = orderbooks(page.payload, origin, self._options.depth)
            books += read
            for book in read.rows:
                top = quotes.pop(market_id(self._venue, book.ticker), None)
                if top is not None and (book.bids or book.asks):
                    quotes[top.market] = replace(
                        top,
                        bid=book.bid,
                        ask=book.ask,
                        at=origin.at,
                        bids=book.bids,
                        asks=book.asks,
                    )
        hold_to_format(self._venue, "books", books)
        return quotes

    async def _series(
        self, ticker: str | None, series_by_ticker: dict[str, Read[Series]]
    ) -> Series | None:
        """Read a series, once for all its events; None where there is none."""
        if ticker is None:
            return None
        if ticker not in series_by_ticker:
            page = await self._server.get(f"/series/{ticker}", may_miss=True)
            missing = page.status == HTTPStatus.NOT_FOUND
            origin = self._server.origin(page)
            series_by_ticker[ticker] = Read() if missing else series(page.payload, origin)
        return next(iter(series_by_ticker[ticker].rows), None)

    async def _archived(self, ticker: str, *, sure: bool) -> Read[Status]:
        """Read a state in the archive; one that is not there is UNKNOWN, if that is `sure`."""
        page = await self._server.get(f"/historical/markets/{ticker}", may_miss=True)
        origin = self._server.origin(page)
        if page.status != HTTPStatus.NOT_FOUND:
            return parse.statuses(page.payload, origin)
        if not sure:
            return Read()
        name = market_id(self._venue, ticker)
        return Read((Status(name, State.UNKNOWN, origin.at, unconfirmed=True),))


def from_settings(settings: VenueSettings, clock: Clock, payloads: Payloads) -> KalshiVenue:
    """Build Kalshi as a venue.

    Options: `base_url` and `fallback_url` of its API ("" is none), `pages` of 200 events that
    are listed at most (100 if not given), `depth`, how many levels of a book's side are kept
    (20), and `per_second` (5 requests).

    Raises:
        ArenaError: `venue.option`: an option is unknown or has a wrong value.
    """
    options = options_of(settings)
    manners = Manners(per_second=options.per_second, most=LONGEST_ANSWER)
    reader = PoliteReader(settings.id, manners, clock, payloads)
    return KalshiVenue(settings.id, options, clock, reader)


def _open_events(cursor: str | None) -> Sequence[tuple[str, str]]:
    """Ask for a page of open events: the cursor holds none of the filters."""
    query = [
        ("status", "open"),
        ("with_nested_markets", "true"),
        ("limit", str(EVENTS_A_PAGE)),
    ]
    return [*query, ("cursor", cursor)] if cursor else query


def _busiest(row: Listed) -> tuple[float, float, MarketId]:
    day, ever = (row.quote.volume_24h, row.quote.volume) if row.quote else (None, None)
    return (-float(day or 0), -float(ever or 0), row.market.id)


KINDS: Mapping[str, Callable[[object, Origin], Read[Any]]] = {
    "events": parse.events,
    "event": parse.event,
    "markets": parse.markets,
    "market": parse.market,
    "quotes": parse.quotes,
    "statuses": parse.statuses,
    "orderbooks": orderbooks,
    "candlesticks": candlesticks,
    "series": series,
    "exchange-status": exchange_status,
}
