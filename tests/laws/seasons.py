"""Random seasons: rules, prices, decisions and outcomes in any order that can happen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from hypothesis import strategies as st

from arena.records.cohort import BatchRule, ConfidenceBase, FeeRule, FillRule, MarkRule, Rules
from arena.records.decision import Bet, BetId, Decision, Sale
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    FeeKind,
    FeeModel,
    Level,
    MarketId,
    Outcome,
    Quote,
    Side,
)
from arena.records.money import price_from_micro, shares, usd, usd_from_micro
from tests.build import HAIL, MARKETS, RAIN, SNOW, T0, Books, bet, deciding, sale

MILLION = 10**6
HUNDRED = 100 * MILLION

sides = st.sampled_from([Side.YES, Side.YES, Side.NO])
names = st.sampled_from([RAIN, RAIN, RAIN, SNOW, HAIL])
sure = st.sampled_from([YES_WINS, NO_WINS])
outcomes = st.one_of(
    sure,
    st.just(VOIDED),
    st.integers(1, MILLION - 1).map(lambda micros: Outcome(price_from_micro(micros))),
)
fees = st.one_of(
    st.just(FeeModel()),
    st.builds(
        FeeModel,
        st.sampled_from([FeeKind.NOTIONAL, FeeKind.QUADRATIC]),
        st.sampled_from([Decimal("0.02"), Decimal("0.07"), Decimal("0.333333")]),
    ),
)
rules = st.builds(
    Rules,
    capital=st.sampled_from([usd(10_000), usd("777.777777")]),
    min_bet=st.just(usd(1)),
    max_bet_fraction=st.sampled_from([Decimal("0.25"), Decimal("0.9"), Decimal(1)]),
    confidence_base=st.sampled_from(ConfidenceBase),
    fill=st.sampled_from(FillRule),
    fees=st.sampled_from(FeeRule),
    batch=st.sampled_from(BatchRule),
    mark=st.sampled_from(MarkRule),
    max_spread=st.just(Decimal("0.2")),
)


@st.composite
def quotes(draw: st.DrawFn, name: MarketId) -> Quote:
    """Any quote: mostly sound, at times crossed, wide, one-sided or at an end."""
    if draw(rarely):
        bid = draw(st.integers(0, MILLION))
        ask = min(MILLION, max(0, bid + draw(st.integers(-100_000, 400_000))))
        sides_shown = draw(st.sampled_from([(bid, ask), (None, ask), (bid, None)]))
    else:
        bid = draw(st.integers(20_000, 900_000))
        ask = bid + draw(st.integers(0, 80_000))
        sides_shown = bid, ask
    best = [None if p is None else price_from_micro(p) for p in sides_shown]
    depth = draw(st.lists(st.integers(10, 5_000), min_size=2, max_size=6))
    bids, asks = _levels(bid, -3, depth[::2]), _levels(ask, 7, depth[1::2])
    return Quote(name, best[0], best[1], T0, bids=bids, asks=asks)


@st.composite
def tight_quotes(draw: st.DrawFn, name: MarketId) -> Quote:
    """A quote with both sides and a mid strictly between 0 and 1."""
    bid = draw(st.integers(1, MILLION - 2))
    ask = draw(st.integers(bid, MILLION - 1))
    return Quote(name, price_from_micro(bid), price_from_micro(ask), T0)


def _levels(best: int, step: int, depth: Sequence[int]) -> tuple[Level, ...]:
    """Shares at prices that get worse by a few millionths each."""
    return tuple(
        Level(price_from_micro(min(MILLION, max(0, best + step * n))), shares(count))
        for n, count in enumerate(depth)
    )


rarely = st.sampled_from([False] * 7 + [True])
stakes = st.one_of(
    st.sampled_from([10, 20, 25, 33, 50, 100]).map(usd),
    st.integers(1, 40 * MILLION).map(usd_from_micro),
    st.integers(-MILLION, 150 * MILLION).map(usd_from_micro),
)
percents = st.one_of(
    st.sampled_from([50, 100, 33]).map(Decimal),
    st.integers(1, HUNDRED).map(lambda n: Decimal(n).scaleb(-6)),
    st.integers(-HUNDRED, 2 * HUNDRED).map(lambda n: Decimal(n).scaleb(-6)),
)


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    """Up to four bets or sales on any markets and sides; stakes are percents of the cap."""
    selling = draw(st.booleans())
    number = draw(st.integers(1, 4))
    ids = [BetId(f"c/0/ada/{n}") for n in range(1, number + 1)]
    orders: list[Bet | Sale] = [
        Sale(i, draw(names), draw(sides), draw(percents))
        if selling
        else Bet(i, draw(names), draw(sides), draw(stakes))
        for i in ids
    ]
    stated = draw(st.dictionaries(names, st.floats(0, 1), max_size=2))
    return deciding(*orders, stated=stated)


@dataclass(frozen=True, slots=True)
class Trading:
    """A decision, and the quotes it is judged at."""

    decision: Decision
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A venue's word on a market; None takes the last one back."""

    market: MarketId
    outcome: Outcome | None


# Two levels that everything can be traded on, whatever the rules of fills and spreads.
DEEP = [Level(price_from_micro(p), shares(10**6)) for p in (400_000, 410_000)]
SOUND = tuple(
    Quote(name, DEEP[0].price, DEEP[1].price, T0, bids=(DEEP[0],), asks=(DEEP[1],))
    for name in MARKETS
)
FIRST = Trading(deciding(bet(60), bet(20, Side.NO, SNOW, n=2)), SOUND)

tradings = st.builds(Trading, decisions(), st.tuples(*(quotes(name) for name in MARKETS)))
words = st.builds(Word, names, st.one_of(outcomes, st.none()))


def _spree(name: MarketId, side: Side) -> Trading:
    """All that may be bet, on one market."""
    return Trading(deciding(bet(100, side, name)), SOUND)


def _exit(name: MarketId, percent: Decimal) -> list[Trading | Word]:
    """Sell some of what is most often held."""
    return [Trading(deciding(sale(str(percent), Side.YES, name)), SOUND)]


def _relapse(name: MarketId, other: MarketId, then: Word) -> list[Trading | Word]:
    """Win on a market, put the win on another, and hear that it was none."""
    won = Word(name, YES_WINS)
    return [_spree(name, Side.YES), won, _spree(other, Side.YES), replace(then, market=name)]


steps = st.lists(
    st.one_of(
        tradings.map(lambda one: [one]),
        words.map(lambda one: [one]),
        st.builds(lambda *said: [_spree(*said)], names, sides),
        st.builds(_relapse, names, names, words),
        st.builds(_exit, names, percents),
    ),
    min_size=2,
    max_size=6,
).map(lambda parts: [step for part in parts for step in part])


@dataclass(slots=True)
class Season:
    """Books that follow the steps of a season, and what each market stands at."""

    books: Books
    standing: dict[MarketId, Outcome]
    revisions: dict[MarketId, int]

    def take(self, step: Trading | Word) -> None:
        """Do what a step says, as far as it can happen."""
        if isinstance(step, Trading):
            self.books.decide(self.decision(step), *self.shown(step))
        else:
            self.hear(step)

    def shown(self, trading: Trading) -> list[Quote]:
        """The quotes of what is still trading."""
        return [q for q in trading.quotes if q.market not in self.standing]

    def decision(self, trading: Trading) -> Decision:
        """A decision with its stakes in dollars."""
        cap = self.books.desk().cap
        bets = (replace(b, stake=usd(b.stake / 100 * cap)) for b in trading.decision.bets)
        return replace(trading.decision, bets=tuple(bets))

    def hear(self, word: Word) -> None:
        name = word.market
        revision = self.revisions.get(name, 0)
        if self.standing.pop(name, None) is not None:
            self.books.take_back(name, revision)
        elif word.outcome is None:
            return
        self.revisions[name] = revision + 1
        if word.outcome is not None:
            self.standing[name] = word.outcome
            self.books.settle(word.outcome, name, revision + 1)


def season(agreed: Rules, fee: FeeModel) -> Season:
    return Season(Books(agreed, fee), {}, {})


def played(agreed: Rules, fee: FeeModel, taken: Iterable[Trading | Word]) -> Season:
    """A season after a first buy and all of its steps."""
    result = season(agreed, fee)
    result.take(FIRST)
    for step in taken:
        result.take(step)
    return result
