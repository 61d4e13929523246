"""Which of Polymarket's markets are not for the arena, and why."""

import re
from collections.abc import Mapping

from arena.records.market import LeftOut
from arena.venues.reading import json_list, mappings, text, unreadable

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
    if any(
        _MINUTES_OR_HOURS.fullmatch(text(series_row.get("recurrence"))) for series_row in series
    ):
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


PAYLOAD = "the payload"
LONGEST_SAYING = 200

_CONDITION = re.compile(r"0x[0-9a-fA-F]{64}")
_TOKEN = re.compile(r"[0-9]{1,100}")
_OWN = re.compile(r"0|[1-9][0-9]{0,19}")


def own_number(value: object) -> str:
    """Read Gamma's own id of a market, a short number in text; "" where there is none."""
    return value if isinstance(value, str) and _OWN.fullmatch(value) else ""


def condition(value: object) -> str:
    """Read a condition id, which names a market on the chain; "" where there is none."""
    return value.lower() if isinstance(value, str) and _CONDITION.fullmatch(value) else ""


def token(value: object) -> str:
    """Read the id of an outcome's shares: digits in text, far more than a number can hold."""
    return value if isinstance(value, str) and _TOKEN.fullmatch(value) else ""


def wrong_shape(payload: object, wanted: str) -> LeftOut:
    """Say that a payload does not hold what was wanted, and what it says instead."""
    body = payload if isinstance(payload, dict) else {}
    messages = (text(body.get(key)) for key in ("error", "message", "detail"))
    words = next(
        (f': it says "{message[:LONGEST_SAYING]}"' for message in messages if message), ""
    )
    return unreadable(PAYLOAD, f"it holds no {wanted}{words}")
