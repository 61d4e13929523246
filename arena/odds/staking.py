"""How much of a bankroll one bet deserves: Kelly's rule and its neighbours.

A bankroll that has lost is protected: full stakes, half stakes, none. Bets together are capped
on one event, and on one day.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.odds import Floats, alike, decimal_odds, finite, probabilities

DECIMALS: Final = 12


class Mode(StrEnum):
    """Which part of a stake is bet."""

    NORMAL = "NORMAL"
    HALVED = "HALVED"
    STOPPED = "STOPPED"


MULTIPLIER: Final = {Mode.NORMAL: 1.0, Mode.HALVED: 0.5, Mode.STOPPED: 0.0}


@dataclass(frozen=True, slots=True)
class Brakes:
    """When stakes are halved, and when they are whole again, as parts of the peak."""

    trigger: float = 0.20
    recover: float = 0.90


@dataclass(frozen=True, slots=True)
class Drawdown:
    """A bankroll against its highest point; `episodes` counts how often it was halved."""

    bankroll: float
    peak: float
    mode: Mode = Mode.NORMAL
    episodes: int = 0

    def __post_init__(self) -> None:
        if not (isfinite(self.bankroll) and isfinite(self.peak) and self.peak > 0):
            raise ValueError(f"a peak is above 0: {self.bankroll} of {self.peak}")
        if self.bankroll > self.peak:
            raise ValueError(f"a bankroll is at most its peak: {self.bankroll} of {self.peak}")


def opened(bankroll: float) -> Drawdown:
    """A bankroll at its start, which is its peak."""
    return Drawdown(bankroll, bankroll)


def after(state: Drawdown, bankroll: float, brakes: Brakes | None = None) -> Drawdown:
    """Where a bankroll stands once it is `bankroll` dollars: at most one change of mode.

    NORMAL turns HALVED below 80 % of the peak, and that is an episode. HALVED turns NORMAL
    from 90 % on; in a second episode, STOPPED while below 80 %. STOPPED turns NORMAL from
    90 % on. The peak only ever rises.

    Source:
        "The 45 Percent Problem", market/kelly_sizer.py.

    >>> after(opened(1000), 799).mode.value
    'HALVED'
    """
    rule = brakes or Brakes()
    peak = max(state.peak, bankroll)
    ratio = round(bankroll / peak, DECIMALS)
    low, high = ratio < round(1 - rule.trigger, DECIMALS), ratio >= rule.recover
    mode, episodes = Mode(state.mode), state.episodes
    if mode is Mode.NORMAL and low:
        mode, episodes = Mode.HALVED, episodes + 1
    elif mode is not Mode.NORMAL and high:
        mode = Mode.NORMAL
    elif mode is Mode.HALVED and low and episodes >= 2:  # noqa: PLR2004  a second time
        mode = Mode.STOPPED
    return Drawdown(bankroll, peak, mode, episodes)


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


def net_of_contract(price: ArrayLike) -> Floats:
    """Dollars won on a dollar of a share that pays $1: (1 - price)/price.

    A fee charged on top of the stake belongs into the price.

    Raises:
        ValueError: A price outside (0, 1).
    """
    paid = probabilities(price, "price")
    if not ((paid > 0) & (paid < 1)).all():
        raise ValueError("a price is above 0 and leaves something to win")
    return np.asarray((1 - paid) / paid)


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


Codes = NDArray[np.intp]


class Cap(StrEnum):
    """Which limit a bet was cut to."""

    EVENT = "event"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Wager:
    """A bet as it was sized alone. `day` is the UTC date, as ISO 8601 writes it."""

    id: str
    market: str
    event: str
    day: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A later row that cuts a wager; the wager itself, `parent`, stays as it was written."""

    id: str
    parent: str
    cap: Cap
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class CappedFractions:
    """The fractions to bet, one a wager in their order, and the rows that say why."""

    fractions: tuple[float, ...]
    adjustments: tuple[Adjustment, ...]


def within(fractions: ArrayLike, groups: Codes, cap: float, used: ArrayLike = 0.0) -> Floats:
    """Scale fractions so that no group takes more than `cap` less what it has `used`.

    A group above its cap is scaled as a whole, by cap/total; the others stay as they are.

    Args:
        fractions: Parts of the bankroll, none below 0.
        groups: The group of each, numbered from 0.
        cap: The most that a group may take.
        used: What each group has taken before, one number a group or the same for all.

    Raises:
        ValueError: A fraction below 0, NaN or infinite.
    """
    shares = finite(fractions, "fractions")
    if (shares < 0).any():
        raise ValueError("a stake is not below 0")
    taken = finite(used, "used")
    total = np.bincount(
        groups, shares, minlength=max(taken.size, int(groups.max(initial=-1)) + 1)
    )
    room = np.maximum(cap - taken, 0.0)
    above = total > room
    if not above.any():
        return shares
    scale = np.where(above, room / np.where(total > 0, total, 1.0), 1.0)
    return np.asarray(shares * scale[groups])


def cap_wagers(wagers: Sequence[Wager], limits: StakeLimits | None = None) -> CappedFractions:
    """Cut what is bet on one event, over all its markets, then what is left of each day.

    Args:
        wagers: Bets of any number of events and days, decided together.
        limits: `event_cap` and `day_cap`.

    Raises:
        ValueError: A stake below 0, NaN or infinite.
    """
    rule = limits or StakeLimits()
    sized = [w.fraction for w in wagers]
    after_event = _capped(sized, [w.event for w in wagers], rule.event_cap)
    rows = _rows(wagers, Cap.EVENT, sized, after_event)
    after_day = _capped(after_event, [w.day for w in wagers], rule.day_cap)
    rows += _rows(wagers, Cap.DAY, after_event, after_day)
    return CappedFractions(tuple(after_day), tuple(rows))


def cap_wagers_source_c(
    wagers: Sequence[Wager], limits: StakeLimits | None = None
) -> CappedFractions:
    """Cut as source C does: by market, and the day from totals before that cut.

    Several markets of one match are not cut together, and a wager over both caps gets two
    rows, each reckoned from its first size, so that neither contains the other. The
    fractions given back are those of the last row written.

    Source:
        "The 45 Percent Problem", market/market_pipeline.py.
    """
    rule = limits or StakeLimits()
    sized = [w.fraction for w in wagers]
    by_market = _capped(sized, [w.market for w in wagers], rule.event_cap)
    by_day = _capped(sized, [w.day for w in wagers], rule.day_cap)
    rows = _rows(wagers, Cap.EVENT, sized, by_market) + _rows(wagers, Cap.DAY, sized, by_day)
    last = {row.parent: row.after for row in rows}
    return CappedFractions(tuple(last.get(w.id, w.fraction) for w in wagers), tuple(rows))


def _capped(sized: Sequence[float], keys: Sequence[str], cap: float) -> list[float]:
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([numbers[key] for key in keys], np.intp)
    return [float(fraction) for fraction in within(sized, codes, cap)]


def _rows(
    wagers: Sequence[Wager], cap: Cap, before: Sequence[float], after: Sequence[float]
) -> list[Adjustment]:
    return [
        Adjustment(f"{wager.id}/{cap}", wager.id, cap, was, now)
        for wager, was, now in zip(wagers, before, after, strict=True)
        if now < was
    ]
