"""Short builders: a test states only what it is about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from arena.ledger.journal import book_fill, book_sale, fund, reverse, settle
from arena.ledger.mark import MarkedPositions, mark_to_market, total_value
from arena.ledger.order_limits import DecisionDesk, Judgement, Tradable, judge
from arena.ledger.positions import all_positions, balances
from arena.records.cohort import (
    BatchRule,
    Cadence,
    CohortId,
    CohortSpec,
    ConfidenceBase,
    ContestantId,
    FeeRule,
    FillRule,
    MarkRule,
    Rules,
    Start,
    Universe,
)
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale
from arena.records.estimate import Sided
from arena.records.market import (
    EventId,
    FeeModel,
    Level,
    Market,
    MarketId,
    Outcome,
    Quote,
    Side,
    VenueId,
)
from arena.records.money import Price, Usd, price, shares, usd
from arena.records.seal import Family, Grading, Named, Registered, Registration
from arena.records.trade import Book, Entry, Position, Settled

T0 = datetime(2026, 1, 5, tzinfo=UTC)  # a Monday
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
HERE = VenueId("here")
RAIN, SNOW, HAIL = MARKETS = (MarketId("rain"), MarketId("snow"), MarketId("hail"))
ADA, BEN = ContestantId("ada"), ContestantId("ben")
COHORT = CohortId("c")
NO_FEE = FeeModel()

# What Forecaster Arena did, and what its known answers are made with.
PEERS = Rules(
    confidence_base=ConfidenceBase.SEQUENTIAL,
    fill=FillRule.MID,
    fees=FeeRule.NONE,
    batch=BatchRule.ATOMIC,
    mark=MarkRule.MID,
)
PENNIES = replace(PEERS, min_bet=usd(1))

# A grading that a test can seal, and change, whatever the arena's own is.
GRADING = Grading(
    Registration(
        (Named("epsilon", "1e-06"), Named("resamples", "9999")),
        (Family("pairs", 0.05, "Holm"),),
        (Registered("pairs", "forecast", "no difference", Sided.TWO, "CR1", "pairs"),),
    ),
    code="c0de",
    libraries=(Named("numpy", "2.0.0"),),
)


def at(hours: float = 0) -> datetime:
    return T0 + timedelta(hours=hours)


def market(name: MarketId = RAIN, fee: FeeModel = NO_FEE, event: str = "") -> Market:
    return Market(name, HERE, EventId(event or name), f"Will there be {name}?", fee=fee)


def quote(
    bid: str | None = "0.38",
    ask: str | None = "0.40",
    *,
    name: MarketId = RAIN,
    hours: float = 0,
) -> Quote:
    return Quote(name, _price(bid), _price(ask), at(hours))


def at_price(of_yes: str, name: MarketId = RAIN, hours: float = 0) -> Quote:
    """A quote without a spread."""
    return quote(of_yes, of_yes, name=name, hours=hours)


def with_depth(
    bids: Iterable[tuple[str, str]], asks: Iterable[tuple[str, str]], name: MarketId = RAIN
) -> Quote:
    """A quote with a book: prices of YES and shares, best first."""
    bought, sold = (tuple(Level(price(p), shares(n)) for p, n in side) for side in (bids, asks))
    best = [side[0].price if side else None for side in (bought, sold)]
    return Quote(name, best[0], best[1], T0, bids=bought, asks=sold)


def bet(stake: str | int, side: Side = Side.YES, name: MarketId = RAIN, n: int = 1) -> Bet:
    return Bet(BetId(f"c/1/ada/{n}"), name, side, usd(stake))


def sale(percent: str | int, side: Side = Side.YES, name: MarketId = RAIN, n: int = 1) -> Sale:
    return Sale(BetId(f"c/1/ada/{n}"), name, side, Decimal(percent))


def bets(*stakes: str | int, side: Side = Side.YES) -> tuple[Bet, ...]:
    """Bets on one market, numbered in the order given."""
    return tuple(bet(stake, side, n=n) for n, stake in enumerate(stakes, 1))


def deciding(*orders: Bet | Sale, stated: Mapping[MarketId, float] = {}) -> Decision:
    selling = tuple(o for o in orders if isinstance(o, Sale))
    buying = tuple(o for o in orders if isinstance(o, Bet))
    action = Action.SELL if selling else Action.BET
    said = tuple(Forecast(name, p) for name, p in stated.items())
    return Decision(action, said, buying, selling)


def position(count: str | int, cost: str | int, side: Side = Side.YES) -> Position:
    return Position(COHORT, ADA, RAIN, side, shares(count), usd(cost))


def desk(
    *quotes: Quote,
    cash: str | int = 10000,
    rules: Rules = PEERS,
    held: Iterable[Position] = (),
    is_open: bool = True,
) -> DecisionDesk:
    """A desk where every market that is quoted can be traded, without fees."""
    return DecisionDesk(
        round=1,
        at=max((q.at for q in quotes), default=T0),
        cash=usd(cash),
        markets={q.market: Tradable(market(q.market), q, is_open) for q in quotes},
        positions={(p.market, p.side): p for p in held},
        rules=rules,
    )


def spec(
    name: str = "daily",
    contestants: tuple[ContestantId, ...] = (ADA,),
    rules: Rules = PEERS,
    cadence: Cadence = Cadence.ONCE,
    days: float = 1,
) -> CohortSpec:
    """An agreement that starts at `T0` and decides once a day for some days."""
    return CohortSpec(
        name=name,
        title=name.title(),
        venue=HERE,
        start=Start(cadence, T0),
        decide_every=DAY,
        decide_for=timedelta(days=days),
        universe=Universe(),
        contestants=contestants,
        rules=rules,
    )


@dataclass(slots=True)
class Books:
    """One contestant's books, kept by the ledger's own functions and nothing else."""

    rules: Rules = PEERS
    fee: FeeModel = NO_FEE
    entries: list[Entry] = field(default_factory=list)
    turns: int = 0

    def __post_init__(self) -> None:
        self.entries.append(fund(COHORT, ADA, self.rules.capital, T0))

    def desk(self, *quotes: Quote) -> DecisionDesk:
        bare = desk(*quotes, cash=str(self.cash), rules=self.rules, held=self.held)
        facts = {
            name: replace(t, market=market(name, self.fee)) for name, t in bare.markets.items()
        }
        return replace(bare, round=self.turns, markets=facts)

    def decide(self, decision: Decision, *quotes: Quote) -> Judgement:
        """Judge a decision at these quotes and book what trades."""
        self.turns += 1
        numbered = _numbered(decision, self.turns)
        found = judge(numbered, self.desk(*quotes))
        for fill in found.fills:
            self.entries.append(book_fill(fill, COHORT, ADA, T0))
        for sold in found.sales:
            self.entries.append(book_sale(sold, COHORT, ADA, T0, owed=self.owed))
        return found

    def settle(self, outcome: Outcome, name: MarketId = RAIN, revision: int = 1) -> None:
        for held in self.held:
            if held.market == name:
                self.entries.append(settle(held, outcome, revision, T0, owed=self.owed))

    def take_back(self, name: MarketId = RAIN, revision: int = 1) -> None:
        """Reverse what was settled on a revision of a market's outcome."""
        for entry in tuple(self.entries):
            event = entry.event
            if isinstance(event, Settled) and (event.market, event.revision) == (
                name,
                revision,
            ):
                back = reverse(entry, revision + 1, T0, cash=self.cash)
                self.entries.append(back)

    def balance(self, book: Book) -> Usd:
        return balances(self.entries).get(((COHORT, ADA), book), usd(0))

    @property
    def cash(self) -> Usd:
        return self.balance(Book.CASH)

    @property
    def owed(self) -> Usd:
        return Usd(-self.balance(Book.OWED))

    @property
    def realised(self) -> Usd:
        return Usd(-self.balance(Book.PROFIT))

    @property
    def fees(self) -> Usd:
        return self.balance(Book.FEES)

    @property
    def held(self) -> tuple[Position, ...]:
        return tuple(p for p in all_positions(self.entries) if p.shares)

    @property
    def positions(self) -> tuple[Position, ...]:
        return all_positions(self.entries)

    @property
    def open_cost(self) -> Usd:
        return Usd(sum((p.cost for p in self.held), Decimal(0)))

    def total(self, *quotes: Quote) -> Usd:
        """Cash less what is owed, and what is open at the middle of these quotes."""
        by_market = {q.market: q for q in quotes}
        worths = mark_to_market(self.held, by_market, at=at(24), max_age=DAY)
        worth = next(iter(worths.values()), MarkedPositions())
        assert not worth.unpriced_mid
        return total_value(self.cash, self.owed, worth.mid)


def _numbered(decision: Decision, turn: int) -> Decision:
    def again(order: Bet | Sale) -> BetId:
        return BetId(f"c/{turn}/ada/{order.id.rsplit('/', 1)[1]}")

    return replace(
        decision,
        bets=tuple(replace(b, id=again(b)) for b in decision.bets),
        sales=tuple(replace(s, id=again(s)) for s in decision.sales),
    )


def _price(text: str | None) -> Price | None:
    return None if text is None else price(text)
