"""Polymarket's lists of markets and events: what is in them, in which order, page by page."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from tests.standins.venues.dialect import Asked, Quirks, hex_id, seconds, whole
from tests.standins.venues.polymarket_ids import (
    condition_id,
    is_new_protocol,
    question_id,
    slug_of,
    token_id,
)
from tests.standins.venues.polymarket_life import is_closed
from tests.standins.venues.world import WorldMarket, WorldView

USUAL = 20  # rows of a page, if no limit is asked for
UNBOUND = {"limit", "after_cursor"}  # may change from page to page

Key = tuple[Decimal | str, int]


class Refused(Exception):  # noqa: N818  what happens, not a mistake of ours
    """The list cannot be given as it was asked for; the reason is in the venue's words."""


@dataclass(frozen=True, slots=True)
class Item:
    """A market, or the markets of an event: what a list is made of."""

    number: int
    markets: tuple[WorldMarket, ...]
    closed: bool

    def most(self, of: Callable[[WorldMarket], Decimal]) -> Decimal:
        """Add up an amount."""
        return sum((of(market) for market in self.markets), Decimal(0))


def market_items(view: WorldView) -> tuple[Item, ...]:
    """Give every market of the view, by itself."""
    return tuple(Item(m.number, (m,), is_closed(m)) for m in view.markets)


def event_items(view: WorldView) -> tuple[Item, ...]:
    """Give the events of the view; one is closed when all its markets are."""
    events: dict[int, list[WorldMarket]] = {}
    for market in view.markets:
        events.setdefault(market.event_number, []).append(market)
    return tuple(
        Item(number, tuple(markets), all(is_closed(m) for m in markets))
        for number, markets in events.items()
    )


def page_of_items(
    items: Sequence[Item], asked: Asked, quirks: Quirks, most: int
) -> tuple[list[Item], str | None]:
    """Give a page of a list, and the cursor of the next: only a full page has one.

    Args:
        items: Everything there is.
        asked: Filters, order, limit and cursor.
        quirks: What goes wrong.
        most: The most rows that a page can have.

    Raises:
        Refused: A parameter cannot be used.
    """
    limit = whole(asked.one("limit"), USUAL, most)
    if asked.one("offset") is not None:
        raise Refused("offset is not allowed on keyset endpoints")
    if not limit:
        raise Refused("invalid limit")
    order = asked.one("order") or ""
    falling = asked.one("ascending") == "false"
    key = _key_of(order, quirks)
    rows = sorted((key(i), i.number, i) for i in items if _is_wanted(i, asked))
    if falling:
        rows.reverse()
    bound = _bound(asked)
    cursor = None if quirks.first_page else asked.one("after_cursor")
    if cursor:
        after = _read_cursor(cursor, bound, as_text=isinstance(key(items[0]), str))
        rows = [row for row in rows if (row[:2] < after if falling else row[:2] > after)]
    page = rows[:limit]
    full = len(page) == limit
    return [row[2] for row in page], _cursor(page[-1][:2], bound) if full else None


def _key_of(order: str, quirks: Quirks) -> Callable[[Item], Decimal | str]:
    """Give what a list is sorted by; an order of another name is silently none at all.

    `volume` is a column of text, and so are numbers sorted by it.
    """
    if order == "slug":
        return lambda item: slug_of(item.markets[0])
    key = _ORDERS.get("volumeNum" if order == "volume" else order)
    if key is None:
        return lambda item: Decimal(item.number)
    if order == "volume" or quirks.as_text:
        return lambda item: str(key(item))
    return key


_ORDERS: Mapping[str, Callable[[Item], Decimal]] = {
    "volumeNum": lambda item: item.most(lambda m: m.volume),
    "volume24hr": lambda item: item.most(lambda m: m.volume_24h),
    "liquidityNum": lambda item: item.most(lambda m: m.liquidity),
    "startDate": lambda item: Decimal(seconds(item.markets[0].opens_at)),
    "createdAt": lambda item: Decimal(seconds(item.markets[0].opens_at)),
    "endDate": lambda item: Decimal(seconds(item.markets[0].closes_at)),
}


def _is_wanted(item: Item, asked: Asked) -> bool:
    """Say whether a list has an item: closed ones, and the second protocol, only if asked."""
    if item.closed != (asked.one("closed") == "true"):
        return False
    wanted = asked.all("version") or ("v1",)
    if ("v2" if is_new_protocol(item.markets[0].event_number) else "v1") not in wanted:
        return False
    return _is_named(item, asked) and _is_within(item, asked)


def _is_named(item: Item, asked: Asked) -> bool:
    first = item.markets[0].number
    names: Mapping[str, tuple[str, ...]] = {
        "id": (str(item.number),),
        "slug": (slug_of(item.markets[0]),),
        "condition_ids": (condition_id(first),),
        "question_ids": (question_id(first),),
        "clob_token_ids": (token_id(first, 0), token_id(first, 1)),
    }
    given = {key: asked.all(key) for key in names if asked.all(key)}
    return all(set(names[key]) & set(values) for key, values in given.items())


def _is_within(item: Item, asked: Asked) -> bool:
    first = item.markets[0]
    amounts = {
        "volume_num": item.most(lambda m: m.volume),
        "liquidity_num": item.most(lambda m: m.liquidity),
        "start_date": Decimal(seconds(first.opens_at)),
        "end_date": Decimal(seconds(first.closes_at)),
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
    try:
        return Decimal(said) if "-" not in said else Decimal(seconds(_time(said)))
    except ArithmeticError as error:
        raise Refused(f"invalid filter: {said[:40]}") from error
    except ValueError as error:
        raise Refused(f"invalid date: {said[:40]}") from error


def _time(said: str) -> datetime:
    read = datetime.fromisoformat(said)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


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
