"""Manifold's bets: what has moved a probability.

Source: https://docs.manifold.markets/api (`/v0/bets`).
"""

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise

from arena.records.money import Price
from tests.standins.venues.dialect import EPOCH, draw, hex_id, millis
from tests.standins.venues.manifold_rows import Row, own_id
from tests.standins.venues.world import WorldMarket, WorldView

NO_FEES = {"creatorFee": 0, "platformFee": 0, "liquidityFee": 0}
REDEEMED_EVERY, WAITS_EVERY = 7, 11  # hours


def bets(market: WorldMarket, view: WorldView) -> list[Row]:
    """Give one bet of every hour, the newest first.

    Among them are pairs of shares that were turned back into mana, and orders that nobody
    has filled: neither moves the probability.
    """
    points = view.history(market.number, EPOCH, view.at)
    rows: list[Row] = []
    for hour, ((_, before), (at, after)) in enumerate(pairwise(points), start=1):
        rows += _of_hour(market, hour, at, (before, after))
    return rows[::-1]


def _of_hour(
    market: WorldMarket, hour: int, at: datetime, moved: tuple[Price, Price]
) -> Iterable[Row]:
    yield _bet(market, ("bet", hour), at, moved)
    still = (moved[1], moved[1])
    if hour % REDEEMED_EVERY == 0:
        yield _bet(market, ("redeemed", hour), at, still) | {"isRedemption": True}
    if hour % WAITS_EVERY == 0:
        waits: Row = {"isFilled": False, "amount": 0, "shares": 0, "fills": []}
        yield _bet(market, ("waits", hour), at, still) | {"limitProb": 0.01} | waits


def _bet(
    market: WorldMarket, what: tuple[object, ...], at: datetime, moved: tuple[Price, Price]
) -> Row:
    before, after = (float(one) for one in moved)
    amount = 1 + int(draw("amount", market.number, *what) * 99)
    shares = amount / max(after, 0.01)
    return {
        "id": hex_id(20, market.number, *what),
        "contractId": own_id(market.number),
        "userId": hex_id(28, "user", market.number, *what),
        "createdTime": millis(at) + int(draw("ms", market.number, *what) * 1000),
        "amount": amount,
        "orderAmount": amount,
        "shares": shares,
        "outcome": "YES" if after >= before else "NO",
        "probBefore": before,
        "probAfter": after,
        "fees": NO_FEES,
        "fills": [{"amount": amount, "shares": shares, "timestamp": millis(at)}],
        "isFilled": True,
        "isCancelled": False,
        "isRedemption": False,
        "isApi": False,
        "loanAmount": 0,
    }
