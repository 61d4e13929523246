"""Where a market is in its life, by its own row and never by its price.

Source:
    https://docs.kalshi.com/api-reference/market/get-market: the values of `status`. Only
    "finalized" is the last word; what is "determined" or "amended" can still be disputed.
"""

from decimal import Decimal

from arena.records.market import NO_WINS, YES_WINS, MarketId, Outcome, State, Status
from arena.records.money import Price
from arena.venues.kalshi.fields import Row, price_text, word
from arena.venues.reading import text
from arena.venues.rows import Origin

FINAL = "finalized"
HAS_A_RESULT = frozenset({"determined", "amended"})
RESULTS = frozenset({"yes", "no", "scalar"})

_STATES = {
    "initialized": State.HALTED,
    "inactive": State.HALTED,
    "paused": State.HALTED,
    "active": State.OPEN,
    "closed": State.CLOSED_PENDING,
    "determined": State.CLOSED_PENDING,
    "amended": State.CLOSED_PENDING,
    "disputed": State.DISPUTED,
}


def status_of(row: Row, market: MarketId, origin: Origin) -> Status:
    """Read a market's state and, where it is final, its outcome.

    A finalized market whose result and value are missing or disagree is closed and waits. One
    that has a result which is not final yet has a proposed outcome.

    Raises:
        SkipError: It has no status.
    """
    said = word(row, "status")
    if said == FINAL:
        outcome = outcome_of(row)
        state = State.CLOSED_PENDING if outcome is None else State.RESOLVED
        return Status(market, state, origin.at, outcome, unconfirmed=True)
    state = _STATES.get(said, State.UNKNOWN)
    if said in HAS_A_RESULT and text(row.get("result")) in RESULTS:
        state = State.PROPOSED
    return Status(market, state, origin.at, unconfirmed=True)


def outcome_of(row: Row) -> Outcome | None:
    """Read what a finalized market pays; None where its fields do not agree.

    The result alone is not enough: with a settlement floor the losing side is paid too.
    """
    result, value = row.get("result"), price_text(row.get("settlement_value_dollars"))
    if value is None or not isinstance(result, str) or result not in RESULTS:
        return None
    if result == "scalar" or Decimal(0) < value < Decimal(1):
        return Outcome(Price(value))
    agreed = YES_WINS if value else NO_WINS
    return agreed if (result == "yes") == (agreed is YES_WINS) else None
