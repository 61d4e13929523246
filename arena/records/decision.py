"""What a contestant wants, and what the rules said to it."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import NewType

from arena.records.market import MarketId, Side
from arena.records.money import Usd

BetId = NewType("BetId", str)


class Action(StrEnum):
    """What a decision does."""

    BET = "BET"
    SELL = "SELL"
    HOLD = "HOLD"


@dataclass(frozen=True, slots=True)
class Forecast:
    """A stated probability that a market resolves YES, in [0, 1]."""

    market: MarketId
    probability: float


@dataclass(frozen=True, slots=True)
class Bet:
    """A wish to spend `stake` dollars on one side of a market."""

    id: BetId
    market: MarketId
    side: Side
    stake: Usd


@dataclass(frozen=True, slots=True)
class Sale:
    """A wish to sell `percent` of what is held on one side of a market."""

    id: BetId
    market: MarketId
    side: Side
    percent: Decimal


class Status(StrEnum):
    """What became of a reply's words."""

    OK = "ok"
    REPAIRED = "repaired"
    REJECT = "reject"


class Drop(StrEnum):
    """Why an order that a reply states is not one of its decision."""

    UNKNOWN_MARKET = "unknown_market"
    BAD_SIDE = "bad_side"
    BAD_AMOUNT = "bad_amount"
    NON_POSITIVE_AMOUNT = "non_positive_amount"
    OVER_BUDGET = "over_budget"
    OVER_CAP = "over_cap"
    DUPLICATE_ORDER = "duplicate_order"
    CONFLICTING_ORDER = "conflicting_order"
    NOT_AN_OBJECT = "bet_not_object"


@dataclass(frozen=True, slots=True)
class Dropped:
    """An order that was left out: its place in the list, from 0, and why."""

    index: int
    reason: Drop
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """One contestant's answer to one briefing, as its words say it."""

    action: Action
    forecasts: tuple[Forecast, ...] = ()
    bets: tuple[Bet, ...] = ()
    sales: tuple[Sale, ...] = ()
    reasoning: str = ""


class Refusal(StrEnum):
    """Why the rules turned an order down."""

    NOT_OFFERED = "the market is not on offer"
    CLOSED = "the market is closed"
    NOT_POSITIVE = "the amount must be positive"
    TOO_SMALL = "the stake is below the smallest bet"
    TOO_LARGE = "the stake exceeds the largest bet"
    NO_CASH = "not enough cash"
    NO_QUOTE = "there is no quote"
    ONE_SIDED = "nobody stands on the other side of the book"
    CROSSED = "the book is crossed"
    WIDE = "the spread is too wide"
    STALE = "the quote is too old"
    NO_PRICE = "the price leaves nothing to win"
    THIN = "the book is too thin for the stake"
    BELOW_LOT = "the venue takes no order that small"
    NOT_HELD = "there is no such position"
    BAD_PERCENT = "a sale is of more than 0 and at most 100 percent"
    BATCH_TOO_LARGE = "the stakes together exceed the largest bet"
    BATCH = "another order of the same decision was refused"


@dataclass(frozen=True, slots=True)
class Rejection:
    """An order that the rules turned down: an outcome, not an error."""

    order: Bet | Sale
    reason: Refusal
    detail: str = ""
