"""Evidence that may be looked at whenever one likes: wealth won by betting against a null.

While the null hypothesis holds, wealth that starts at 1 exceeds 1/alpha at some time with a
probability of at most alpha, so the largest wealth so far gives a p-value that needs no
correction for looking early or often. Arrays are in the order of time, oldest first; nothing
gives nothing. A gain is the other's loss minus one's own: positive where one was better.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

_LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True, eq=False)
class Wealth:
    """Log wealth after each look; the null hypothesis is that of the function that made it."""

    log_e: Floats

    @property
    def e(self) -> Floats:
        """Wealth after each look, cut where a float would overflow."""
        return np.asarray(np.exp(np.minimum(self.log_e, _LARGEST_LOG)))

    @property
    def p(self) -> Floats:
        """The anytime-valid p-value after each look: one over the largest wealth so far."""
        return anytime_p(self.e)


class ScoringRule(StrEnum):
    """Which score says who is better."""

    BRIER = "brier"
    LOG = "log"


def anytime_p(e: Floats, *, best_of: int = 1) -> Floats:
    """One over the largest wealth so far, at most 1.

    Args:
        e: (T,) wealth after each look, not negative.
        best_of: How many the owner of this wealth was the best of, chosen by looking.

    Raises:
        ValueError: Wealth is NaN or negative, or `best_of` below 1.

    Source:
        Ville (1939); Shafer (2021), Journal of the Royal Statistical Society A 184.

    >>> anytime_p(np.array([0.5, 4.0, 2.0])).tolist()
    [1.0, 0.25, 0.25]
    """
    wealth = np.asarray(e, dtype=np.float64)
    if not np.all(wealth >= 0):
        raise ValueError("wealth is not negative")
    if best_of < 1:
        raise ValueError(f"the best of {best_of} is nobody")
    peak = np.maximum.accumulate(wealth, axis=0)
    return np.asarray(np.minimum(1.0, best_of / np.maximum(peak, np.finfo(np.float64).tiny)))


def kappa(p: Floats, q: Floats, rule: ScoringRule = ScoringRule.BRIER) -> Floats:
    """The probability of YES at which two forecasts are expected to score alike.

    Args:
        p: (n,) the first forecaster's P(YES).
        q: (n,) the second forecaster's.
        rule: The score; the log score needs forecasts strictly inside (0, 1).

    Raises:
        ValueError: A forecast outside its range, or unequal lengths.

    Source:
        Henzi and Ziegel (2022), Biometrika 109.
    """
    rule = ScoringRule(rule)
    first, second = _probabilities(p, q, rule)
    if rule is ScoringRule.BRIER:
        return np.asarray((first + second) / 2)
    odds = np.log(first / second) - np.log((1 - first) / (1 - second))
    alike = odds == 0
    spread = np.log1p(-second) - np.log1p(-first)
    return np.asarray(np.where(alike, first, spread / np.where(alike, 1.0, odds)))


def henzi_ziegel(
    p: Floats,
    q: Floats,
    outcome: Whole,
    *,
    rule: ScoringRule = ScoringRule.BRIER,
    weight: float = 0.75,
) -> Floats:
    """E-values of each question for "p never has the better expected score than q".

    Each is a likelihood ratio: what one would bet, `weight` of p and the rest of q, against
    the probability at which both score alike. Forecasts that agree give 1. They multiply
    where each question resolved before the next was asked.

    Args:
        p: (n,) the first forecaster's P(YES).
        q: (n,) the second forecaster's.
        outcome: (n,) 0 or 1.
        rule: Which score.
        weight: How far the alternative leans to p, in [0, 1].

    Raises:
        ValueError: A forecast outside its range, an outcome that is neither 0 nor 1,
            unequal lengths, or a weight outside [0, 1].

    Source:
        Henzi and Ziegel (2022), Biometrika 109, with the correction for lags in 109(4).
    """
    rule = ScoringRule(rule)
    first, second = _probabilities(p, q, rule)
    came = np.asarray(outcome)
    if came.shape != first.shape or not np.all((came == 0) | (came == 1)):
        raise ValueError("there is an outcome, 0 or 1, for each forecast")
    if not 0 <= weight <= 1:
        raise ValueError(f"a weight lies in [0, 1], not {weight}")
    alike = kappa(first, second, rule)
    bet = weight * first + (1 - weight) * second
    top = np.where(came == 1, bet, 1 - bet)
    bottom = np.where(came == 1, alike, 1 - alike)
    uninformative = (first == second) | (bottom == 0)
    return np.asarray(np.where(uninformative, 1.0, top / np.where(uninformative, 1.0, bottom)))


def betting_wealth(x: Floats, bets: Floats | float) -> Wealth:
    """Wealth after betting a share on each return: the running product of 1 + bet x return.

    Args:
        x: (T,) returns, at least -1, such as an event's mean closing line value; those that
            were open together are averaged first.
        bets: The share of wealth, in [0, 1]: one, or (T,) each chosen before its return.

    Raises:
        ValueError: A return below -1 or not finite, or a share outside [0, 1].

    Source:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86.
    """
    returns = np.asarray(x, dtype=np.float64)
    shares = np.broadcast_to(np.asarray(bets, dtype=np.float64), returns.shape)
    if returns.ndim != 1 or not np.all(np.isfinite(returns) & (returns >= -1)):
        raise ValueError("returns are one row of numbers of at least -1")
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError("a bet is a share of wealth in [0, 1]")
    return Wealth(np.cumsum(_log(1 + shares * returns)))


def plugin_bets(x: Floats, *, largest: float = 0.5) -> Floats:
    """Each look's bet from the returns before it: mean / (variance + mean squared), cut.

    The first two bets are 0: a variance needs two returns.

    Args:
        x: (T,) returns.
        largest: Where the share is cut, in [0, 1].

    Raises:
        ValueError: A return is not finite, or `largest` outside [0, 1].

    Source:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86:
        the bet of nearly the largest growth.
    """
    returns = np.asarray(x, dtype=np.float64)
    if returns.ndim != 1 or not np.all(np.isfinite(returns)):
        raise ValueError("returns are one row of finite numbers")
    if not 0 <= largest <= 1:
        raise ValueError(f"a bet is a share of wealth in [0, 1], not {largest}")
    bets = np.zeros_like(returns)
    n = np.arange(2.0, returns.size)
    sums, squares = np.cumsum(returns)[1:-1], np.cumsum(returns**2)[1:-1]
    mean = sums / n
    spread = np.maximum(0.0, squares - n * mean**2) / (n - 1) + mean**2
    has_spread = spread > 0
    bets[2:] = np.where(
        has_spread, np.clip(mean / np.where(has_spread, spread, 1.0), 0, largest), 0.0
    )
    return bets


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # all of the wealth may be lost: its log is -inf
        return np.asarray(np.log(values))


def _probabilities(p: Floats, q: Floats, rule: ScoringRule) -> tuple[Floats, Floats]:
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError("two forecasters forecast the same questions")
    for forecasts in (first, second):
        inside = (
            (forecasts > 0) & (forecasts < 1)
            if rule is ScoringRule.LOG
            else (forecasts >= 0) & (forecasts <= 1)
        )
        if not np.all(inside):
            raise ValueError(f"a forecast lies outside the range of the {rule} score")
    return first, second
