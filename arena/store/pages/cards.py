"""What the pages are told: rows of the store as records."""

import json
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.market import MarketId, Quote, Side, VenueId
from arena.records.money import (
    Price,
    Shares,
    Usd,
    price_from_micro,
    shares_from_micro,
    usd_from_micro,
)
from arena.records.trade import Position
from arena.store.codec import from_plain, read_moment
from arena.store.sqlite import Row


@dataclass(frozen=True, slots=True)
class CohortCard:
    """A cohort; `number` counts cohorts from 1 in the order they started."""

    number: int
    id: CohortId
    spec: CohortSpec
    digest: str
    started_at: datetime
    ends_at: datetime
    complete_at: datetime | None


@dataclass(frozen=True, slots=True)
class RoundCard:
    """A round, and how many of its turns could be read."""

    number: int
    at: datetime
    offered: tuple[MarketId, ...]
    digest: str
    closed: bool
    ok: int
    failed: int


@dataclass(frozen=True, slots=True)
class MarketCard:
    """A market that was offered; `number` counts markets from 1 in the order they were."""

    number: int
    id: MarketId
    venue: VenueId


@dataclass(frozen=True, slots=True)
class Deal:
    """A fill or a sale. What a stake says of its owner's belief is None for a sale.

    `dollars` is the stake or the proceeds, without the fee.
    """

    entry: int
    cohort: CohortId
    contestant: ContestantId
    at: datetime
    market: MarketId
    side: Side
    shares: Shares
    price: Price
    dollars: Usd
    fee: Usd
    sold: bool
    confidence: float | None = None
    linear: float | None = None
    kelly: float | None = None
    stated: float | None = None
    round: int = 0


@dataclass(frozen=True, slots=True)
class OpenPosition:
    """An open position and when its cohort was last valued."""

    position: Position
    marked_at: datetime | None


@dataclass(frozen=True, slots=True)
class FailedTurn:
    """A turn that came to no decision, or to only a part of one, and why."""

    contestant: ContestantId
    cohort: CohortId
    round: int
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A book as it was read at `at`."""

    at: datetime
    quote: Quote


@dataclass(frozen=True, slots=True, order=True)
class TurnId:
    """Which turn is meant: whose, and of which round."""

    cohort: CohortId
    round: int
    contestant: ContestantId


@dataclass(frozen=True, slots=True)
class Changes:
    """What pages may show differently."""

    cohorts: tuple[CohortId, ...]
    markets: tuple[MarketId, ...]
    turns: tuple[TurnId, ...] = ()


@lru_cache(maxsize=64)
def _spec(text: str) -> CohortSpec:
    spec: CohortSpec = from_plain(CohortSpec, json.loads(text))
    return spec


def read_cohort(row: Row) -> CohortCard:
    """Read a row of `cohorts` with its rowid."""
    done = row["complete_at"]
    return CohortCard(
        row["rowid"],
        CohortId(row["cohort"]),
        _spec(row["spec"]),
        row["digest"],
        read_moment(row["started_at"]),
        read_moment(row["window_ends_at"]),
        read_moment(done) if done else None,
    )


def read_round(row: Row, turns: Row | None) -> RoundCard:
    """Read a row of `rounds`, and the count of its turns if any was judged."""
    return RoundCard(
        row["round"],
        read_moment(row["at"]),
        tuple(MarketId(m) for m in json.loads(row["offered"])),
        row["digest"],
        bool(row["closed"]),
        turns["ok"] if turns else 0,
        turns["failed"] if turns else 0,
    )


def read_market(row: Row) -> MarketCard:
    """Read a row of `watched` with its rowid."""
    return MarketCard(row["rowid"], MarketId(row["market"]), VenueId(row["venue"]))


def _deal(row: Row, dollars: str, *, sold: bool) -> Deal:
    believed = () if sold else (row["confidence"], row["linear"], row["kelly"], row["stated"])
    confidence, linear, kelly, stated = believed or (None,) * 4
    return Deal(
        row["entry"],
        CohortId(row["cohort"]),
        ContestantId(row["contestant"]),
        read_moment(row["at"]),
        MarketId(row["market"]),
        Side(row["side"]),
        shares_from_micro(row["shares_micro"]),
        price_from_micro(row["price_micro"]),
        usd_from_micro(row[dollars]),
        usd_from_micro(row["fee_micro"]),
        sold,
        confidence,
        linear,
        kelly,
        stated,
        row["round"],
    )


def read_fill(row: Row) -> Deal:
    """Read a row of `fills`."""
    return _deal(row, "cost_micro", sold=False)


def read_sale(row: Row) -> Deal:
    """Read a row of `sales`."""
    return _deal(row, "proceeds_micro", sold=True)


def read_failed(row: Row) -> FailedTurn:
    """Read a row of `turns` that has a failure."""
    return FailedTurn(
        ContestantId(row["contestant"]),
        CohortId(row["cohort"]),
        row["round"],
        read_moment(row["at"]),
        row["failure"],
    )


def read_seen(row: Row, again: datetime | None = None) -> Seen:
    """Read a row of `tape_quotes`, without its depth, or a reading that found it unchanged."""
    bid, ask = (
        None if row[side] is None else price_from_micro(row[side])
        for side in ("bid_micro", "ask_micro")
    )
    volume, liquidity = (
        None if row[amount] is None else usd_from_micro(row[amount])
        for amount in ("volume_micro", "liquidity_micro")
    )
    quoted_at = again or read_moment(row["quoted_at"])
    quote = Quote(MarketId(row["market"]), bid, ask, quoted_at, volume, liquidity=liquidity)
    return Seen(again or read_moment(row["seen_at"]), quote)
