"""Where the oracle is with a market, by the Data API.

Source: https://docs.polymarket.com/api-reference (Data, `/v2/resolutions`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from arena.records.market import LeftOut
from arena.venues.polymarket.shape import condition, wrong_shape
from arena.venues.reading import MOST, number, text
from arena.venues.rows import Read, unreadable

NOT_SET = Decimal(69)  # how the oracle's contract writes that there is no price
SIDES = 2


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where the oracle is with a market.

    `payouts` are what a share of each outcome is paid, in millionths of a dollar. `price` is
    the oracle's answer: 1 for the first outcome, 0 for the second, 0.5 for half each.
    """

    condition: str
    status: str
    payouts: tuple[Decimal, ...] | None = None
    price: Decimal | None = None


def resolutions(payload: object) -> Read[Resolution]:
    """Read the answer to `/v2/resolutions`, or its bare list; unknown ids have no row."""
    rows = payload.get("data") if isinstance(payload, dict) else payload
    if not isinstance(rows, list):
        return Read((), (wrong_shape(payload, "list of resolutions"),))
    kept: dict[str, Resolution] = {}
    left: list[LeftOut] = []
    for row in rows:
        found = _resolution(row if isinstance(row, dict) else {})
        if isinstance(found, LeftOut):
            left.append(found)
        elif found.condition in kept:
            left.append(unreadable(found.condition, "condition_id comes a second time"))
        else:
            kept[found.condition] = found
    return Read(tuple(kept.values()), tuple(left))


def _resolution(row: Mapping[str, object]) -> Resolution | LeftOut:
    own, status = condition(row.get("condition_id")), text(row.get("status")).lower()
    if not own:
        return unreadable("a resolution", "condition_id is missing or cannot be read")
    if not status:
        return unreadable(own, "status is missing or cannot be read")
    told, paid = row.get("payouts"), _payouts(row.get("payouts"))
    if told is not None and paid is None:
        return unreadable(own, "payouts is no pair of amounts")
    answer = number(row.get("price"))
    return Resolution(own, status, paid, None if answer == NOT_SET else answer)


def _payouts(value: object) -> tuple[Decimal, ...] | None:
    paid = [number(one) for one in value] if isinstance(value, list) else []
    sound = tuple(one for one in paid if one is not None and 0 <= one <= MOST)
    return sound if len(sound) == len(paid) == SIDES else None
