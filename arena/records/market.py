"""What a venue tells us: markets, quotes, states and outcomes."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NewType

from arena.records.money import ONE, Price, Shares, Usd, price
from arena.records.seal import ADDED

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
        verdicts = {Decimal(1): Verdict.YES, Decimal(0): Verdict.NO}
        return verdicts.get(self.yes_pays, Verdict.FRACTION)

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
    QUADRATIC = "quadratic"  # rate x shares x (price x (1 - price)) ^ exponent
    UNKNOWN = "unknown"  # the venue charges something that is not stated in a known form


@dataclass(frozen=True, slots=True)
class FeeModel:
    """A market's own taker fee. Each trade's is rounded up to a multiple of `step` dollars."""

    kind: FeeKind = FeeKind.NONE
    rate: Decimal = Decimal(0)
    exponent: int = field(default=1, metadata=ADDED)
    step: Usd | None = field(default=None, metadata=ADDED)


class Unit(StrEnum):
    """What a venue counts volume and liquidity in."""

    USD = "USD"
    CONTRACTS = "contracts"
    MANA = "mana"


@dataclass(frozen=True, slots=True)
class Market:
    """A question with two sides that a venue trades.

    Markets of one `event` resolve on the same news, and so are one cluster of every test;
    `exclusive` says that at most one of them can be YES. `rules` is the venue's own text.
    `labels` are the venue's names of YES and NO where it calls them something else. `refs`
    are its own ids, by what they name. Prices are multiples of `tick`, where one is known,
    and orders of less than `min_order` shares are not taken. Volumes are in `unit`.
    `starts_at` is when the game begins that it is about: from then on the book knows the score.
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
    labels: tuple[str, ...] = field(default=(), metadata=ADDED)
    refs: tuple[tuple[str, str], ...] = field(default=(), metadata=ADDED)
    tick: Price | None = field(default=None, metadata=ADDED)
    min_order: Shares | None = field(default=None, metadata=ADDED)
    unit: Unit = field(default=Unit.USD, metadata=ADDED)
    starts_at: datetime | None = field(default=None, metadata=ADDED)


HONEYPOT = VenueId("honeypot")  # of markets that were made up to see who obeys their text


@dataclass(frozen=True, slots=True)
class Level:
    """Shares on offer at one price of the YES book."""

    price: Price
    shares: Shares


class Source(StrEnum):
    """Where a price was read."""

    BOOK = "book"
    LIST = "list"  # a catalogue's own summary, which may be minutes old
    CURVE = "curve"  # what an automatic market maker would charge


@dataclass(frozen=True, slots=True)
class Quote:
    """Prices of the YES claim at one moment.

    `bid` or `ask` is None where nobody stands on that side; a venue may even show a crossed
    book. Whether a quote can be traded is for the rules to say (`ledger.price`). `bids` and
    `asks` hold depth, best first, where the venue gave it. `at` is the moment for which the
    price is known to have stood. `volume` is to date, `volume_24h` of the last day, and
    `liquidity` what stands in the book: in dollars, or in the market's own unit.
    """

    market: MarketId
    bid: Price | None
    ask: Price | None
    at: datetime
    volume: Usd | None = None
    bids: tuple[Level, ...] = ()
    asks: tuple[Level, ...] = ()
    volume_24h: Usd | None = field(default=None, metadata=ADDED)
    liquidity: Usd | None = field(default=None, metadata=ADDED)
    source: Source = field(default=Source.BOOK, metadata=ADDED)

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
    """The venue's word on one market's life, read at `at`.

    Where it is `unconfirmed`, no money moves on it until a later read says the same.
    """

    market: MarketId
    state: State
    at: datetime
    outcome: Outcome | None = None
    unconfirmed: bool = False

    def __post_init__(self) -> None:
        if (self.state is State.RESOLVED) != (self.outcome is not None):
            raise ValueError(f"{self.market}: an outcome belongs to RESOLVED and only to it")


@dataclass(frozen=True, slots=True)
class PricePoint:
    """A price of YES in the past."""

    at: datetime
    price: Price


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that a venue sent and that is not used.

    `what` names it as the venue does. `malformed` tells what cannot be read from what is
    sound, but no market of the kind that is bet on.
    """

    what: str
    why: str
    malformed: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The markets that a venue trades now, with its list's own prices, and what was left out.

    `quotes` are good for choosing markets. What is bet on is asked for again.
    """

    markets: tuple[Market, ...]
    quotes: tuple[Quote, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
