"""Polymarket's list of markets: what is in it, in which order, page by page."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal

from tests.standins.venues.dialect import Asked, Quirks, hex_id, seconds, whole
from tests.standins.venues.polymarket_ids import is_new_protocol
from tests.standins.venues.polymarket_life import is_closed
from tests.standins.venues.world import WorldMarket, WorldView

USUAL, MOST = 20, 100  # rows of a page: if no limit is asked for, and at most
UNBOUND = {"limit", "after_cursor"}  # may change from page to page

Key = tuple[Decimal | str, int]


class Refused(Exception):  # noqa: N818  what happens, not a mistake of ours
    """The list cannot be given as it was asked for; the reason is in the venue's words."""


def page_of_markets(
    view: WorldView, asked: Asked, quirks: Quirks
) -> tuple[list[WorldMarket], str | None]:
    """Give a page of the list, and the cursor of the next: only a full page has one.

    Args:
        view: Everything there is.
        asked: Filters, order, limit and cursor.
        quirks: What goes wrong.

    Raises:
        Refused: A parameter cannot be used.
    """
    limit = whole(asked.one("limit"), USUAL, MOST)
    if asked.one("offset") is not None:
        raise Refused("offset is not allowed on keyset endpoints")
    if not limit:
        raise Refused("invalid limit")
    falling = asked.one("ascending") == "false"
    key = _key_of(asked.one("order") or "", quirks)
    rows = sorted((key(m), m.number, m) for m in view.markets if _is_wanted(m, asked))
    if falling:
        rows.reverse()
    bound = _bound(asked)
    cursor = None if quirks.first_page else asked.one("after_cursor")
    if cursor:
        after = _read_cursor(cursor, bound, as_text=isinstance(key(view.markets[0]), str))
        rows = [row for row in rows if (row[:2] < after if falling else row[:2] > after)]
    page = rows[:limit]
    full = len(page) == limit
    return [row[2] for row in page], _cursor(page[-1][:2], bound) if full else None


def _key_of(order: str, quirks: Quirks) -> Callable[[WorldMarket], Decimal | str]:
    """Give what a list is sorted by; an order of another name is silently none at all."""
    key = _ORDERS.get(order)
    if key is None:
        return lambda market: Decimal(market.number)
    return (lambda market: str(key(market))) if quirks.as_text else key


_ORDERS: Mapping[str, Callable[[WorldMarket], Decimal]] = {
    "volumeNum": lambda market: market.volume,
    "volume24hr": lambda market: market.volume_24h,
    "liquidityNum": lambda market: market.liquidity,
}


def _is_wanted(market: WorldMarket, asked: Asked) -> bool:
    """Say whether a list has a market: closed ones, and the second protocol, only if asked."""
    if is_closed(market) != (asked.one("closed") == "true"):
        return False
    wanted = asked.all("version") or ("v1",)
    if ("v2" if is_new_protocol(market.event_number) else "v1") not in wanted:
        return False
    named = asked.all("id")
    return (not named or str(market.number) in named) and _is_within(market, asked)


def _is_within(market: WorldMarket, asked: Asked) -> bool:
    amounts = {
        "volume_num": market.volume,
        "liquidity_num": market.liquidity,
        "end_date": Decimal(seconds(market.closes_at)),
    }
    for name, amount in amounts.items():
        least, most = asked.one(f"{name}_min"), asked.one(f"{name}_max")
        if least is not None and amount < _amount(least):
            return False
        if most is not None and amount > _amount(most):
            return False
    return True


def _amount(said: str) -> Decimal:
    """Read a bound of a filter: a number, or a time as seconds since 1970."""
    if "-" not in said:
        return Decimal(said)
    return Decimal(seconds(datetime.fromisoformat(said).astimezone(UTC)))


def _bound(asked: Asked) -> str:
    """Name the sort and the filters that a cursor is bound to."""
    return hex_id(16, *(pair for pair in asked.query if pair[0] not in UNBOUND), asked.path)


def _cursor(last: Key, bound: str) -> str:
    said = json.dumps([bound, str(last[0]), last[1]])
    return base64.urlsafe_b64encode(said.encode()).decode()


def _read_cursor(cursor: str, bound: str, *, as_text: bool) -> Key:
    try:
        read = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        made_for, value, number = read
        last = str(value) if as_text else Decimal(value), int(number)
    except (ValueError, TypeError, ArithmeticError, binascii.Error) as error:
        raise Refused("invalid cursor") from error
    if made_for != bound:
        raise Refused("invalid cursor")
    return last
