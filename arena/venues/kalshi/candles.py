"""What Kalshi says about the past of its prices: candlesticks and trades.

Source:
    https://docs.kalshi.com/api-reference/market/get-market-candlesticks and
    https://docs.kalshi.com/api-reference/historical/get-historical-market-candlesticks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from http import HTTPStatus

from arena.http import JsonReply
from arena.ports import Clock
from arena.records.market import LeftOut, MarketId, PricePoint, VenueId
from arena.records.money import Price, Shares, price
from arena.venues.kalshi import parse
from arena.venues.kalshi.fields import (
    Row,
    SkipError,
    broken,
    mapping,
    offered,
    price_of,
    price_text,
    read_list,
    read_rows,
    ticker,
)
from arena.venues.kalshi.server import Query, Server
from arena.venues.reading import (
    EPOCH,
    Origin,
    Read,
    count,
    hold_to_format,
    market_id,
    moment,
    number,
    unreadable,
)

WIDEST = Decimal("0.5")  # a wider spread has no middle that anybody meant


@dataclass(frozen=True, slots=True)
class History:
    """The prices of YES of one market at the ends of its candles, oldest first."""

    market: MarketId
    points: tuple[PricePoint, ...]


@dataclass(frozen=True, slots=True)
class KalshiTrade:
    """One trade: YES changed hands at `price`."""

    id: str
    market: MarketId
    at: datetime
    price: Price
    shares: Shares


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


def trades(payload: object, origin: Origin) -> Read[KalshiTrade]:
    """Read `GET /markets/trades`."""

    def parse(row: Row) -> tuple[str, KalshiTrade]:
        own, name = ticker(row, "trade_id"), ticker(row, "ticker")
        at = moment(row.get("created_time"))
        shares = count(row.get("count_fp", row.get("count")))
        if at is None or shares is None:
            raise broken("no created_time" if at is None else "no count_fp")
        paid = price_of(row, "yes_price_dollars")
        return own, KalshiTrade(own, market_id(origin.venue, name), at, paid, shares)

    return read_list(payload, "trades", "trade_id", parse)


def _histories(rows: list[object], named_by: str, origin: Origin) -> Read[History]:
    left: list[LeftOut] = []

    def parse(row: Row) -> tuple[str, History]:
        own = ticker(row, named_by)
        if "candlesticks" not in row:
            raise broken("no candlesticks")
        candles = read_rows(row["candlesticks"], f"{own} candle", "", _candle)
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


class Past:
    """Reads the candles of markets. Which series a market is of is kept, and no price.

    Args:
        venue: Kalshi's name in the arena.
        server: Is asked.
        clock: No point is from after its moment.
    """

    def __init__(self, venue: VenueId, server: Server, clock: Clock) -> None:
        self._venue = venue
        self._server = server
        self._clock = clock
        self._series_by_ticker: dict[str, str] = {}

    async def between(
        self, ticker: str, since: datetime, until: datetime
    ) -> Sequence[PricePoint]:
        """Give the prices at the ends of a market's hours, oldest first; both ends count."""
        until = min(until, self._clock.now())
        since = max(since, EPOCH)
        if since > until:
            return ()
        paths = [f"/historical/markets/{ticker}/candlesticks"]
        of = await self._series(ticker)
        if of is not None:
            paths.insert(0, f"/series/{of}/markets/{ticker}/candlesticks")
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

    async def _series(self, ticker: str) -> str | None:
        """Find a market's series, by way of its event; None for one in the archive alone."""
        if ticker not in self._series_by_ticker:
            market = await self._server.get(f"/markets/{ticker}", may_miss=True)
            event = _is_known(market) and parse.event_of(market.payload)
            if not event:
                return None
            page = await self._server.get(f"/events/{event}", may_miss=True)
            series = _is_known(page) and parse.series_of(page.payload)
            if not series:
                return None
            self._series_by_ticker[ticker] = series
        return self._series_by_ticker[ticker]


def _is_known(page: JsonReply) -> bool:
    return page.status != HTTPStatus.NOT_FOUND


def _windows(since: datetime, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    start = since
    while (end := min(start + MOST_PERIODS * PERIOD, until)) < until:
        yield start, end
        start = end
    yield start, until
