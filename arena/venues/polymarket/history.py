"""Past prices of a token, as the CLOB and the Data API tell them.

Source: https://docs.polymarket.com/api-reference (`/prices-history` of the CLOB,
`/v2/prices-history` of the Data API).
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from arena.records.market import LeftOut, PricePoint
from arena.venues.polymarket.shape import wrong_shape
from arena.venues.reading import moment, unit_price
from arena.venues.rows import Read, unreadable

if TYPE_CHECKING:
    from datetime import datetime

PLACEHOLDER = Decimal("0.5")  # what stands before the first trade


def price_history(payload: object) -> Read[PricePoint]:
    """Read a price history of one token, in the payload's order.

    The CLOB's holds `history` of `t` and `p`, the Data API's `data` of `timestamp` and
    `price`, or that list alone.
    """
    found = payload
    if isinstance(payload, dict):
        found = payload.get("history") if "history" in payload else payload.get("data")
    if not isinstance(found, list):
        return Read((), (wrong_shape(payload, "price history"),))
    kept: dict[datetime, PricePoint] = {}
    left: list[LeftOut] = []
    for row in found:
        point = _point(row if isinstance(row, dict) else {})
        if isinstance(point, LeftOut):
            left.append(point)
        elif point.at in kept:
            left.append(LeftOut(str(point.at), "a second price of this moment"))
        else:
            kept[point.at] = point
    return Read(tuple(kept.values()), tuple(left))


def traded(points: Iterable[PricePoint]) -> tuple[PricePoint, ...]:
    """Sort points by time, and drop the flat 0.5 before the first trade: it is no price."""
    ordered = sorted({point.at: point for point in points}.values(), key=lambda one: one.at)
    first = next((n for n, one in enumerate(ordered) if one.price != PLACEHOLDER), None)
    return () if first is None else tuple(ordered[first:])


def _point(row: Mapping[str, object]) -> PricePoint | LeftOut:
    told = row.get("t") if "t" in row else row.get("timestamp")
    paid = row.get("p") if "p" in row else row.get("price")
    at, found = moment(told), unit_price(paid)
    if at is None:
        return unreadable("a point", "its time is missing or cannot be read")
    return unreadable(str(at), "it has no price") if found is None else PricePoint(at, found)
