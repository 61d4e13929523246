"""What the pages are told: rows of the store as records."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.market import MarketId, Quote, Side, VenueId
from arena.records.money import Price, Shares, Usd
from arena.records.trade import Position
from arena.store.caches import read_spec
from arena.store.codec import read_moment, read_row
from arena.store.sqlite import Row
from arena.store.tape.quotes import read_quote

T = TypeVar("T")


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


def by_contestant(
    rows: Iterable[Row], read: Callable[[Row], T]
) -> Mapping[ContestantId, tuple[T, ...]]:
    """What rows say of each contestant, in their order; who is in none is left out."""
    told: defaultdict[ContestantId, list[T]] = defaultdict(list)
    for row in rows:
        told[ContestantId(row["contestant"])].append(read(row))
    return {who: tuple(each) for who, each in told.items()}


def read_cohort(row: Row) -> CohortCard:
    """Read a row of `cohorts`, with its rowid as `number`."""
    return read_row(CohortCard, row, spec=read_spec(row["spec"]))


def read_seen(row: Row, again: datetime | None = None) -> Seen:
    """Read a row of `tape_quotes`, without its depth, or a reading that found it unchanged."""
    quote = read_quote(row, again or read_moment(row["quoted_at"]), depth=False)
    return Seen(again or read_moment(row["seen_at"]), quote)
