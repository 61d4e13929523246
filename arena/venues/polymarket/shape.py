"""Payloads whose shape is not the one that was asked for, such as an error's."""

import re

from arena.records.market import LeftOut
from arena.venues.reading import text
from arena.venues.rows import unreadable

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
    found = payload if isinstance(payload, dict) else {}
    said = (text(found.get(key)) for key in ("error", "message", "detail"))
    words = next((f': it says "{one[:LONGEST_SAYING]}"' for one in said if one), "")
    return unreadable(PAYLOAD, f"it holds no {wanted}{words}")
