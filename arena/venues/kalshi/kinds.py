"""The kinds of payload that can be read, by name."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.venues.kalshi.books import orderbook, orderbooks
from arena.venues.kalshi.candles import candlesticks, trades
from arena.venues.kalshi.exchange import (
    exchange_schedule,
    exchange_status,
    historical_cutoff,
    series,
)
from arena.venues.kalshi.parse import event, events, market, markets, quotes, statuses
from arena.venues.rows import Origin, Read

Parser = Callable[[object, Origin], Read[Any]]

KINDS: Mapping[str, Parser] = {
    "events": events,
    "event": event,
    "markets": markets,
    "market": market,
    "quotes": quotes,
    "statuses": statuses,
    "orderbook": orderbook,
    "orderbooks": orderbooks,
    "candlesticks": candlesticks,
    "trades": trades,
    "series": series,
    "exchange-status": exchange_status,
    "exchange-schedule": exchange_schedule,
    "historical-cutoff": historical_cutoff,
}
