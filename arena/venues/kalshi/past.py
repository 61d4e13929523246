"""Kalshi's memory of a market's prices: candles of today's markets, and the archive's."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus

from arena.http import JsonReply
from arena.ports import Clock
from arena.records.market import PricePoint, VenueId
from arena.venues.kalshi import parse
from arena.venues.kalshi.candles import History, candlesticks
from arena.venues.kalshi.server import Query, Server
from arena.venues.reading import EPOCH
from arena.venues.rows import Read, hold_to_format

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
