"""One market as the CLOB knows it: in full with its winner, or abbreviated with its terms.

Source: https://docs.polymarket.com/api-reference (CLOB, `/markets` and `/clob-markets`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from arena.records.market import FeeModel, LeftOut, Level, MarketId, Quote
from arena.records.money import ZERO_SHARES, Price, Shares
from arena.venues.polymarket.facts import Turnover, abbreviated_fee
from arena.venues.polymarket.fit import condition, token, wrong_shape
from arena.venues.polymarket.outcome import LastWord, last_word
from arena.venues.reading import (
    Origin,
    Read,
    count,
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
    kept: dict[str, PolymarketFeeTerms] = {}
    left: list[LeftOut] = []
    for row in rows:
        market_terms = _terms(row if isinstance(row, dict) else {})
        if isinstance(market_terms, LeftOut):
            left.append(market_terms)
        elif market_terms.condition in kept:
            left.append(unreadable(market_terms.condition, "c comes a second time"))
        else:
            kept[market_terms.condition] = market_terms
    return Read(tuple(kept.values()), tuple(left))


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
# Source: https://docs.polymarket.com/api-reference (CLOB, `/book` and `/books`).


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
