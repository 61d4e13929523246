"""Polymarket (https://polymarket.com): real money on events, traded in order books.

`gamma` reads its catalogue, `clob` its books and prices, `outcome` what is said of a market's
end. `asking` asks its three services and `venue` is the adapter. It needs no key.
"""

from arena.venues.polymarket.asking import KINDS
from arena.venues.polymarket.venue import PolymarketVenue, from_settings

__all__ = ["KINDS", "PolymarketVenue", "from_settings"]
