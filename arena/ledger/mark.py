"""What an open position is worth now."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache

from arena.records.cohort import ContestantId
from arena.records.market import MarketId, Quote, Side
from arena.records.money import ONE, ZERO_SHARES, ZERO_USD, Price, Shares, Usd, usd
from arena.records.trade import Mark, Position


def mark(position: Position, quote: Quote | None, *, at: datetime, max_age: timedelta) -> Mark:
    """Value a position at what selling it would bring, and at the middle of the book.

    A missing or old quote gives no value: a position is never valued at its cost or at a
    price past its age, which would hide a loss.

    Raises:
        ValueError: The quote is from after `at`: the caller is looking ahead.
    """
    bid, mid = _prices(quote, position.side, at, max_age)
    return Mark(
        position, _worth(position, bid), _worth(position, mid), quote.at if quote else None
    )


@dataclass(frozen=True, slots=True)
class MarkedPositions:
    """What many positions are worth: at the bid and at mid, and what has no such price.

    Dollars are of the positions that are priced, `unpriced` counts the others.
    """

    number: int = 0
    bid: Usd = ZERO_USD
    unpriced_bid: int = 0
    unpriced_bid_shares: Shares = ZERO_SHARES
    mid: Usd = ZERO_USD
    unpriced_mid: int = 0
    unpriced_mid_shares: Shares = ZERO_SHARES


def mark_to_market(
    positions: Iterable[Position],
    quotes: Mapping[MarketId, Quote],
    *,
    at: datetime,
    max_age: timedelta,
) -> Mapping[ContestantId, MarkedPositions]:
    """Value each contestant's positions by the newest quotes of their markets, as `mark` does.

    Who holds nothing is left out.

    Raises:
        ValueError: A quote is from after `at`: the caller is looking ahead.
    """
    prices = cache(lambda market, side: _prices(quotes.get(market), side, at, max_age))
    held: dict[ContestantId, list[tuple[Shares, Price | None, Price | None]]] = defaultdict(
        list
    )
    for p in positions:
        held[p.contestant].append((p.shares, *prices(p.market, p.side)))
    return {
        who: MarkedPositions(
            len(own),
            *_valued([(number, bid) for number, bid, _ in own]),
            *_valued([(number, mid) for number, _, mid in own]),
        )
        for who, own in held.items()
    }


def _valued(held: Sequence[tuple[Shares, Price | None]]) -> tuple[Usd, int, Shares]:
    """Dollars of the shares with a price; how many others there are, and their shares."""
    worth = sum((usd(n * at_price) for n, at_price in held if at_price is not None), ZERO_USD)
    unpriced = [n for n, at_price in held if at_price is None]
    return Usd(worth), len(unpriced), Shares(sum(unpriced, ZERO_SHARES))


def last_marks(
    positions: Iterable[Position],
    quotes: Mapping[MarketId, Quote],
    *,
    at: datetime,
    max_age: timedelta,
) -> tuple[Mark, ...]:
    """Value the positions without a price at the last quote of their market, of any age.

    One that has a price, and one whose market never had a quote with both sides, is left out.

    Args:
        positions: Open positions, of any number of contestants.
        quotes: The newest quote with both sides of each market.
        at: The moment of valuation, with a time zone.
        max_age: How old a quote may be and still be a price.
    """
    late = (
        mark(position, quote, at=at, max_age=timedelta.max)
        for position in positions
        if (quote := quotes.get(position.market)) and at - quote.at > max_age
    )
    return tuple(valued for valued in late if valued.bid is not None and valued.mid is not None)


def _prices(
    quote: Quote | None, side: Side, at: datetime, max_age: timedelta
) -> tuple[Price | None, Price | None]:
    """What a seller of a side gets, and the middle of its book; None where that is no price."""
    if quote is None:
        return None, None
    if quote.at > at:
        raise ValueError(f"quote for {quote.market} is from {quote.at}, after {at}")
    if at - quote.at > max_age:
        return None, None
    mid = quote.mid
    return quote.sell(side), mid if mid is None or side is Side.YES else Price(ONE - mid)


def _worth(position: Position, at_price: Price | None) -> Usd | None:
    return None if at_price is None else usd(position.shares * at_price)


def total_value(cash: Decimal, owed: Decimal, marks: Decimal) -> Usd:
    """Cash less what is owed, plus what the open positions are worth."""
    return Usd(cash - owed + marks)


def profit(total: Decimal, capital: Decimal) -> Usd:
    """Dollars above (+) or below (-) the opening capital."""
    return Usd(total - capital)


def return_on(pnl: Decimal, capital: Decimal) -> float | None:
    """Profit as a share of the capital; None without capital.

    >>> return_on(Decimal(500), Decimal(10000))
    0.05
    """
    return float(pnl / capital) if capital else None


def win_rate(won: int, resolved: int) -> float | None:
    """Share of resolved fills whose side won; None when none has resolved."""
    return won / resolved if resolved else None
