"""The prices of a market's own row: the top of its book, and the grid they lie on."""

from decimal import Decimal
from itertools import chain

from arena.records.market import Level, MarketId, Quote, Source
from arena.records.money import Price
from arena.venues.kalshi.fields import Row, objects, offered, price_of, price_text
from arena.venues.reading import count, dollars
from arena.venues.rows import Origin

LADDERS = {  # https://docs.kalshi.com/getting_started/fixed_point_migration
    "linear_cent": Price(Decimal("0.01")),
    "deci_cent": Price(Decimal("0.001")),
}


def top_of_book(row: Row, market: MarketId, origin: Origin, source: Source) -> Quote | None:
    """Read a market row's best prices; None where nobody stands on either side.

    An empty side is written as a bid of "0.0000", or as an ask of "1.0000" or "0.0000".

    Raises:
        SkipError: One of the prices is missing, or is none.
    """
    bid = offered(price_of(row, "yes_bid_dollars"))
    ask = offered(price_of(row, "yes_ask_dollars"))
    if bid is None and ask is None:
        return None
    return Quote(
        market=market,
        bid=bid,
        ask=ask,
        at=origin.at,
        volume=dollars(row.get("volume_fp")),
        bids=_level(bid, row.get("yes_bid_size_fp")),
        asks=_level(ask, row.get("yes_ask_size_fp")),
        volume_24h=dollars(row.get("volume_24h_fp")),
        source=source,
    )


def tick_of(row: Row, quote: Quote | None) -> Price | None:
    """Read how far apart prices are where the market stands; None where that is not clear.

    A ladder may be finer near 0 and 1: then both best prices have to lie in parts of it that
    have the same step.
    """
    ranges = objects(row.get("price_ranges"))
    if not ranges:
        structure = row.get("price_level_structure")
        return LADDERS.get(structure) if isinstance(structure, str) else None
    here = () if quote is None else tuple(p for p in (quote.bid, quote.ask) if p is not None)
    at_hand = chain.from_iterable(_around(ranges, p) for p in here) if here else iter(ranges)
    steps = {price_text(part.get("step")) for part in at_hand}
    step = steps.pop() if len(steps) == 1 else None
    return step or None


def _around(ranges: list[Row], at: Price) -> list[Row]:
    """Give the parts of a ladder that a price lies in, both of them where they meet."""
    parts: list[Row] = []
    for part in ranges:
        start, end = price_text(part.get("start")), price_text(part.get("end"))
        if start is not None and end is not None and start <= at <= end:
            parts.append(part)
    return parts


def _level(price: Price | None, size: object) -> tuple[Level, ...]:
    shares = count(size)
    return (Level(price, shares),) if price is not None and shares else ()
