"""Polymarket (https://polymarket.com): real money on events, traded in order books.

`gamma` reads its catalogue, `book` and `prices` what is on offer, `outcome`, `resolutions`
and `clob` what is said of a market's end, and `settle` puts that together. `asking` asks its
three services and `venue` is the adapter. It needs no key.
"""

from arena.venues.polymarket.asking import KINDS
from arena.venues.polymarket.venue import PolymarketVenue, from_settings

__all__ = ["KINDS", "PolymarketVenue", "from_settings"]
