"""Which of Polymarket's markets are not for the arena, and why."""

import re
from collections.abc import Mapping

from arena.venues.reading import json_list, mappings, text

UP_DOWN = ("updown", "up-or-down")

_MINUTES_OR_HOURS = re.compile(r"(\d+ ?(m|min|minutes?|h|hours?)|hourly)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"other|(person|player|candidate|individual|nominee|winner|team|club|party|country|company"
    r"|artist|movie|film|song|model|name|option|outcome) [a-z]{1,2}",
    re.IGNORECASE,
)


def unfit(
    market: Mapping[str, object], around: Mapping[str, object], slugs: tuple[str, str]
) -> str:
    """Say why a market is not for the arena, whatever its state; "" where it is.

    Args:
        market: Gamma's payload of it.
        around: The event that it belongs to; empty where none is named.
        slugs: What both are called in addresses.
    """
    called = " ".join(slugs).lower()
    if UP_DOWN[0] in called or UP_DOWN[1] in called:
        return "it asks whether a price goes up or down"
    series = mappings(around.get("series")) + mappings(market.get("series"))
    if any(_MINUTES_OR_HOURS.fullmatch(text(one.get("recurrence"))) for one in series):
        return "it recurs within hours"
    if _is_placeholder(market, around):
        return "it is a placeholder: what it asks changes when a name is given to it"
    return ""


def idle(market: Mapping[str, object]) -> str:
    """Say why a market takes no orders now; "" where it does.

    `active` stays true for ever, and token ids come minutes after a market's creation.
    """
    if market.get("closed") is not False:
        return "it is closed"
    if market.get("archived") is True:
        return "it is archived"
    if market.get("active") is False:
        return "it is not active yet"
    if market.get("enableOrderBook") is not True:
        return "it has no order book"
    if market.get("acceptingOrders") is not True:
        return "it takes no orders"
    return "" if json_list(market.get("clobTokenIds")) else "it has no token ids yet"


def _is_placeholder(market: Mapping[str, object], around: Mapping[str, object]) -> bool:
    if market.get("negRiskOther") is True:
        return True
    if around.get("negRiskAugmented") is not True:
        return False
    return _PLACEHOLDER.fullmatch(text(market.get("groupItemTitle"))) is not None
