"""Kelly stakes on several outcomes of which at most one comes true."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from arena.odds.columns import Floats, alike, decimal_odds, probabilities


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
    with a small edge of its own may be backed as a hedge. Where all the odds together give
    money away (sum 1/odds <= 1), the whole bankroll is spread as p, and nothing is kept
    back: what no outcome of p covers is then lost on.

    Args:
        p: Beliefs, shape (..., K). They may add up to less than 1: the rest is what cannot
            be bet on. One outcome is an ordinary Kelly bet.
        odds: Decimal odds of the same shape.

    Returns:
        Fractions of the shape of p; `reserve` and `growth` one a book.

    Raises:
        ValueError: Beliefs outside [0, 1] or adding up to more than 1, odds not above 1,
            unequal shapes, or odds that give money away without covering everything.

    Source:
        Smoczynski and Tomkins (2010), Mathematical Scientist 35.

    >>> kelly_exclusive([0.5, 0.3, 0.2], [2.3, 3.0, 4.0]).fraction.round(6).tolist()
    [0.125, 0.0125, 0.0]
    """
    belief, paid = probabilities(p, "p"), decimal_odds(odds)
    alike(p=belief, odds=paid)
    covered = belief.sum(axis=-1)
    if not (covered <= 1 + 1e-9).all():
        raise ValueError("beliefs in exclusive outcomes add up to 1 at most")
    order = np.argsort(-belief * paid, axis=-1, kind="stable")
    share = np.take_along_axis(1 / paid, order, axis=-1)
    left = 1 - np.cumsum(np.take_along_axis(belief, order, axis=-1), axis=-1)
    room = 1 - np.cumsum(share, axis=-1)
    gives = room[..., -1] <= 0
    sold_off = ~gives & (covered < 1 - 1e-9)  # noqa: PLR2004
    if (~gives & (room[..., -1] >= 0) & ~sold_off).any() or sold_off.any():
        gives = room[..., -1] < 0
    rate = np.where(room > 0, np.maximum(left, 0) / np.where(room > 0, room, 1.0), np.inf)
    reserve = np.minimum(rate.min(axis=-1), 1.0)
    fraction = np.maximum(belief - reserve[..., np.newaxis] / paid, 0.0)
    back = 1 - fraction.sum(axis=-1)
    wealth = back[..., np.newaxis] + fraction * paid
    grown = xlogy(belief, wealth).sum(axis=-1) + xlogy(np.maximum(1 - covered, 0), back)
    return Exclusive(fraction, back, np.asarray(grown))
