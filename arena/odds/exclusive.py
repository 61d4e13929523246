"""Kelly stakes on several outcomes of which at most one comes true."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from arena.odds.columns import Floats, alike, decimal_odds, probabilities

ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Exclusive:
    """Fractions of the bankroll on each outcome, the part kept back, and the growth."""

    fraction: Floats
    reserve: Floats
    growth: Floats


def kelly_exclusive(p: ArrayLike, odds: ArrayLike) -> Exclusive:
    """Stake so that the expected logarithm of the bankroll grows most.

    Outcomes are taken by p x odds, best first, while that is above the reserve rate
    R = (1 - sum of their p)/(1 - sum of their 1/odds); each then gets p - R/odds. An outcome
    that is no good bet alone may be backed as a hedge. Where odds that cover everything give
    money away (sum 1/odds < 1), all of the bankroll is spread as p. In a fair book many
    stakes grow alike; these are the smallest of them.

    Args:
        p: Beliefs, shape (..., K). They may add up to less than 1: the rest is what cannot
            be bet on. One outcome is an ordinary Kelly bet.
        odds: Decimal odds of the same shape.

    Returns:
        Fractions of the shape of p; `reserve`, which is also R, and `growth` one a book.

    Raises:
        ValueError: Beliefs outside [0, 1] or adding up to more than 1, odds not above 1, or
            unequal shapes.

    Source:
        Smoczynski and Tomkins (2010), Mathematical Scientist 35.

    >>> kelly_exclusive([0.5, 0.3, 0.2], [2.3, 3.0, 4.0]).fraction.round(6).tolist()
    [0.125, 0.0125, 0.0]
    """
    belief, paid = probabilities(p, "p"), decimal_odds(odds)
    alike(p=belief, odds=paid)
    covered = belief.sum(axis=-1)
    if not (covered <= 1 + 1e-6).all():
        raise ValueError("beliefs in exclusive outcomes add up to 1 at most")
    order = np.argsort(-belief * paid, axis=-1, kind="stable")
    share = np.take_along_axis(1 / paid, order, axis=-1)
    left = 1 - np.cumsum(np.take_along_axis(belief, order, axis=-1), axis=-1)
    room = 1 - np.cumsum(share, axis=-1)
    open_ = room > ROUNDING
    rate = np.where(open_, np.maximum(left, 0) / np.where(open_, room, 1.0), np.inf)
    reserve = np.minimum(rate.min(axis=-1), 1.0)
    fraction = np.maximum(belief - reserve[..., np.newaxis] / paid, 0.0)
    wealth = reserve[..., np.newaxis] + fraction * paid
    rest = np.where(covered < 1 - ROUNDING, 1 - covered, 0.0)
    grown = xlogy(belief, wealth).sum(axis=-1) + xlogy(rest, reserve)
    return Exclusive(fraction, reserve, np.asarray(grown))
