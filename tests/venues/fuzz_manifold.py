"""What Manifold's payloads say, read a second time and plainly.

Source: https://docs.manifold.markets/api
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    Level,
    Outcome,
    PricePoint,
    Quote,
    State,
    Status,
)
from arena.records.money import Price
from arena.venues.manifold.venue import Probability
from arena.venues.reading import Listed, Read
from tests.venues.fuzz_plain import (
    Doubt,
    Json,
    amount,
    differ,
    millis,
    no_row,
    number,
    part,
    price,
)
from tests.venues.fuzz_rows import manifold_rows

Row = dict[str, Json]

SAYS: Mapping[str, tuple[str, ...]] = {
    "question": ("market.question",),
    "closeTime": ("market.closes_at", "status.state", "quote"),
    "createdTime": ("market.opens_at",),
    "textDescription": ("market.rules",),
    "description": ("market.rules",),
    "groupSlugs": ("market.category",),
    "url": ("market.url",),
    "slug": ("market.refs",),
    "isResolved": ("status", "quote"),
    "resolution": ("status",),
    "resolutionProbability": ("status",),
    "probability": ("quote", "status"),
    "pool": ("quote",),
    "p": ("quote",),
    "volume": ("quote.volume",),
    "volume24Hours": ("quote.volume_24h",),
    "totalLiquidity": ("quote.liquidity",),
    "outcomeType": (),
    "mechanism": (),
    "token": (),
}
"""What each field of a market's row may change in what is read; no other changes anything."""

LEAST = 0.01  # shares of a side, below which a pool is none
APART, NEAR, ROUNDED = 0.0101, 0.02, 2e-6  # probabilities


def doubts(kind: str, payload: Json, read: Read[object], at: datetime) -> Iterator[Doubt]:
    """Name what was read and is not said."""
    sent = manifold_rows(kind, payload) or []
    for row in read.rows:
        found = [list(_doubts(row, one, at)) for one in sent if _is_of(row, one)]
        yield from min(found, key=len, default=[no_row(row)])


def _is_of(read: object, sent: Json) -> bool:
    match read:
        case Listed():
            return isinstance(sent, dict) and read.market.id == f"manifold:{sent.get('id')}"
        case Probability():
            return isinstance(sent, tuple) and read.market == f"manifold:{sent[0]}"
    return isinstance(sent, dict)


def _doubts(read: object, sent: Json, at: datetime) -> Iterator[Doubt]:
    match read:
        case Listed():
            yield from _listed(read, sent, at)
        case Probability():
            said = price(part(sent[1], "prob"))
            yield from differ([("prob", read.price, said), ("at", read.at, at)])
        case PricePoint() if "prob" in sent:
            yield from differ([("prob", read.price, price(sent["prob"])), ("at", read.at, at)])
        case PricePoint():
            yield from _bet(read, sent)
        case _:
            yield Doubt(outcome=False, why=f"{read!r:.80} is of no known kind")


def _bet(read: PricePoint, row: Row) -> Iterator[Doubt]:
    yield from differ([("at", read.at, millis(row.get("createdTime")))])
    yield from differ([("price", read.price, price(row.get("probAfter")))])
    if row.get("isRedemption") is True or row.get("isFilled") is False or row.get("answerId"):
        yield Doubt(outcome=False, why="a bet that moved nothing gave a price")


def _listed(read: Listed, row: Row, at: datetime) -> Iterator[Doubt]:
    market, quote = read.market, read.quote
    closes, opens = millis(row.get("closeTime")), millis(row.get("createdTime"))
    told = [("closes_at", market.closes_at, closes), ("opens_at", market.opens_at, opens)]
    yield from differ(told)
    yield from _status(read.status, row, at)
    if quote is not None and read.status.state is not State.OPEN:
        yield Doubt(outcome=False, why="what is not open has a price")
    elif quote is not None:
        traded = (quote.volume, quote.volume_24h, quote.liquidity)
        names = ("volume", "volume24Hours", "totalLiquidity")
        said = (amount(row.get(name)) for name in names)
        yield from differ(zip(names, traded, said, strict=True))
        yield from differ([("at", quote.at, at)])
        yield from _curve(quote, row)


def _status(read: Status, row: Row, at: datetime) -> Iterator[Doubt]:
    over, closes = row.get("isResolved"), millis(row.get("closeTime"))
    outcome = _paid(row) if over is True else None
    closed = over is True or (closes is not None and closes <= at)
    state = State.CLOSED_PENDING if closed else State.OPEN
    state = State.RESOLVED if outcome is not None else state
    said = Status(read.market, state, at, outcome, unconfirmed=True)
    if read != said or not isinstance(over, bool):
        yield Doubt(outcome=True, why=f"{read}, and {said} was said")


def _paid(row: Row) -> Outcome | None:
    match row.get("resolution"):
        case "YES":
            return YES_WINS
        case "NO":
            return NO_WINS
        case "CANCEL":
            return VOIDED
        case "MKT":
            named = row.get("resolutionProbability")
            paid = price(row.get("probability") if named is None else named)
            return None if paid is None else Outcome(paid)
    return None


def _curve(quote: Quote, row: Row) -> Iterator[Doubt]:
    """Hold a book to the pool: whoever buys a level leaves y^p * n^(1-p) as it was.

    Source: https://github.com/manifoldmarkets/manifold, common/src/calculate-cpmm.ts.
    """
    values = (part(row, "pool", "YES"), part(row, "pool", "NO"), row.get("p"))
    found = [number(value) for value in values]
    told, sound = (
        price(row.get("probability")),
        [float(one) for one in found if one is not None],
    )
    if len(sound) < len(found) or told is None:
        yield Doubt(outcome=False, why="there is a price, and no pool")
        return
    yes, no, p = sound
    middle = p * no / (p * no + (1 - p) * yes)
    if min(yes, no) < LEAST or abs(middle - float(told)) > APART:
        yield Doubt(outcome=False, why=f"a pool of {yes} and {no} does not give {told}")
    below = 0.0 if quote.bid is None else middle - float(quote.bid)
    above = 0.0 if quote.ask is None else float(quote.ask) - middle
    if not (-ROUNDED < below < NEAR and -ROUNDED < above < NEAR):
        yield Doubt(outcome=False, why=f"{quote.bid} and {quote.ask} are not around {middle}")
    yield from _levels(quote.asks, yes, no, p)
    mirrored = [Level(Price(1 - level.price), level.shares) for level in quote.bids]
    yield from _levels(mirrored, no, yes, 1 - p)


def _levels(levels: Sequence[Level], y: float, n: float, p: float) -> Iterator[Doubt]:
    paid = bought = 0.0
    for level in levels:
        paid += float(level.price * level.shares)
        bought += float(level.shares)
        left = y + paid - bought
        due = math.exp(math.log(y) + (1 - p) / p * (math.log(n) - math.log(n + paid)))
        # a price is rounded up by a millionth at most, which is felt in both sides of a pool
        steep = 1 + (1 - p) / p * due / (n + paid)
        if abs(left - due) > 2e-6 * (1 + bought) * steep + 1e-9 * (y + paid):
            yield Doubt(
                outcome=False, why=f"{bought} shares for {paid} leave {left}, not {due}"
            )
            return
