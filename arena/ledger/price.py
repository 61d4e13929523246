"""What an order would trade at: one function prices it, the rules read its result."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import takewhile

from arena.ledger.fees import Leg, fee_model, fee_of_legs
from arena.records.cohort import FillRule, Rules
from arena.records.decision import Refusal
from arena.records.market import Level, Market, Quote, Side
from arena.records.money import (
    ONE,
    ZERO_SHARES,
    ZERO_USD,
    Price,
    Shares,
    Usd,
    price,
    shares_down,
    usd,
    usd_down,
)


@dataclass(frozen=True, slots=True)
class PricedTrade:
    """What an order comes to: `dollars` change hands for `shares`, with `fee` on top.

    One that walked down a book met `levels` prices, the first of them `best`.
    """

    price: Price
    shares: Shares
    dollars: Usd
    fee: Usd
    levels: int = 0
    best: Price | None = None


@dataclass(frozen=True, slots=True)
class NoTrade:
    """Why an order cannot be priced."""

    reason: Refusal
    detail: str = ""


def trouble_with(quote: Quote | None, rules: Rules, at: datetime) -> NoTrade | None:
    """Say why a quote cannot be traded on, or None if it can.

    Raises:
        ValueError: The quote is from after `at`: the caller is looking ahead.
    """
    if quote is None:
        return NoTrade(Refusal.NO_QUOTE)
    if quote.at > at:
        raise ValueError(f"quote for {quote.market} is from {quote.at}, after {at}")
    if at - quote.at > rules.max_quote_age:
        return NoTrade(Refusal.STALE, f"it is from {quote.at:%Y-%m-%d %H:%M} UTC")
    if quote.bid is None or quote.ask is None:
        return NoTrade(Refusal.ONE_SIDED)
    if quote.bid > quote.ask:
        return NoTrade(Refusal.CROSSED, f"bid {quote.bid}, ask {quote.ask}")
    if quote.ask - quote.bid > rules.max_spread:
        return NoTrade(Refusal.WIDE, f"{quote.ask - quote.bid}, at most {rules.max_spread}")
    return None


def price_buy(  # noqa: PLR0913  # what is bought, where, by which rules
    stake: Usd,
    side: Side,
    quote: Quote,
    market: Market,
    rules: Rules,
    *,
    beside: Decimal = ZERO_USD,
) -> PricedTrade | NoTrade:
    """Price a purchase of `stake` dollars on a quote that `trouble_with` let pass.

    The price must leave something to win: it lies strictly between 0 and 1, fee included.
    `beside` is what other orders of the same decision stake on the same claim: under
    `fill: book` they walk down the book together, each at the average price, so that a stake
    in parts is no cheaper than in one.
    """
    if rules.fill is FillRule.BOOK:
        together = stake + beside
        legs = _legs_for_dollars(_asks(quote, side), together)
        bought = shares_down(sum((n for n, _ in legs), Decimal(0)))
        if not bought:
            return NoTrade(Refusal.THIN)
        part = stake / together
        number, at_price = shares_down(bought * part), price(together / bought)
        legs = [(n * part, at) for n, at in legs]
    else:
        at_price = _quoted(quote.buy(side), quote, side, rules)
        if not 0 < at_price < 1:
            return NoTrade(Refusal.NO_PRICE, f"price {at_price}")
        number = shares_down(stake / at_price)
        legs = [(number, at_price)]
    fee = fee_of_legs(fee_model(market, rules), legs)
    if not number or stake + fee >= number:
        return NoTrade(Refusal.NO_PRICE, f"price {at_price}, fee {fee}")
    if market.min_order is not None and number < market.min_order:
        return NoTrade(Refusal.BELOW_LOT, f"{number} shares, at least {market.min_order}")
    return PricedTrade(at_price, number, stake, fee, *_walked(legs, rules))


def price_sale(  # noqa: PLR0913  # what is sold, where, by which rules
    number: Shares,
    side: Side,
    quote: Quote,
    market: Market,
    rules: Rules,
    *,
    beside: Decimal = ZERO_SHARES,
) -> PricedTrade | NoTrade:
    """Price a sale of `number` shares on a quote that `trouble_with` let pass.

    A price of 0 is allowed: a holder may throw a position away. `beside` is the number of
    shares that other orders of the same decision sell of the same claim, as in `price_buy`.
    """
    if rules.fill is FillRule.BOOK:
        together = number + beside
        legs = _legs_for_shares(_bids(quote, side), together)
        if not legs:
            return NoTrade(Refusal.THIN)
        brought, part = sum((n * at for n, at in legs), Decimal(0)), number / together
        dollars, at_price = usd_down(brought * part), price(brought / together)
        legs = [(n * part, at) for n, at in legs]
    else:
        at_price = _quoted(quote.sell(side), quote, side, rules)
        dollars = usd(number * at_price)
        legs = [(number, at_price)]
    fee = fee_of_legs(fee_model(market, rules), legs)
    return PricedTrade(at_price, number, dollars, Usd(min(fee, dollars)), *_walked(legs, rules))


def _walked(legs: Sequence[Leg], rules: Rules) -> tuple[int, Price | None]:
    """Say how many prices a trade met and the first; nothing where it met the one quoted."""
    return (len(legs), price(legs[0][1])) if rules.fill is FillRule.BOOK else (0, None)


def _quoted(best: Price | None, quote: Quote, side: Side, rules: Rules) -> Price:
    mid = quote.mid
    if best is None or mid is None:
        raise ValueError(f"{quote.market}: a one-sided book has no price")
    if rules.fill is FillRule.MID:
        return mid if side is Side.YES else Price(ONE - mid)
    return best


def depth(quote: Quote, side: Side) -> tuple[Usd, Shares]:
    """For how many dollars a side can be bought from the book, and how many shares be sold."""
    offered = takewhile(lambda level: 0 < level.price < 1, _asks(quote, side))
    dollars = sum((level.price * level.shares for level in offered), Decimal(0))
    wanted = sum((level.shares for level in _bids(quote, side)), Decimal(0))
    return usd_down(dollars), shares_down(wanted)


def _asks(quote: Quote, side: Side) -> Sequence[Level]:
    """Offers of `side`, cheapest first: a bid for YES at p is an offer of NO at 1 - p."""
    return quote.asks if side is Side.YES else _complements(quote.bids)


def _bids(quote: Quote, side: Side) -> Sequence[Level]:
    return quote.bids if side is Side.YES else _complements(quote.asks)


def _complements(levels: Sequence[Level]) -> Sequence[Level]:
    return [Level(Price(ONE - level.price), level.shares) for level in levels]


def _legs_for_dollars(levels: Sequence[Level], stake: Decimal) -> list[Leg]:
    """What `stake` buys down the book, level by level; nothing where the book runs out."""
    left, legs = Decimal(stake), list[Leg]()
    for level in levels:
        if not 0 < level.price < 1:
            return []
        spent = min(left, level.price * level.shares)
        legs.append((spent / level.price, level.price))
        left -= spent
        if not left:
            return legs
    return []


def _legs_for_shares(levels: Sequence[Level], number: Decimal) -> list[Leg]:
    """What `number` shares are sold at down the book; nothing where it runs out."""
    left, legs = Decimal(number), list[Leg]()
    for level in levels:
        taken = min(left, level.shares)
        legs.append((taken, level.price))
        left -= taken
        if not left:
            return legs
    return []
