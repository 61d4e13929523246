r"""What Manifold's automatic market maker charges, as levels of an order book.

A pool holds y shares of YES and n of NO. It trades so that

    y^p * n^(1-p) = k

stays as it is, p in (0, 1) being the market's own constant. Its probability of YES is the
price of the next, tiny share:

    q = p*n / (p*n + (1-p)*y),   so   q/(1-q) = p/(1-p) * n/y.

Whoever pays M adds M pairs of shares to the pool and takes s shares of the claim out of it.
Where the log-odds of q have risen by x, the constant k leaves no choice but

    n(x) = n * exp(x*p),   y(x) = y * exp(-x*(1-p)),

so that buying YES from there to there costs M = n(x) - n and gives s = y - y(x) + M shares.
NO is the same with both sides of the pool, and p and 1-p, changed about. Selling a share of
YES is buying one of NO, since a pair of them is worth 1: what M' buys s' shares of NO for is
paid s' - M' for s' shares of YES.

Orders with a limit that other traders have left there are not counted: they only make a
trade better than the curve alone does.

Source: the constant and the probability are in Manifold's documentation of its API
(https://docs.manifold.markets/api, `p` of `LiteMarket`) and, with what a bet buys and the
smallest pool, in its source (https://github.com/manifoldmarkets/manifold,
common/src/calculate-cpmm.ts, common/src/contract.ts).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from arena.records.market import Level
from arena.records.money import MICRO, Price, shares_down

LEVELS = 20  # a side
FIRST = Decimal("0.04")  # log-odds: a percentage point at one half, less near 0 and 1
WIDER = Decimal("1.15")  # each level than the one before, so that 20 are nearly the whole pool
LEAST = Decimal("0.01")  # shares of each side: what would leave fewer there is refused
RISEN = tuple(accumulate(FIRST * WIDER**n for n in range(LEVELS)))  # log-odds, level by level
ODDS = tuple(risen.exp() for risen in RISEN)
EDGE = MICRO  # p nearer to 0 or 1 than this leaves no price on our grid


@dataclass(frozen=True, slots=True)
class Pool:
    """Shares that the market maker holds, and its constant p, which lies in (0, 1)."""

    yes: Decimal
    no: Decimal
    p: Decimal

    @property
    def probability(self) -> Decimal:
        """The price of the next share of YES, if it is a tiny one."""
        return self.p * self.no / (self.p * self.no + (1 - self.p) * self.yes)

    @property
    def is_usable(self) -> bool:
        """Whether anything can be bought from it at a price on our grid."""
        return min(self.yes, self.no) >= LEAST and EDGE <= self.p <= 1 - EDGE

    def moved(self, by: Decimal) -> "Pool":
        """Trade until the log-odds of YES have risen by so much; they may fall.

        >>> Pool(Decimal(100), Decimal(100), Decimal("0.5")).moved(Decimal(0)).no
        Decimal('100')
        """
        yes, no = self.yes * (-by * (1 - self.p)).exp(), self.no * (by * self.p).exp()
        return Pool(yes, no, self.p)

    def mirrored(self) -> "Pool":
        """The same pool, with the two claims changed about."""
        return Pool(self.no, self.yes, 1 - self.p)


class ManifoldTrade(NamedTuple):
    """A purchase from a pool: what it costs, and how many shares it gives."""

    paid: Decimal
    shares: Decimal


def asks(pool: Pool, levels: int = LEVELS) -> tuple[Level, ...]:
    """Offer YES: each level is as many shares as move the price by a step, at their average.

    Prices are rounded up and shares down, so that nobody gets more than the pool would give;
    buying a part of a level costs its average too. It ends where the pool does; a pool that
    is not usable offers nothing. There are 20 levels at most.
    """
    if not pool.is_usable:
        return ()
    offers = [
        ((trade.paid / trade.shares).quantize(MICRO, ROUND_CEILING), trade.shares)
        for trade in _trades(pool, _growth(pool.p, levels))
    ]
    return _levels([(at, number) for at, number in offers if at < 1])


def bids(pool: Pool, levels: int = LEVELS) -> tuple[Level, ...]:
    """Bid for YES, best first: what buys NO, seen from the other side; prices rounded down."""
    if not pool.is_usable:
        return ()
    growth = [odds / grown for odds, grown in zip(ODDS, _growth(pool.p, levels), strict=False)]
    offers = [
        ((1 - trade.paid / trade.shares).quantize(MICRO, ROUND_FLOOR), trade.shares)
        for trade in _trades(pool.mirrored(), growth)
    ]
    return _levels([(at, number) for at, number in offers if at > 0])


def _levels(offers: list[tuple[Decimal, Decimal]]) -> tuple[Level, ...]:
    """Put what has the same price, rounded, into one level."""
    shares_by_price: dict[Decimal, Decimal] = {}
    for at, number in offers:
        shares_by_price[at] = shares_by_price.get(at, Decimal(0)) + number
    return tuple(
        Level(Price(at), shares_down(number)) for at, number in shares_by_price.items()
    )


@lru_cache(64)  # the two sides of a book grow alike
def _growth(p: Decimal, levels: int) -> tuple[Decimal, ...]:
    """Say what NO has grown to after each level: exp(x*p)."""
    return tuple((risen * p).exp() for risen in RISEN[:levels])


def _trades(pool: Pool, growth: Iterable[Decimal]) -> Iterator[ManifoldTrade]:
    """Buy YES step by step, as far as the pool allows.

    An exponential is slow, so that of the other side follows: exp(-x*(1-p)) is that of x*p,
    divided by what the odds have grown to.
    """
    yes, no = pool.yes, pool.no
    for odds, grown in zip(ODDS, growth, strict=False):
        less, more = pool.yes * grown / odds, pool.no * grown
        if less < LEAST:
            return
        paid = more - no
        yield ManifoldTrade(paid, yes - less + paid)
        yes, no = less, more
