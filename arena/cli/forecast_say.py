"""A turn as a person reads it: the purse, the markets with their prices, what is held."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from arena.cli.say import MISSING, one_line, plain, utc
from arena.records.briefing import Briefing, Holding, Offer
from arena.records.market import Side
from arena.records.money import Price
from arena.steps.submit import Due


def turn_lines(due: Due, now: datetime, *, with_rules: bool) -> Iterator[str]:
    """Tell a turn: until when, with how much, and one paragraph a market."""
    told = due.briefing
    yield f"round {told.round} of {told.cohort} for {told.contestant}: prices of {utc(told.at)}"
    yield f"answer by {utc(due.deadline)} ({left(due.deadline - now)} left)"
    yield (
        f"cash {dollars(told.cash)}; a bet is {dollars(told.floor)} to {dollars(told.cap)}, "
        f"and all bets together are at most {dollars(told.cap)}"
    )
    for offer in told.offers:
        yield ""
        yield from _offer(offer, told, is_closed=offer.alias in due.closed)
        if with_rules:
            yield from _rules(offer)
    for offer in told.sell_only:
        yield ""
        yield from _offer(offer, told, is_closed=offer.alias in due.closed, is_sold_only=True)
    waiting = [h for h in told.holdings if h.alias is None]
    if waiting:
        yield ""
        yield "held, and not to be sold now:"
    for holding in waiting:
        yield f"    {one_line(holding.question)}: {_held(holding)}"


def head_of(offer: Offer) -> str:
    """A market in one line, with what its sides are where they have names."""
    sides = zip(Side, offer.market.labels, strict=False)
    called = ", ".join(f"{side}: {one_line(label)}" for side, label in sides)
    return f"{offer.alias}  {one_line(offer.market.question)}" + (
        f" ({called})" if called else ""
    )


def prices_of(offer: Offer) -> str:
    """What each side sells for and costs, in dollars a share."""
    quote = offer.quote
    return "; ".join(
        f"{side} sells at {_price(quote.sell(side))}, costs {_price(quote.buy(side))}"
        for side in Side
    )


def left(time: timedelta) -> str:
    """A time to come, to the minute.

    >>> left(timedelta(hours=26, minutes=5, seconds=59))
    '26h 5m'
    """
    minutes = max(0, int(time.total_seconds() // 60))
    return f"{minutes // 60}h {minutes % 60}m"


def dollars(amount: Decimal) -> str:
    """An amount with cents."""
    return f"${amount:,.2f}"


def _offer(
    offer: Offer, told: Briefing, *, is_closed: bool = False, is_sold_only: bool = False
) -> Iterator[str]:
    market = offer.market
    yield head_of(offer)
    facts = [one_line(market.category)] if market.category else []
    facts.append(f"closes {utc(market.closes_at)}" if market.closes_at else "no closing time")
    if is_sold_only:
        facts.append("can only be sold")
    yield f"    {'; '.join(facts)}"
    if is_closed:
        yield "    it trades no more: nothing that is said of it counts"
        return
    yield f"    {prices_of(offer)}"
    for holding in told.holdings:
        if holding.alias == offer.alias:
            yield f"    you hold {_held(holding)}"


def _held(holding: Holding) -> str:
    shares = f"{holding.shares:,.2f} {holding.side} that cost {dollars(holding.cost)}"
    if holding.is_closed:
        return f"{shares}; it waits for its outcome"
    return f"{shares} and sell at {_price(holding.worth)}"


def _rules(offer: Offer) -> Iterator[str]:
    for line in plain(offer.market.rules).splitlines():
        if line.strip():
            yield f"    | {one_line(line)}"


def _price(price: Price | None) -> str:
    return MISSING if price is None else f"{price.normalize():f}"
