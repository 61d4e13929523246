"""Order books of the CLOB.

Source: https://docs.polymarket.com/api-reference (CLOB, `/book` and `/books`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from arena.records.market import LeftOut, Level, MarketId, Quote
from arena.records.money import ZERO_SHARES, Price, Shares
from arena.venues.polymarket.facts import Turnover
from arena.venues.polymarket.fit import condition, token, wrong_shape
from arena.venues.reading import count, moment, unit_price
from arena.venues.rows import Origin, Read, unreadable


@dataclass(frozen=True, slots=True)
class PolymarketBook:
    """What stands in the book of one token, the best level of each side first.

    `condition` names its market, empty where the book does not. The book stood at `at`, and
    an order last came or went at `changed_at`. It may be crossed.
    """

    token: str
    condition: str
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]
    at: datetime
    changed_at: datetime | None = None


def book(payload: object, origin: Origin) -> Read[PolymarketBook]:
    """Read the answer to `/book`."""
    if not isinstance(payload, dict) or not {"bids", "asks"} & set(payload):
        return Read((), (wrong_shape(payload, "book"),))
    return books([payload], origin)


def books(payload: object, origin: Origin) -> Read[PolymarketBook]:
    """Read the answer to POST `/books`, which drops tokens that have no book."""
    if not isinstance(payload, list):
        return Read((), (wrong_shape(payload, "list of books"),))
    kept: dict[str, PolymarketBook] = {}
    left: list[LeftOut] = []
    for row in payload:
        book = _book(row if isinstance(row, dict) else {}, origin.at)
        if isinstance(book, LeftOut):
            left.append(book)
        elif book.token in kept:
            left.append(unreadable(book.token, "asset_id comes a second time"))
        else:
            kept[book.token] = book
    return Read(tuple(kept.values()), tuple(left))


def book_quote(
    book: PolymarketBook, market: MarketId, traded: Turnover, depth: int
) -> Quote | None:
    """Turn the book of a market's YES token into a quote, with `depth` levels a side.

    None where nobody stands in it. A crossed book is told as it is.
    """
    if not book.bids and not book.asks:
        return None
    return Quote(
        market,
        book.bids[0].price if book.bids else None,
        book.asks[0].price if book.asks else None,
        book.at,
        volume=traded.volume,
        bids=book.bids[:depth],
        asks=book.asks[:depth],
        volume_24h=traded.volume_24h,
        liquidity=traded.liquidity,
    )


def _book(row: Mapping[str, object], at: datetime) -> PolymarketBook | LeftOut:
    own = token(row.get("asset_id")) or token(row.get("token_id"))
    if not own:
        return unreadable("a book", "asset_id is missing or cannot be read")
    bids, asks = _levels(row.get("bids")), _levels(row.get("asks"))
    if bids is None or asks is None:
        name = "bids" if bids is None else "asks"
        return unreadable(own, f"{name} is missing or cannot be read")
    return PolymarketBook(
        own,
        condition(row.get("market")),
        tuple(Level(paid, bids[paid]) for paid in sorted(bids, reverse=True)),
        tuple(Level(paid, asks[paid]) for paid in sorted(asks)),
        at,
        moment(row.get("timestamp")),
    )


def _levels(value: object) -> dict[Price, Shares] | None:
    """Read one side: shares by price. None where any of it cannot be read.

    What stands at 0 or 1 can never be traded against, and a size of 0 is nobody.
    """
    if not isinstance(value, list):
        return None
    side: dict[Price, Shares] = {}
    for row in value:
        fields = row if isinstance(row, dict) else {}
        at, size = unit_price(fields.get("price")), count(fields.get("size"))
        if at is None or size is None:
            return None
        if 0 < at < 1 and size:
            side[at] = Shares(side.get(at, ZERO_SHARES) + size)
    return side
