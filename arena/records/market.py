"""What a venue tells us: markets, quotes, states and outcomes."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NewType

from arena.records.money import ONE, Price, Shares, Usd, price

MarketId = NewType("MarketId", str)
EventId = NewType("EventId", str)
VenueId = NewType("VenueId", str)


class Side(StrEnum):
    """Which of a market's two claims a share is on."""

    YES = "YES"
    NO = "NO"

    @property
    def other(self) -> "Side":
        """The opposite claim."""
        return Side.NO if self is Side.YES else Side.YES


class State(StrEnum):
    """Where a market is in its life. Only RESOLVED carries an outcome that may be settled."""

    OPEN = "OPEN"
    HALTED = "HALTED"
    CLOSED_PENDING = "CLOSED_PENDING"
    PROPOSED = "PROPOSED"
    DISPUTED = "DISPUTED"
    RESOLVED = "RESOLVED"
    UNKNOWN = "UNKNOWN"


class Verdict(StrEnum):
    """The kind of an outcome."""

    YES = "YES"
    NO = "NO"
    FRACTION = "FRACTION"
    VOID = "VOID"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a YES share is paid, in dollars; None is VOID: what is still held costs nothing."""

    yes_pays: Price | None

    @property
    def verdict(self) -> Verdict:
        """YES, NO, FRACTION or VOID."""
        if self.yes_pays is None:
            return Verdict.VOID
        whole = {Decimal(1): Verdict.YES, Decimal(0): Verdict.NO}
        return whole.get(self.yes_pays, Verdict.FRACTION)

    @property
    def truth(self) -> int | None:
        """1 for YES and 0 for NO; None where a forecast cannot be scored."""
        return {Verdict.YES: 1, Verdict.NO: 0}.get(self.verdict)

    def pays(self, side: Side) -> Price | None:
        """Dollars that one share of `side` is paid, or None for VOID."""
        if self.yes_pays is None or side is Side.YES:
            return self.yes_pays
        return Price(ONE - self.yes_pays)


YES_WINS = Outcome(price(1))
NO_WINS = Outcome(price(0))
VOIDED = Outcome(None)


class FeeKind(StrEnum):
    """How a venue's taker fee follows from a trade."""

    NONE = "none"
    NOTIONAL = "notional"  # rate x dollars traded
    QUADRATIC = "quadratic"  # rate x shares x price x (1 - price)


@dataclass(frozen=True, slots=True)
class FeeModel:
    """A market's own taker fee."""

    kind: FeeKind = FeeKind.NONE
    rate: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Market:
    """A question with two sides that a venue trades.

    Markets of one `event` resolve on the same news, and so are one cluster of every test;
    `exclusive` says that at most one of them can be YES. `rules` is the venue's own text.
    """

    id: MarketId
    venue: VenueId
    event: EventId
    question: str
    closes_at: datetime | None = None
    opens_at: datetime | None = None
    exclusive: bool = False
    rules: str = ""
    category: str = ""
    url: str = ""
    fee: FeeModel = FeeModel()


HONEYPOT = VenueId("honeypot")  # of markets that were made up to see who obeys their text


@dataclass(frozen=True, slots=True)
class Level:
    """Shares on offer at one price of the YES book."""

    price: Price
    shares: Shares


@dataclass(frozen=True, slots=True)
class Quote:
    """Prices of the YES claim at one moment.

    `bid` or `ask` is None where nobody stands on that side; a venue may even show a crossed
    book. Whether a quote can be traded is for the rules to say (`ledger.price`). `bids` and
    `asks` hold depth, best first, where the venue gave it. `volume` is in dollars to date.
    """

    market: MarketId
    bid: Price | None
    ask: Price | None
    at: datetime
    volume: Usd | None = None
    bids: tuple[Level, ...] = ()
    asks: tuple[Level, ...] = ()

    @property
    def mid(self) -> Price | None:
        """The middle of the YES spread: the market's own forecast; None if one-sided."""
        if self.bid is None or self.ask is None:
            return None
        return price((self.bid + self.ask) / 2)

    def buy(self, side: Side) -> Price | None:
        """What a buyer pays now: the ask, or for NO the complement of the bid."""
        if side is Side.YES:
            return self.ask
        return None if self.bid is None else Price(ONE - self.bid)

    def sell(self, side: Side) -> Price | None:
        """What a seller gets now: the bid, or for NO the complement of the ask."""
        if side is Side.YES:
            return self.bid
        return None if self.ask is None else Price(ONE - self.ask)


@dataclass(frozen=True, slots=True)
class Status:
    """The venue's word on one market's life, read at `at`."""

    market: MarketId
    state: State
    at: datetime
    outcome: Outcome | None = None

    def __post_init__(self) -> None:
        if (self.state is State.RESOLVED) != (self.outcome is not None):
            raise ValueError(f"{self.market}: an outcome belongs to RESOLVED and only to it")
