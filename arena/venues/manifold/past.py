"""What Manifold's payloads say about probabilities: now, and after each bet of the past.

Source: https://docs.manifold.markets/api (`/v0/market-probs`, `/v0/bets`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from arena.records.market import LeftOut, MarketId, PricePoint
from arena.records.money import Price
from arena.venues.manifold.parse import is_own, millis
from arena.venues.reading import market_id, unit_price
from arena.venues.rows import Origin, Read, unreadable


@dataclass(frozen=True, slots=True)
class Probability:
    """What the next, tiny share of YES costs. It stays as it was when a market resolves."""

    market: MarketId
    at: datetime
    price: Price


def probs(payload: object, origin: Origin) -> Read[Probability]:
    """Read the probabilities of several markets, by their ids, from `/v0/market-probs`."""
    if not isinstance(payload, dict):
        return Read(left_out=(unreadable("probs", "the payload is no object"),))
    rows: list[Probability] = []
    left_out: list[LeftOut] = []
    for n, (own, row) in enumerate(payload.items()):
        if not (isinstance(own, str) and is_own(own)):
            left_out.append(unreadable(f"row {n}", "it does not go by the id of a market"))
            continue
        probability = _probability(row, own)
        if isinstance(probability, LeftOut):
            left_out.append(probability)
        else:
            rows.append(Probability(market_id(origin.venue, own), origin.at, probability))
    return Read(tuple(rows), tuple(left_out))


def prob(payload: object, origin: Origin) -> Read[PricePoint]:
    """Read the probability of one market, as `/v0/market/{id}/prob` gives it."""
    probability = _probability(payload, "prob")
    if isinstance(probability, LeftOut):
        return Read(left_out=(probability,))
    return Read((PricePoint(origin.at, probability),))


def bets(payload: object, origin: Origin) -> Read[PricePoint]:  # noqa: ARG001  one of its KINDS
    """Read the probability after each bet of `/v0/bets`, oldest first.

    Orders that still wait for somebody have moved nothing, and neither have pairs of shares
    that were turned back into mana: both are left out.
    """
    if not isinstance(payload, list):
        return Read(left_out=(unreadable("bets", "the payload is no list"),))
    rows: list[PricePoint] = []
    left_out: list[LeftOut] = []
    seen: set[str] = set()
    for n, row in enumerate(payload):
        point = _bet(row, f"row {n}", seen)
        if isinstance(point, LeftOut):
            left_out.append(point)
        else:
            rows.append(point)
    rows.reverse()  # of two in one millisecond the payload names the later first
    return Read(tuple(sorted(rows, key=attrgetter("at"))), tuple(left_out))


def bet_ids(payload: object) -> tuple[str, ...]:
    """Name the bets of a payload in its order: the last one is where the next page begins."""
    rows = payload if isinstance(payload, list) else []
    named = [row.get("id") for row in rows if isinstance(row, dict)]
    return tuple(own for own in named if isinstance(own, str) and own)


def _bet(row: object, place: str, seen: set[str]) -> PricePoint | LeftOut:
    if not isinstance(row, dict):
        return unreadable(place, "it is no object")
    own = row.get("id")
    if not (isinstance(own, str) and is_own(own)):
        return unreadable(place, "id is missing or not of its kind")
    if own in seen:
        return unreadable(own, "it is listed twice")
    seen.add(own)
    if (why := _moves_nothing(row)) is not None:
        return LeftOut(own, why)
    at, after = millis(row.get("createdTime")), unit_price(row.get("probAfter"))
    if at is None or after is None:
        name = "createdTime" if at is None else "probAfter"
        return unreadable(own, f"{name} is missing or not of its kind")
    return PricePoint(at, after)


def _moves_nothing(row: Mapping[str, object]) -> str | None:
    if row.get("isRedemption") is True:
        return "it turns pairs of shares back into mana"
    if row.get("isFilled") is False:
        return "it is an order that is not filled"
    if row.get("answerId") is not None:
        return "it is about one of several answers"
    return None


def _probability(row: object, what: str) -> Price | LeftOut:
    if not isinstance(row, dict):
        return unreadable(what, "it is no object")
    if "prob" not in row and "answerProbs" in row:
        return LeftOut(what, "it has several answers")
    probability = unit_price(row.get("prob"))
    return (
        unreadable(what, "prob is missing or not in [0, 1]")
        if probability is None
        else probability
    )
