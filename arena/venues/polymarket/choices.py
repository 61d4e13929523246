"""The outcomes of a market: names, prices and token ids in parallel lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.records.money import Price
from arena.venues.reading import json_list, mappings, text, unit_price


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a market's outcomes: its name, its price, and the id of its shares."""

    name: str
    price: Price | None
    token: str | None = None


def choices(market: Mapping[str, object]) -> tuple[Choice, ...]:
    """List a market's named outcomes, in its order, with their prices and token ids.

    Names, prices and ids are three parallel lists, bare or as JSON in strings. A market
    without names there may list `tokens` that carry all three.
    """
    names = json_list(market.get("outcomes"))
    prices = json_list(market.get("outcomePrices"))
    tokens = json_list(market.get("clobTokenIds"))
    listed = [
        Choice(name, unit_price(_nth(prices, n)), _name(_nth(tokens, n)))
        for n, outcome_name in enumerate(names)
        if (name := text(outcome_name))
    ]
    return tuple(listed) or tuple(
        Choice(name, unit_price(token.get("price")), _name(token.get("token_id")))
        for token in mappings(market.get("tokens"))
        if (name := text(token.get("outcome")))
    )


def yes_index(listed: Sequence[Choice]) -> int | None:
    """Say which outcome is our YES: the one of that name, else the first."""
    named = (n for n, choice in enumerate(listed) if choice.name.casefold() == "yes")
    return next(named, 0 if listed else None)


def _nth(values: Sequence[object], n: int) -> object:
    return values[n] if n < len(values) else None


def _name(value: object) -> str | None:
    return text(value) or None
