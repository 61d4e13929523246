"""What a stake says about its owner's probability."""

from dataclasses import dataclass
from decimal import Decimal

from arena.records.market import Side
from arena.records.money import Usd


@dataclass(frozen=True, slots=True)
class ImpliedConfidence:
    """A stake read as a confidence in [0, 1] and as P(YES) under two mappings."""

    confidence: Decimal
    linear: Decimal
    kelly: Decimal


def confidence(stake: Decimal, base: Decimal, max_bet_fraction: Decimal) -> Decimal:
    """Stake as a share of the largest bet on `base` dollars of cash, cut to [0, 1].

    No cash, no confidence: a base of 0 or less gives 0.

    Source:
        Forecaster Arena, docs/SCORING.md (v1): amount / (0.25 x cash).

    >>> confidence(Decimal(500), Decimal(10000), Decimal("0.25"))
    Decimal('0.2')
    """
    largest = base * max_bet_fraction
    if largest <= 0:
        return Decimal(0)
    return max(Decimal(0), min(Decimal(1), stake / largest))


def linear(side: Side, c: Decimal) -> Decimal:
    """P(YES) as the confidence itself: c on YES, 1 - c on NO.

    Not a probability forecast: a small winning bet is scored as a bad one. It is published
    because it is the known number.

    Source:
        Forecaster Arena, docs/SCORING.md (v1).
    """
    return c if Side(side) is Side.YES else 1 - c


def kelly(side: Side, c: Decimal, paid: Decimal) -> Decimal:
    """P(YES) at which a Kelly bettor would have staked this much.

    With `paid` dollars a share, fee included, the belief in the side is q = a + c (1 - a):
    c = 0 says the market is right, c = 1 says certain. When the cap is a quarter of cash
    and there is no fee, this is the belief of a quarter-Kelly bettor exactly:
    f* = (q - a) / (1 - a), stake = f*/4 x cash.

    Source:
        Kelly (1956), Bell System Technical Journal 35, solved for the probability.

    >>> kelly(Side.NO, Decimal("0.5"), Decimal("0.6"))
    Decimal('0.20')
    """
    q = paid + c * (1 - paid)
    return q if Side(side) is Side.YES else 1 - q


def implied(
    side: Side, stake: Usd, *, paid: Decimal, base: Decimal, max_bet_fraction: Decimal
) -> ImpliedConfidence:
    """Read one stake: its confidence, and P(YES) under the linear and the Kelly mapping."""
    c = confidence(stake, base, max_bet_fraction)
    return ImpliedConfidence(c, linear(side, c), kelly(side, c, paid))
