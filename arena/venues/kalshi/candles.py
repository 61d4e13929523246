"""What Kalshi says about the past of its prices: candlesticks and trades.

Source:
    https://docs.kalshi.com/api-reference/market/get-market-candlesticks and
    https://docs.kalshi.com/api-reference/historical/get-historical-market-candlesticks.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from arena.records.market import LeftOut, MarketId, PricePoint
from arena.records.money import Price, Shares, price
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
from arena.venues.reading import count, market_id, moment, number
from arena.venues.rows import Origin, Read, unreadable

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
