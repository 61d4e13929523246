"""A turn asked market by market, of somebody who types."""

from collections.abc import Callable
from typing import TypeVar

import click

from arena.cli.forecast_say import head_of, prices_of
from arena.cli.forecast_words import Order, amount, composed, probability, side
from arena.steps.submit import Due

T = TypeVar("T")

Ask = Callable[[str], str]


def asked(due: Due, ask: Ask, say: Callable[[str], None]) -> str:
    """Ask for an answer, and put it into the reply format.

    First a probability and a bet for each market, then, where there is no bet, what is to be
    sold of what is held. An empty line skips; what cannot be read is asked for again.
    """
    forecasts: dict[str, float] = {}
    bets: list[Order] = []
    for offer in due.briefing.offers:
        if offer.alias in due.closed:
            continue
        say(f"{head_of(offer)}\n    {prices_of(offer)}")
        p = _until_read(ask, say, "    probability of YES, 0 to 1", probability)
        if p is not None:
            forecasts[offer.alias] = p
        bet = _until_read(ask, say, "    bet, such as YES 120", _bet_on(offer.alias))
        if bet is not None:
            bets.append(bet)
    sales = [] if bets else _sales(due, ask, say)
    because = ask("why, in a few words")
    return composed(forecasts, bets or sales, because, is_sale=not bets)


def _sales(due: Due, ask: Ask, say: Callable[[str], None]) -> list[Order]:
    sales: list[Order] = []
    for holding in due.briefing.holdings:
        if holding.alias is None or holding.alias in due.closed:
            continue
        alias, which = holding.alias, holding.side
        if any(sold == alias for sold, _, _ in sales):
            continue  # an answer has one order a market

        def percent(text: str) -> Order:
            return alias, which, amount(text, "--sell")  # noqa: B023  used at once

        asking = f"    sell of {alias} {which}, in percent of the position"
        sale = _until_read(ask, say, asking, percent)
        if sale is not None:
            sales.append(sale)
    return sales


def _bet_on(alias: str) -> Callable[[str], Order]:
    def read(text: str) -> Order:
        which, _, much = text.strip().partition(" ")
        return alias, side(which, "--bet"), amount(much, "--bet")

    return read


def _until_read(
    ask: Ask, say: Callable[[str], None], asking: str, read: Callable[[str], T]
) -> T | None:
    while text := ask(asking).strip():
        try:
            return read(text)
        except click.BadParameter as error:
            say(f"    {error.message}")
    return None
