"""What an open position is worth now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache

from arena.records.market import MarketId, Quote, Side
from arena.records.money import ONE, Price, Shares, Usd, usd
from arena.records.trade import Mark, Position


def mark(position: Position, quote: Quote | None, *, at: datetime, max_age: timedelta) -> Mark:
    """Value a position at what selling it would bring, and at the middle of the book.

    A missing or old quote gives no value: a position is never valued at its cost or at a
    price past its age, which would hide a loss.

    Raises:
        ValueError: The quote is from after `at`: the caller is looking ahead.
    """
    return _mark(position, quote, _prices(quote, position.side, at, max_age))


@dataclass(frozen=True, slots=True)
class MarkedPositions:
    """Marks of many positions: dollars of those priced, and how many could not be."""

    marks: tuple[Mark, ...]

    @property
    def bid(self) -> Usd:
        """Dollars that selling every position with a bid would bring."""
        return Usd(sum((m.bid for m in self.marks if m.bid is not None), Decimal(0)))

    @property
    def mid(self) -> Usd:
        """Dollars at the middle of the book, of the positions that have one."""
        return Usd(sum((m.mid for m in self.marks if m.mid is not None), Decimal(0)))

    @property
    def unpriced_bid(self) -> int:
        """Positions without a value at the bid."""
        return sum(m.bid is None for m in self.marks)

    @property
    def unpriced_bid_shares(self) -> Shares:
        """Shares of the positions without a value at the bid."""
        return _shares(m for m in self.marks if m.bid is None)

    @property
    def unpriced_mid_shares(self) -> Shares:
        """Shares of the positions without a value at mid."""
        return _shares(m for m in self.marks if m.mid is None)

    @property
    def unpriced_mid(self) -> int:
        """Positions without a value at mid."""
        return sum(m.mid is None for m in self.marks)


def mark_to_market(
    positions: Iterable[Position],
    quotes: Mapping[MarketId, Quote],
    *,
    at: datetime,
    max_age: timedelta,
) -> MarkedPositions:
    """Value each position by the newest quote of its market, in the order given."""
    prices = cache(lambda market, side: _prices(quotes.get(market), side, at, max_age))
    return MarkedPositions(
        tuple(_mark(p, quotes.get(p.market), prices(p.market, p.side)) for p in positions)
    )


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


def _shares(marks: Iterable[Mark]) -> Shares:
    return Shares(sum((m.position.shares for m in marks), Decimal(0)))


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


def _mark(
    position: Position, quote: Quote | None, prices: tuple[Price | None, Price | None]
) -> Mark:
    bid, mid = (_worth(position, at_price) for at_price in prices)
    return Mark(position, bid, mid, quote.at if quote else None)


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
