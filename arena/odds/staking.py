"""How much of a bankroll one bet deserves: Kelly's rule and its neighbours."""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Floats, alike, decimal_odds, finite, probabilities
from arena.odds.drawdown import MULTIPLIER, Mode

ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class StakeLimits:
    """Source C's fractions of Kelly and caps, as fractions of the bankroll.

    A long shot is an outcome that the market, not the forecaster, gives less than
    `longshot_below`.
    """

    fraction: float = 0.25
    longshot_fraction: float = 0.125
    longshot_below: float = 0.10
    cap: float = 0.05
    longshot_cap: float = 0.025
    event_cap: float = 0.08
    day_cap: float = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class SizedStake:
    """A stake on its way down, as fractions of the bankroll.

    `full` Kelly may be below 0; `fractional` is a part of it, `capped` no more than the cap
    of its kind, `final` what the drawdown leaves.
    """

    full: Floats
    fractional: Floats
    capped: Floats
    final: Floats


class Sizing(Protocol):
    """A rule that says which part of the bankroll to stake."""

    def fraction(self, p: Floats, net: Floats, q: Floats) -> Floats:
        """Fraction at belief p, `net` dollars won a dollar staked, fair probability q."""
        ...


def kelly(p: ArrayLike, net: ArrayLike) -> Floats:
    """Fraction of the bankroll whose expected logarithm grows most: p - (1 - p)/net.

    Below 0 the bet is not worth taking.

    Args:
        p: Belief that the bet wins.
        net: Dollars won on top of a dollar staked, above 0: decimal odds less 1.

    Raises:
        ValueError: A probability outside [0, 1], or odds that win nothing.

    Source:
        Kelly (1956), Bell System Technical Journal 35; Thorp (1997).

    >>> kelly(0.6, 1.0).round(12).item()
    0.2
    """
    belief, won = probabilities(p, "p"), _net(net)
    return np.asarray(belief - (1 - belief) / won)


def net_of_contract(price: ArrayLike, fee_on_winnings: ArrayLike = 0.0) -> Floats:
    """Dollars won on a dollar of a share that pays $1: (1 - price)(1 - fee)/price.

    A fee charged on top of the stake belongs into the price instead.

    Raises:
        ValueError: A price outside (0, 1), or a fee outside [0, 1).
    """
    paid = probabilities(price, "price")
    fee = probabilities(fee_on_winnings, "fee_on_winnings")
    if not ((paid > 0) & (paid < 1)).all() or not (fee < 1).all():
        raise ValueError("a price is above 0 and leaves something to win")
    return np.asarray((1 - paid) * (1 - fee) / paid)


def crra(p: ArrayLike, net: ArrayLike, aversion: float) -> Floats:
    """Fraction that a bettor of constant relative risk aversion stakes; below 0 is no bet.

    With A = (p net/(1 - p))^(1/aversion) it is (A - 1)/(A + net). Aversion 1 is Kelly, more
    is more careful.

    Raises:
        ValueError: As `kelly`, or an aversion that is not above 0.

    Source:
        The first-order condition of E[w^(1 - aversion)/(1 - aversion)]; Pratt (1964),
        Econometrica 32.
    """
    if not 0 < aversion < float("inf"):
        raise ValueError(f"risk aversion is above 0, not {aversion}")
    belief, won = probabilities(p, "p"), _net(net)
    sure = belief == 1
    ratio = (belief * won / np.where(sure, 1.0, 1 - belief)) ** (1 / aversion)
    return np.where(sure, 1.0, (ratio - 1) / (ratio + won))


def size_bet(
    edge: ArrayLike,
    q: ArrayLike,
    odds: ArrayLike,
    *,
    mode: Mode = Mode.NORMAL,
    limits: StakeLimits | None = None,
) -> SizedStake:
    """Source C's stake: a quarter of Kelly, an eighth for long shots, capped, then halved.

    Full Kelly at p = q + edge and these odds is shown even where nothing is staked.

    Args:
        edge: p - q.
        q: Fair probability, which decides what a long shot is.
        odds: Decimal odds that the bet is paid at, with the margin.
        mode: Where the bankroll stands: HALVED halves what is left, STOPPED stakes nothing.
        limits: Fractions and caps.

    Raises:
        ValueError: q or q + edge outside [0, 1], or odds not above 1.

    Source:
        "The 45 Percent Problem", market/kelly_sizer.py.

    >>> size_bet(0.06, 0.4, 2.6).final.round(6).item()
    0.030625
    """
    fair = probabilities(q, "q")
    full = kelly(np.round(fair + finite(edge, "edge"), 15), decimal_odds(odds) - 1)
    rule = limits or StakeLimits()
    if Mode(mode) is Mode.STOPPED:
        nothing = np.zeros_like(full)
        return SizedStake(full, nothing, nothing, nothing)
    part, cap = _kind(fair, rule)
    fractional = part * np.maximum(full, 0.0)
    capped = np.minimum(fractional, cap)
    return SizedStake(full, fractional, capped, capped * MULTIPLIER[mode])


@dataclass(frozen=True, slots=True)
class Flat:
    """The same part of the bankroll on every bet."""

    part: float = 0.01

    def fraction(self, p: Floats, net: Floats, q: Floats) -> Floats:
        """See `Sizing`."""
        alike(p=p, net=net, q=q)
        return np.where(kelly(p, net) > ROUNDING, self.part, 0.0)


@dataclass(frozen=True, slots=True)
class FractionalKelly:
    """A part of Kelly, capped by what the market calls a long shot."""

    limits: StakeLimits = StakeLimits()

    def fraction(self, p: Floats, net: Floats, q: Floats) -> Floats:
        """See `Sizing`."""
        part, cap = _kind(q, self.limits)
        return np.minimum(part * np.maximum(kelly(p, net), 0.0), cap)


@dataclass(frozen=True, slots=True)
class Crra:
    """Constant relative risk aversion, no more than `cap`."""

    aversion: float = 4.0
    cap: float = 0.05

    def fraction(self, p: Floats, net: Floats, q: Floats) -> Floats:
        """See `Sizing`."""
        alike(p=p, net=net, q=q)
        return np.clip(crra(p, net, self.aversion), 0.0, self.cap)


@dataclass(frozen=True, slots=True)
class EdgeProportional:
    """In proportion to what the belief is above the price, no more than `cap`."""

    scale: float = 0.25
    cap: float = 0.05

    def fraction(self, p: Floats, net: Floats, q: Floats) -> Floats:
        """See `Sizing`."""
        alike(p=p, net=net, q=q)
        return np.clip(self.scale * (p - 1 / (1 + net)), 0.0, self.cap)


def _net(net: ArrayLike) -> Floats:
    net_odds = finite(net, "net")
    if not (net_odds > 0).all():
        raise ValueError("a bet wins something")
    return net_odds


def _kind(q: Floats, limits: StakeLimits) -> tuple[Floats, Floats]:
    long_shot = q < limits.longshot_below
    part = np.where(long_shot, limits.longshot_fraction, limits.fraction)
    return part, np.where(long_shot, limits.longshot_cap, limits.cap)
