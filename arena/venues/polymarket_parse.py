"""What Polymarket's payloads say, tolerantly read: prices, dates and outcomes.

Every function is pure. What is missing, malformed or out of range is None or absent, never
a number that the venue did not say. Market and history payloads are those of the Gamma and
CLOB services (https://docs.polymarket.com/api-reference).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from arena.records.market import NO_WINS, YES_WINS, Outcome
from arena.records.money import ONE, Price, price

DECISIVE = Decimal("0.999")  # old final payouts are near 0 and 1, not at them
HALF = Decimal("0.5")
FAR_APART = Decimal("0.10")
NEAR = timedelta(minutes=15)
FINAL = ("resolved", "settled")  # the oracle's last words
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLIS_FROM, MICROS_FROM, NO_TIME_FROM = 10**11, 10**14, 10**18


class Doubt(StrEnum):
    """Why something read from a payload should be looked at twice."""

    NO_END_DATE = "the venue names no end date"
    NO_TOKEN = "missing CLOB YES token id"  # noqa: S105  a message, not a secret
    NO_MIDPOINT = "no CLOB midpoint"
    FAR_APART = "Gamma and CLOB disagree"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a market's outcomes: its name, its price, and the id of its shares."""

    name: str
    price: Price | None
    token: str | None = None


@dataclass(frozen=True, slots=True)
class YesPrice:
    """A price of YES, and what is doubtful about it."""

    yes: Price | None
    doubt: Doubt | None = None

    @property
    def no(self) -> Price | None:
        """The complement; None where YES has no price."""
        return None if self.yes is None else Price(ONE - self.yes)


@dataclass(frozen=True, slots=True)
class PricePoint:
    """A price of the past."""

    at: datetime
    price: Price


def number(value: object) -> Decimal | None:
    """Read a finite number, bare or as text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    try:
        read = Decimal(str(value) if isinstance(value, float) else value)
    except InvalidOperation:
        return None
    return read if read.is_finite() else None


def unit_price(value: object) -> Price | None:
    """Read a price in [0, 1], bare or as text."""
    read = number(value)
    return price(read) if read is not None and 0 <= read <= 1 else None


def json_list(value: object) -> list[object]:
    """Read a list, bare or as JSON in a string; anything else is an empty list."""
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_float=Decimal)
        except (ValueError, ArithmeticError, RecursionError):
            return []
    return value if isinstance(value, list) else []


def moment(value: object) -> datetime | None:
    """Read a time: ISO text, or seconds, milli- or microseconds since 1970, in UTC.

    Year 1 is how the venue writes that there is none.
    """
    try:
        since = number(value)
        if since is not None:
            return _since_epoch(since)
        read = datetime.fromisoformat(value if isinstance(value, str) else "")
        read = read if read.tzinfo else read.replace(tzinfo=UTC)
        return read.astimezone(UTC) if read.year > 1 else None
    except (ValueError, OverflowError):
        return None


def choices(market: Mapping[str, object]) -> tuple[Choice, ...]:
    """List a market's named outcomes, in its order, with their prices and token ids.

    Names, prices and ids are three parallel lists, bare or as JSON in strings. A market
    without names there may list `tokens` that carry all three.
    """
    names = json_list(market.get("outcomes"))
    prices = json_list(market.get("outcomePrices"))
    tokens = json_list(market.get("clobTokenIds"))
    listed = tuple(
        Choice(name, unit_price(_nth(prices, n)), _text(_nth(tokens, n)))
        for n, name in enumerate(names)
        if isinstance(name, str) and name
    )
    return listed or tuple(
        Choice(name, unit_price(token.get("price")), _text(token.get("token_id")))
        for token in _tokens(market)
        if isinstance(name := token.get("outcome"), str) and name
    )


def yes_index(listed: Sequence[Choice]) -> int | None:
    """Say which outcome is our YES: the one of that name, else the first."""
    named = (n for n, choice in enumerate(listed) if choice.name.casefold() == "yes")
    return next(named, 0 if listed else None)


def yes_choice(market: Mapping[str, object]) -> Choice | None:
    """Give the outcome of a market that is our YES, with its price and token."""
    listed = choices(market)
    index = yes_index(listed)
    return None if index is None else listed[index]


def midpoints(answer: object) -> dict[str, Price]:
    """Read the CLOB's map of token id to midpoint; what is no price is left out."""
    pairs = answer.items() if isinstance(answer, dict) else ()
    read = ((token, unit_price(value)) for token, value in pairs)
    return {token: found for token, found in read if found is not None}


def single_midpoints(answers: Mapping[str, object]) -> dict[str, Price]:
    """Read the CLOB's answers about one token each (`{"mid": ...}`), None where it failed."""
    return midpoints({t: a.get("mid") for t, a in answers.items() if isinstance(a, dict)})


def unanswered(asked: Iterable[str], found: Mapping[str, Price]) -> tuple[str, ...]:
    """Say which token ids still have to be asked one by one, each once, in order."""
    return tuple(token for token in dict.fromkeys(asked) if token and token not in found)


def priced_by_token(
    listed: Iterable[Choice], mids: Mapping[str, Price]
) -> dict[str, Price | None]:
    """Give each outcome's midpoint by its name; None where its token has none."""
    return {c.name: mids.get(c.token) if c.token else None for c in listed}


def yes_price(
    yes: Choice, mids: Mapping[str, Price], *, apart: Decimal = FAR_APART
) -> YesPrice:
    """Choose between the two services: the CLOB's midpoint, else Gamma's price with a doubt.

    Args:
        yes: The YES outcome with Gamma's price, which may be minutes old.
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


def nearest_point(
    answer: object, at: datetime, *, within: timedelta = NEAR
) -> PricePoint | None:
    """Find the point of a CLOB price history that is nearest to a moment.

    Of two that are as near, the earlier one counts. None where none lies within the window.
    """
    rows = json_list(answer.get("history")) if isinstance(answer, dict) else []
    points = [
        PricePoint(when, paid)
        for row in rows
        if isinstance(row, dict)
        and (when := moment(row.get("t"))) is not None
        and (paid := unit_price(row.get("p"))) is not None
        and abs(when - at) <= within
    ]
    return min(points, key=lambda point: (abs(point.at - at), point.at), default=None)


def end_date(market: Mapping[str, object]) -> tuple[datetime | None, Doubt | None]:
    """Read when a market ends: its own date, else its event's, else none and a doubt."""
    events = [event for event in json_list(market.get("events")) if isinstance(event, dict)]
    for holder in (market, *events[:1]):
        found = moment(holder.get("endDate"))
        if found is not None:
            return found, None
    return None, Doubt.NO_END_DATE


def decisive(prices: Sequence[Price | None], *, least: Decimal = DECISIVE) -> int | None:
    """Say which single outcome a payout vector names: all but one are worth nothing."""
    if len(prices) < 2 or None in prices:  # noqa: PLR2004  one price alone decides nothing
        return None
    winners = [n for n, paid in enumerate(prices) if paid is not None and paid >= least]
    losers = [paid for paid in prices if paid is not None and paid <= 1 - least]
    return winners[0] if len(winners) == 1 and len(losers) == len(prices) - 1 else None


def decide_outcome(
    market: Mapping[str, object], clob: Mapping[str, object] | None = None
) -> Outcome | None:
    """Read the final outcome of a closed market; None means wait and ask again.

    A price near 1 is not yet a result: the oracle must have spoken, or the CLOB must name
    the same winner. A market that is disputed is never decided.

    Args:
        market: Gamma's payload, or the CLOB's.
        clob: The CLOB's payload of the same market, if it was asked as well.

    Returns:
        What a YES share is paid: 1, 0, or 0.5 where both sides get half.
    """
    oracle = market.get("umaResolutionStatus")
    if market.get("closed") is not True or oracle == "disputed":
        return None
    listed, paid = choices(market), json_list(market.get("outcomePrices"))
    if paid and len(paid) != len(listed):
        return None
    winner, yes = decisive([choice.price for choice in listed]), yes_index(listed)
    won = (token for token in _tokens(clob or market) if token.get("winner") is True)
    named = {_text(token.get("outcome")) for token in won}
    if winner is not None:
        agreed = named == {listed[winner].name} or (oracle in FINAL and not named)
        return (YES_WINS if winner == yes else NO_WINS) if agreed else None
    if oracle in FINAL and not named and _halves(listed):
        return Outcome(price(HALF))
    return None


def _since_epoch(since: Decimal) -> datetime | None:
    """Read seconds, milli- or microseconds, told apart by their size."""
    if not -NO_TIME_FROM < since < NO_TIME_FROM:  # abs() would overflow on 1e9999999
        return None
    unit = 1_000_000 if since < MILLIS_FROM else 1_000 if since < MICROS_FROM else 1
    return EPOCH + timedelta(microseconds=int(since * unit))


def _halves(listed: Sequence[Choice]) -> bool:
    near = [c for c in listed if c.price is not None and abs(c.price - HALF) < 1 - DECISIVE]
    return len(near) == len(listed) == 2  # noqa: PLR2004  both sides get half


def _tokens(market: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [token for token in json_list(market.get("tokens")) if isinstance(token, dict)]


def _nth(values: Sequence[object], n: int) -> object:
    return values[n] if n < len(values) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
