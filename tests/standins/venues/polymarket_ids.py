"""Polymarket's names of things: ids of many digits, addresses, outcomes.

Every id holds the number of its market, so that it is found back without keeping anything.
"""

import re
from decimal import Decimal

from tests.standins.venues.dialect import draw, hex_id
from tests.standins.venues.world import WorldMarket

Row = dict[str, object]

SIDES = (0, 1)  # of the outcomes; prices are of the first
HAS_V2, AUGMENTED, UP_DOWN, TEAMS = 0.02, 0.06, 0.03, 0.06  # of events
TOKEN = 10**76  # token ids have 77 digits
PLACE = 10**16  # room for a market's number and side at their end

_SLUG = re.compile(r"[^a-z0-9]+")


def condition_id(number: int) -> str:
    """Name a market's condition: 64 hexadecimal digits, the last 16 of which are its number."""
    return f"0x{hex_id(48, 'condition', number)}{number:016x}"


def token_id(number: int, side: int) -> str:
    """Name the shares of a market's outcome, 0 or 1: 77 digits, its number at the end."""
    drawn = int(hex_id(64, "token", number, side), 16) % (9 * TOKEN)
    return str(TOKEN + drawn // PLACE * PLACE + number * 10 + side)


def question_id(number: int) -> str:
    """Name what the oracle is asked about a market."""
    return f"0x{hex_id(64, 'question', number)}"


def number_of_condition(condition: str) -> int | None:
    """Find a market's number from its condition; None where it cannot be one."""
    try:
        number = int(condition[-16:], 16)
    except ValueError:
        return None
    return number if condition_id(number) == condition else None


def number_of_token(token: str) -> tuple[int, int] | None:
    """Find a market's number and the outcome from a token; None where it cannot be one."""
    if not (token.isascii() and token.isdigit() and len(token) <= len(str(10 * TOKEN))):
        return None
    number, side = divmod(int(token) % PLACE, 10)
    return (number, side) if side in SIDES and token_id(number, side) == token else None


def group_id(market: WorldMarket) -> str:
    """Name the group of markets that exclude each other."""
    return f"0x{hex_id(64, 'group', market.event_number)}"


def slug_of(market: WorldMarket) -> str:
    """Give a market's name in addresses."""
    return f"{slug(market.question)}-{market.number}"


def is_new_protocol(event_number: int) -> bool:
    """Say whether an event's markets are of the second protocol, which lists do not show."""
    return draw("v2", event_number) < HAS_V2


def text(value: Decimal) -> str:
    """Write a number as the services do: no exponent, no zeros at the end."""
    return f"{value.normalize():f}"


def outcomes_of(market: WorldMarket) -> list[str]:
    """Name a market's outcomes; the first is the one that its prices are of."""
    if is_up_down(market):
        return ["Up", "Down"]
    if market.siblings == 1 and draw("teams", market.event_number) < TEAMS:
        return ["Home", "Away"]
    return ["Yes", "No"]


def is_augmented(market: WorldMarket) -> bool:
    """Say whether names are still given to some of an event's markets."""
    return market.exclusive and draw("augmented", market.event_number) < AUGMENTED


def is_up_down(market: WorldMarket) -> bool:
    """Say whether a market is said to ask for the way of a price, day by day."""
    return market.siblings == 1 and draw("up-down", market.event_number) < UP_DOWN


def of_side(value: Decimal, side: int) -> Decimal:
    """Turn a price of the first outcome into one of either."""
    return value if side == 0 else 1 - value


def slug(said: str) -> str:
    """Write words as an address does."""
    return _SLUG.sub("-", said.lower()).strip("-")[:80]
