"""What an order would trade at: one function prices it, the rules read its result."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from arena.ledger.fees import taker_fee
from arena.records.cohort import FeeRule, FillRule, Rules
from arena.records.decision import Refusal
from arena.records.market import FeeModel, Level, Market, Quote, Side
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
class Trade:
    """What an order comes to: `dollars` change hands for `shares`, with `fee` on top."""

    price: Price
    shares: Shares
    dollars: Usd
    fee: Usd


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
) -> Trade | NoTrade:
    """Price a purchase of `stake` dollars on a quote that `trouble_with` let pass.

    The price must leave something to win: it lies strictly between 0 and 1, fee included.
    `beside` is what other orders of the same decision stake on the same claim: under
    `fill: book` they walk down the book together, each at the average price, so that a stake
    in parts is no cheaper than in one.
    """
    if rules.fill is FillRule.BOOK:
        together = stake + beside
        bought = _walk_dollars(_asks(quote, side), together)
        if not bought:
            return NoTrade(Refusal.THIN)
        number, at_price = shares_down(bought * stake / together), price(together / bought)
    else:
        at_price = _quoted(quote.buy(side), quote, side, rules)
        if not 0 < at_price < 1:
            return NoTrade(Refusal.NO_PRICE, f"price {at_price}")
        number = shares_down(stake / at_price)
    fee = taker_fee(_fees(market, rules), number, at_price)
    if not number or stake + fee >= number:
        return NoTrade(Refusal.NO_PRICE, f"price {at_price}, fee {fee}")
    return Trade(at_price, number, stake, fee)


def price_sale(  # noqa: PLR0913  # what is sold, where, by which rules
    number: Shares,
    side: Side,
    quote: Quote,
    market: Market,
    rules: Rules,
    *,
    beside: Decimal = ZERO_SHARES,
) -> Trade | NoTrade:
    """Price a sale of `number` shares on a quote that `trouble_with` let pass.

    A price of 0 is allowed: a holder may throw a position away. `beside` is the number of
    shares that other orders of the same decision sell of the same claim, as in `price_buy`.
    """
    if rules.fill is FillRule.BOOK:
        together = number + beside
        brought = _walk_shares(_bids(quote, side), together)
        if brought is None:
            return NoTrade(Refusal.THIN)
        dollars, at_price = usd_down(brought * number / together), price(brought / together)
    else:
        at_price = _quoted(quote.sell(side), quote, side, rules)
        dollars = usd(number * at_price)
    fee = taker_fee(_fees(market, rules), number, at_price)
    return Trade(at_price, number, dollars, Usd(min(fee, dollars)))


def _fees(market: Market, rules: Rules) -> FeeModel:
    return market.fee if rules.fees is FeeRule.VENUE else FeeModel()


def _quoted(best: Price | None, quote: Quote, side: Side, rules: Rules) -> Price:
    mid = quote.mid
    if best is None or mid is None:
        raise ValueError(f"{quote.market}: a one-sided book has no price")
    if rules.fill is FillRule.MID:
        return mid if side is Side.YES else Price(ONE - mid)
    return best


def _asks(quote: Quote, side: Side) -> Sequence[Level]:
    """Offers of `side`, cheapest first: a bid for YES at p is an offer of NO at 1 - p."""
    if side is Side.YES:
        return quote.asks
    return [Level(Price(ONE - level.price), level.shares) for level in quote.bids]


def _bids(quote: Quote, side: Side) -> Sequence[Level]:
    if side is Side.YES:
        return quote.bids
    return [Level(Price(ONE - level.price), level.shares) for level in quote.asks]


def _walk_dollars(levels: Sequence[Level], stake: Decimal) -> Shares | None:
    """Shares that `stake` buys down the book, or None where the book runs out."""
    left, number = Decimal(stake), Decimal(0)
    for level in levels:
        if not 0 < level.price < 1:
            return None
        spent = min(left, level.price * level.shares)
        number += spent / level.price
        left -= spent
        if not left:
            return shares_down(number)
    return None


def _walk_shares(levels: Sequence[Level], number: Decimal) -> Decimal | None:
    """Dollars that `number` shares bring down the book, or None where it runs out."""
    left, dollars = Decimal(number), Decimal(0)
    for level in levels:
        taken = min(left, level.shares)
        dollars += taken * level.price
        left -= taken
        if not left:
            return dollars
    return None
