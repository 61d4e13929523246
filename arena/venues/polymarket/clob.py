"""What the CLOB says: markets with their winner or their terms, books, midpoints and histories.

Source: https://docs.polymarket.com/api-reference (CLOB).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from operator import attrgetter

from arena.records.market import FeeModel, LeftOut, Level, MarketId, PricePoint, Quote
from arena.records.money import ZERO_SHARES, Price, Shares
from arena.venues.polymarket.gamma import Turnover, abbreviated_fee
from arena.venues.polymarket.outcome import LastWord, condition, last_word, token, wrong_shape
from arena.venues.reading import (
    Origin,
    Read,
    count,
    first_of_each,
    flag,
    mappings,
    moment,
    text,
    unit_price,
    unreadable,
)

SIDES = 2


@dataclass(frozen=True, slots=True)
class ClobMarket:
    """What the CLOB says of a market's end; `winners` in it are named by the CLOB alone."""

    condition: str
    word: LastWord


@dataclass(frozen=True, slots=True)
class PolymarketFeeTerms:
    """On what terms a market is traded. `fee` is None where nothing is said of one.

    `tokens` are the ids of its outcomes' shares, each with the outcome's name.
    """

    condition: str
    tokens: tuple[tuple[str, str], ...]
    accepting: bool | None
    fee: FeeModel | None
    tick: Price | None
    min_order: Shares | None


def clob_market(payload: object) -> Read[ClobMarket]:
    """Read the answer to `/markets/{condition_id}`."""
    if not isinstance(payload, dict) or "condition_id" not in payload:
        return Read((), (wrong_shape(payload, "market of the CLOB"),))
    own, word = condition(payload.get("condition_id")), last_word(payload)
    if not own:
        return Read((), (unreadable("a market", "condition_id cannot be read"),))
    if word.closed is None:
        return Read((), (unreadable(own, "closed is missing or cannot be read"),))
    if len({choice.name for choice in word.choices}) != SIDES or len(word.choices) != SIDES:
        return Read((), (unreadable(own, f"tokens are not those of {SIDES} outcomes"),))
    return Read((ClobMarket(own, word),))


def terms(payload: object) -> Read[PolymarketFeeTerms]:
    """Read the answer to `/clob-markets/{condition_id}`, or a list of such answers."""
    rows = payload if isinstance(payload, list) else [payload]
    read = (_terms(row if isinstance(row, dict) else {}) for row in rows)
    return first_of_each(read, attrgetter("condition"), "c comes a second time")


def _terms(row: Mapping[str, object]) -> PolymarketFeeTerms | LeftOut:
    own = condition(row.get("c"))
    if not own:
        return wrong_shape(row, "market with a condition id under c")
    tokens = [
        (token(outcome_row.get("t")), text(outcome_row.get("o")))
        for outcome_row in mappings(row.get("t"))
    ]
    if len(tokens) != SIDES or not all(all(pair) for pair in tokens):
        return unreadable(own, f"t does not hold the tokens of {SIDES} outcomes")
    return PolymarketFeeTerms(
        own,
        tuple(tokens),
        flag(row.get("ao")),
        abbreviated_fee(row),
        unit_price(row.get("mts")) or None,
        count(row.get("mos")) or None,
    )


# Order books of the CLOB.
#
# Source: https://docs.polymarket.com/api-reference (CLOB, `/books`).


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


def books(payload: object, origin: Origin) -> Read[PolymarketBook]:
    """Read the answer to POST `/books`, which drops tokens that have no book."""
    if not isinstance(payload, list):
        return Read((), (wrong_shape(payload, "list of books"),))
    read = (_book(row if isinstance(row, dict) else {}, origin.at) for row in payload)
    return first_of_each(read, attrgetter("token"), "asset_id comes a second time")


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


# Midpoints and price histories, and books that are not real.

FAR_APART = Decimal("0.10")
WIDE = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class Midpoint:
    """The middle of a token's book; `token` is empty where the answer names none."""

    token: str
    price: Price


def read_midpoints(payload: object) -> Read[Midpoint]:
    """Read the answer to POST `/midpoints`: a map of token id to midpoint."""
    if not isinstance(payload, dict) or "error" in payload:
        return Read((), (wrong_shape(payload, "map of midpoints"),))
    read = {token: unit_price(value) for token, value in payload.items()}
    return Read(
        tuple(Midpoint(token, price) for token, price in read.items() if price is not None),
        tuple(
            unreadable(text(token)[:100], "the midpoint is no price")
            for token, price in read.items()
            if price is None
        ),
    )


def read_midpoint(payload: object) -> Read[Midpoint]:
    """Read the answer to `/midpoint`, which does not name its token."""
    if not isinstance(payload, dict) or "mid" not in payload:
        return Read((), (wrong_shape(payload, "midpoint"),))
    price = unit_price(payload.get("mid"))
    if price is None:
        return Read((), (unreadable("the midpoint", "mid is no price"),))
    return Read((Midpoint("", price),))


def is_wide(quote: Quote) -> bool:
    """Say whether a book is so wide that it may not be the real one."""
    return quote.bid is not None and quote.ask is not None and quote.ask - quote.bid > WIDE


def is_ghost(
    quote: Quote, listed: Quote | None, yes_token: str, mids: Mapping[str, Price]
) -> bool:
    """Say whether a wide book is not the real one: the CLOB serves such ones at times.

    It is not, where Gamma shows somebody who stands well inside it, or where there is no
    midpoint that agrees with it.

    Args:
        quote: The book's own prices.
        listed: Gamma's best bid and ask of the same market.
        yes_token: The token whose book it is.
        mids: Midpoints by token id.

    Source:
        https://github.com/Polymarket/py-clob-client/issues/180
    """
    if not is_wide(quote):
        return False
    mid = mids.get(yes_token)
    if mid is None or quote.mid is None or abs(quote.mid - mid) > FAR_APART:
        return True
    return listed is not None and _well_inside(listed, quote)


def _well_inside(listed: Quote, book: Quote) -> bool:
    better = [
        listed.bid - book.bid if listed.bid is not None and book.bid is not None else 0,
        book.ask - listed.ask if listed.ask is not None and book.ask is not None else 0,
    ]
    return max(better) > FAR_APART


PLACEHOLDER = Decimal("0.5")  # what stands before the first trade


def price_history(payload: object) -> Read[PricePoint]:
    """Read a price history of one token, in the payload's order.

    The CLOB's holds `history` of `t` and `p`, the Data API's `data` of `timestamp` and
    `price`, or that list alone.
    """
    rows = payload
    if isinstance(payload, dict):
        rows = payload.get("history") if "history" in payload else payload.get("data")
    if not isinstance(rows, list):
        return Read((), (wrong_shape(payload, "price history"),))
    read = (_point(row if isinstance(row, dict) else {}) for row in rows)
    return first_of_each(
        read, attrgetter("at"), "a second price of this moment", malformed=False
    )


def traded(points: Iterable[PricePoint]) -> tuple[PricePoint, ...]:
    """Sort points by time, and drop the flat 0.5 before the first trade: it is no price."""
    ordered = sorted({point.at: point for point in points}.values(), key=lambda point: point.at)
    first = next((n for n, point in enumerate(ordered) if point.price != PLACEHOLDER), None)
    return () if first is None else tuple(ordered[first:])


def _point(row: Mapping[str, object]) -> PricePoint | LeftOut:
    time = row.get("t") if "t" in row else row.get("timestamp")
    paid = row.get("p") if "p" in row else row.get("price")
    at, price = moment(time), unit_price(paid)
    if at is None:
        return unreadable("a point", "its time is missing or cannot be read")
    return unreadable(str(at), "it has no price") if price is None else PricePoint(at, price)
