"""What happened to money: fills, entries of the journal, positions and marks."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from arena.records.answer import Trouble
from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.decision import Action, BetId, Dropped, Forecast
from arena.records.market import MarketId, Outcome, Side, VenueId
from arena.records.money import ZERO_SHARES, ZERO_USD, Price, Shares, Usd, usd
from arena.records.seal import ADDED, Seal


class UnbalancedEntryError(ValueError):
    """An entry's postings do not add up to zero: a defect in this program."""


class Book(StrEnum):
    """The kinds of account a contestant has in a cohort.

    Cash never goes below zero. When a venue takes back a payout that has been spent, the
    rest is OWED, and the next dollars that come in repay it first.
    """

    CASH = "cash"
    OWED = "owed"
    POSITION = "position"
    FEES = "fees"
    PROFIT = "profit"
    CAPITAL = "capital"


@dataclass(frozen=True, slots=True)
class Account:
    """A column of the ledger; `market` and `side` are set for POSITION only."""

    book: Book
    market: MarketId | None = None
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class Posting:
    """One leg of an entry: dollars into (+) or out of (-) an account, and shares likewise."""

    account: Account
    amount: Usd
    shares: Shares = ZERO_SHARES


@dataclass(frozen=True, slots=True)
class Opened:
    """A cohort began under `spec`, whose canonical JSON has this SHA-256."""

    spec: CohortSpec
    digest: str


@dataclass(frozen=True, slots=True)
class Funded:
    """A contestant got its opening cash."""

    amount: Usd


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """A round was laid out: these markets, in this order, under one digest.

    `seed` orders and names them for the contestants; an early journal has none. `context` is
    the SHA-256 of the documents on the tape, empty where the cohort agreed on none.
    """

    round: int
    offered: tuple[MarketId, ...]
    digest: str
    seed: str = field(default="", metadata=ADDED)
    context: str = field(default="", metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Refused:
    """An order that was turned down, as the journal keeps it."""

    market: MarketId
    side: Side
    amount: Decimal
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a contestant's turn went, beside what it decided.

    `calls` were put to its model, one where it asked by itself and says what that took;
    `reasks` of them because a reply could not be read. How often each was tried is on the
    tape, as it is the network's matter. `repaired` replies
    needed their syntax mended. `dropped` orders were left out before the rules were asked.
    `against` are markets on which it bet the side that its own probability calls too dear.
    `halved` says that what was refused or too long was asked for in two halves. `bait`
    says whether it did what the honeypot's text told it to; None where there was none, or no
    words.
    """

    calls: int = 0
    reasks: int = 0
    repaired: int = 0
    dropped: tuple[Dropped, ...] = ()
    against: tuple[MarketId, ...] = ()
    halved: bool = False
    bait: bool | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A contestant's answer was read and judged. `failure` is None when it could be read.

    One that was withdrawn by whoever runs the arena did not fail: its turn counts as none.
    """

    round: int
    action: Action | None
    forecasts: tuple[Forecast, ...]
    refused: tuple[Refused, ...]
    accepted: int
    failure: str | None = None
    conduct: Conduct = field(default=Conduct(), metadata=ADDED)

    @property
    def is_withdrawn(self) -> bool:
        """Whether it was not played, because its contestant was withdrawn."""
        return Trouble.of(self.failure) is Trouble.WITHDRAWN


@dataclass(frozen=True, slots=True)
class Fill:
    """A bet that traded. `cost` leaves the contestant's cash; `fee` is charged on top of it.

    `cap` is the largest stake when the decision started, `base` the cash that confidence is
    measured against; `confidence` and the three probabilities of YES follow from them. The
    stated one is None where the contestant wrote down no probability for the market.
    `spoken` is the market's own mid price at that moment. Where the bet walked down a book
    it met `levels` prices, of which the first was `best`.
    """

    bet: BetId
    round: int
    market: MarketId
    side: Side
    shares: Shares
    price: Price
    cost: Usd
    fee: Usd
    cap: Usd
    base: Usd
    confidence: float
    linear: float
    kelly: float
    stated: float | None
    spoken: Price | None
    levels: int = field(default=0, metadata=ADDED)
    best: Price | None = field(default=None, metadata=ADDED)

    @property
    def slippage(self) -> Usd | None:
        """Dollars paid beyond the best price, for all shares; None where none was walked."""
        return None if self.best is None else Usd(self.cost - usd(self.shares * self.best))


@dataclass(frozen=True, slots=True)
class SoldFill:
    """A sale that traded: `proceeds` come in, `basis` is the cost that leaves the books.

    `levels` and `best` are those of a `Fill`.
    """

    bet: BetId
    round: int
    market: MarketId
    side: Side
    shares: Shares
    price: Price
    proceeds: Usd
    basis: Usd
    fee: Usd
    levels: int = field(default=0, metadata=ADDED)
    best: Price | None = field(default=None, metadata=ADDED)

    @property
    def slippage(self) -> Usd | None:
        """Dollars lost against the best price, for all shares; None where none was walked."""
        return None if self.best is None else Usd(usd(self.shares * self.best) - self.proceeds)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A venue's final word on a market. Revision 1 is the first word, a later one a change.

    `outcome` is None where a venue took its word back and said nothing new.
    """

    market: MarketId
    revision: int
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class Settled:
    """A position was paid out on `revision` of its market's resolution."""

    market: MarketId
    side: Side
    revision: int
    shares: Shares
    cost: Usd
    payout: Usd
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Reversed:
    """A settlement was taken back, leg by leg, because its venue changed its mind."""

    market: MarketId
    side: Side
    revision: int
    shares: Shares
    cost: Usd
    payout: Usd


@dataclass(frozen=True, slots=True)
class Marked:
    """Every open position of a cohort was valued at this moment."""


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """Every contestant's turn of a round has been judged."""

    round: int


@dataclass(frozen=True, slots=True)
class Completed:
    """A cohort's window is over, a decision succeeded and nothing is open."""


@dataclass(frozen=True, slots=True)
class Reopened:
    """A complete cohort has open positions again, because a settlement was taken back."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A version of a seal was laid down; `digest` is the SHA-256 of its canonical JSON."""

    seal: Seal
    digest: str


@dataclass(frozen=True, slots=True)
class Restored:
    """An older database took the place of one whose pages were published, and was accepted.

    Up to `entry` the site showed another history, which ended with the digest `head`. `kept`
    is the last entry that was published and is here too; 0 where there is none.
    """

    entry: int
    head: str
    kept: int


@dataclass(frozen=True, slots=True)
class AdapterSet:
    """From now on a venue is read by `adapter`, whose options have the SHA-256 `options`.

    `cohorts` began while it was read in another way; 0 where it is the first that is known.
    """

    venue: VenueId
    adapter: str
    options: str
    cohorts: int = 0


Event = (
    Opened
    | Funded
    | RoundOpened
    | Turn
    | Fill
    | SoldFill
    | Resolved
    | Settled
    | Reversed
    | Marked
    | RoundClosed
    | Completed
    | Reopened
    | Sealed
    | Restored
    | AdapterSet
)

# What an entry is called in the journal, for ever.
KINDS: dict[str, type] = {
    "opened": Opened,
    "funded": Funded,
    "round": RoundOpened,
    "turn": Turn,
    "fill": Fill,
    "sale": SoldFill,
    "resolved": Resolved,
    "settled": Settled,
    "reversed": Reversed,
    "marked": Marked,
    "round closed": RoundClosed,
    "completed": Completed,
    "reopened": Reopened,
    "sealed": Sealed,
    "restored": Restored,
    "adapter set": AdapterSet,
}
KIND_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Entry:
    """A dated event of the journal, with postings that add up to zero.

    `id` follows from the content, so that writing an entry twice is harmless. `cohort` is
    None for what concerns a market alone, a seal or the whole arena, `contestant` for what
    concerns a cohort alone.
    """

    id: str
    at: datetime
    event: Event
    cohort: CohortId | None = None
    contestant: ContestantId | None = None
    postings: tuple[Posting, ...] = ()

    def __post_init__(self) -> None:
        total = sum((p.amount for p in self.postings), Decimal(0))
        if total:
            raise UnbalancedEntryError(f"entry {self.id} is off by {total}")


class PositionState(StrEnum):
    """What became of a position."""

    OPEN = "OPEN"
    EXITED = "EXITED"
    WON = "WON"
    LOST = "LOST"
    PAID = "PAID"  # a fraction
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class Position:
    """Shares held on one side of a market and what they cost.

    `number` counts the positions a contestant had on that side, from 1: a side that was
    sold out and bought again is a new position. `proceeds` and `realised` are dollars that
    sales and settlement have brought so far, and their profit over cost.
    """

    cohort: CohortId
    contestant: ContestantId
    market: MarketId
    side: Side
    shares: Shares
    cost: Usd
    number: int = 1
    state: PositionState = PositionState.OPEN
    proceeds: Usd = ZERO_USD
    realised: Usd = ZERO_USD

    @property
    def average(self) -> Decimal | None:
        """Dollars paid a share; None when nothing is held."""
        return self.cost / self.shares if self.shares else None


@dataclass(frozen=True, slots=True)
class Mark:
    """A position valued: what selling it would bring, and its worth at the middle of the book.

    A value is None where no quote is young enough, or nobody stands on that side.
    """

    position: Position
    bid: Usd | None
    mid: Usd | None
    quoted_at: datetime | None
