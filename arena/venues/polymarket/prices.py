"""Midpoints of the CLOB, and what is doubtful about a price that two services tell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from arena.records.market import LeftOut, PricePoint, Quote
from arena.records.money import ONE, ZERO_USD, Price
from arena.venues.polymarket.fit import wrong_shape
from arena.venues.polymarket.outcome import Choice
from arena.venues.reading import Read, moment, text, unit_price, unreadable

if TYPE_CHECKING:
    from datetime import datetime

FAR_APART = Decimal("0.10")
WIDE = Decimal("0.5")


class Doubt(StrEnum):
    """Why something read from a payload should be looked at twice."""

    NO_END_DATE = "the venue names no end date"
    PAST_END = "the end date that the venue names has passed, and the market is open"
    NO_TOKEN = "missing CLOB YES token id"  # noqa: S105  a message, not a secret
    NO_MIDPOINT = "no CLOB midpoint"
    FAR_APART = "Gamma and CLOB disagree"


@dataclass(frozen=True, slots=True)
class Midpoint:
    """The middle of a token's book; `token` is empty where the answer names none."""

    token: str
    price: Price


@dataclass(frozen=True, slots=True)
class YesPrice:
    """A price of YES, and what is doubtful about it."""

    yes: Price | None
    doubt: Doubt | None = None

    @property
    def no(self) -> Price | None:
        """The complement; None where YES has no price."""
        return None if self.yes is None else Price(ONE - self.yes)


def read_midpoints(payload: object) -> Read[Midpoint]:
    """Read the answer to POST `/midpoints`: a map of token id to midpoint."""
    if not isinstance(payload, dict) or "error" in payload:
        return Read((), (wrong_shape(payload, "map of midpoints"),))
    read = {token: unit_price(value) for token, value in payload.items()}
    return Read(
        tuple(Midpoint(token, price) for token, price in read.items() if price is not None),
        tuple(
            unreadable(text(token)[:100], "the midpoint is no price")
            for token, price in read.items()
            if price is None
        ),
    )


def read_midpoint(payload: object) -> Read[Midpoint]:
    """Read the answer to `/midpoint`, which does not name its token."""
    if not isinstance(payload, dict) or "mid" not in payload:
        return Read((), (wrong_shape(payload, "midpoint"),))
    price = unit_price(payload.get("mid"))
    if price is None:
        return Read((), (unreadable("the midpoint", "mid is no price"),))
    return Read((Midpoint("", price),))


def midpoints(answer: object) -> dict[str, Price]:
    """Read the CLOB's map of token id to midpoint; what is no price is left out."""
    return {midpoint.token: midpoint.price for midpoint in read_midpoints(answer).rows}


def single_midpoints(answers: Mapping[str, object]) -> dict[str, Price]:
    """Read the CLOB's answers about one token each (`{"mid": ...}`), None where it failed."""
    return {
        t: midpoint.price
        for t, answer in answers.items()
        for midpoint in read_midpoint(answer).rows
    }


def unanswered(tokens: Iterable[str], prices: Mapping[str, Price]) -> tuple[str, ...]:
    """Say which token ids still have to be asked one by one, each once, in order."""
    return tuple(token for token in dict.fromkeys(tokens) if token and token not in prices)


def yes_price(
    yes: Choice, mids: Mapping[str, Price], *, apart: Decimal = FAR_APART
) -> YesPrice:
    """Choose between two services: the CLOB's midpoint, else the other's price with a doubt.

    Args:
        yes: The YES outcome with the price that was read elsewhere.
        mids: Midpoints by token id.
        apart: Where the two differ by more than this, the midpoint comes with a doubt too.
    """
    if yes.token is None:
        return YesPrice(yes.price, Doubt.NO_TOKEN)
    mid = mids.get(yes.token)
    if mid is None:
        return YesPrice(yes.price, Doubt.NO_MIDPOINT)
    differ = yes.price is not None and abs(yes.price - mid) > apart
    return YesPrice(mid, Doubt.FAR_APART if differ else None)


def inside(price: Price | None) -> Price | None:
    """Give a price at which somebody may stand; 0 and 1 are how an empty side is written."""
    return price if price is not None and ZERO_USD < price < ONE else None


def is_wide(quote: Quote) -> bool:
    """Say whether a book is so wide that it may not be the real one."""
    return quote.bid is not None and quote.ask is not None and quote.ask - quote.bid > WIDE


def is_ghost(
    quote: Quote, listed: Quote | None, yes_token: str, mids: Mapping[str, Price]
) -> bool:
    """Say whether a wide book is not the real one: the CLOB serves such ones at times.

    It is not, where Gamma shows somebody who stands well inside it, or where there is no
    midpoint that agrees with it.

    Args:
        quote: The book's own prices.
        listed: Gamma's best bid and ask of the same market.
        yes_token: The token whose book it is.
        mids: Midpoints by token id.

    Source:
        https://github.com/Polymarket/py-clob-client/issues/180
    """
    if not is_wide(quote):
        return False
    doubtful = yes_price(Choice("YES", quote.mid, yes_token), mids).doubt is not None
    return doubtful or (listed is not None and _well_inside(listed, quote))


def _well_inside(listed: Quote, book: Quote) -> bool:
    better = [
        listed.bid - book.bid if listed.bid is not None and book.bid is not None else 0,
        book.ask - listed.ask if listed.ask is not None and book.ask is not None else 0,
    ]
    return max(better) > FAR_APART


PLACEHOLDER = Decimal("0.5")  # what stands before the first trade


def price_history(payload: object) -> Read[PricePoint]:
    """Read a price history of one token, in the payload's order.

    The CLOB's holds `history` of `t` and `p`, the Data API's `data` of `timestamp` and
    `price`, or that list alone.
    """
    rows = payload
    if isinstance(payload, dict):
        rows = payload.get("history") if "history" in payload else payload.get("data")
    if not isinstance(rows, list):
        return Read((), (wrong_shape(payload, "price history"),))
    kept: dict[datetime, PricePoint] = {}
    left: list[LeftOut] = []
    for row in rows:
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
    ordered = sorted({point.at: point for point in points}.values(), key=lambda point: point.at)
    first = next((n for n, point in enumerate(ordered) if point.price != PLACEHOLDER), None)
    return () if first is None else tuple(ordered[first:])


def _point(row: Mapping[str, object]) -> PricePoint | LeftOut:
    time = row.get("t") if "t" in row else row.get("timestamp")
    paid = row.get("p") if "p" in row else row.get("price")
    at, price = moment(time), unit_price(paid)
    if at is None:
        return unreadable("a point", "its time is missing or cannot be read")
    return unreadable(str(at), "it has no price") if price is None else PricePoint(at, price)
