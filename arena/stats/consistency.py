"""The profit that an arbitrageur has for certain of somebody's own probabilities."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import expit, rel_entr

from arena.stats.columns import compact
from arena.stats.regression.logit import log_odds

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

CLIP: Final = 0.001  # nearer to 0 and 1 one contradiction would earn without limit
ROUNDED: Final = 1e-9  # what sums of decimal fractions are off by
HALVINGS: Final = 50


def exclusive_arbitrage(p: Floats, group: Whole) -> tuple[Floats, Whole]:
    """What outcomes of which at most one can come earn, group by group.

    Against a market maker that quotes p and pays by the logarithmic score, an arbitrageur's
    certain profit is the least sum of divergences KL(q || p) of coherent q. These have
    log odds lower than those of p by one amount, and add up to 1. Where p adds up to at most 1
    it is 0.

    Args:
        p: (n,) P(YES) of the outcomes, moved to 0.999 at most.
        group: (n,) which outcomes exclude each other, codes from 0.

    Returns:
        The profit in nats of each group that has two outcomes, and these groups' codes, rising.

    Source:
        Paleka et al. (2025), Consistency checks for language model forecasters,
        arXiv 2412.18544, section 3 and appendix.

    >>> profit, _ = exclusive_arbitrage(np.array([0.5, 0.6]), np.array([0, 0]))
    >>> profit.round(4).tolist()
    [0.0102]
    """
    there, place = compact(group)
    capped = np.minimum(p, 1 - CLIP)
    total = np.bincount(place, capped, minlength=len(there))
    profit = np.zeros(len(there))
    rows = (total > 1 + ROUNDED)[place] & (capped > 0)
    if rows.any():
        broken, of_broken = compact(place[rows])
        profit[broken] = _excess(capped[rows], of_broken, len(broken))
    checked = np.bincount(place, minlength=len(there)) > 1
    return profit[checked], there[checked]


def _excess(p: Floats, group: Whole, groups: int) -> Floats:
    """The divergence from p of the nearest probabilities that add up to 1 in each group."""
    odds = np.log(p / (1 - p))
    low = np.zeros(groups)
    high = np.full(groups, -np.inf)
    np.maximum.at(high, group, odds)
    high += np.log(np.bincount(group, minlength=groups))  # each is then at most 1 / size
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        over = np.bincount(group, expit(odds - middle[group]), minlength=groups) > 1
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    nearest = expit(odds - high[group])
    total: Floats = np.bincount(group, divergence(nearest, p), groups).astype(np.float64)
    return total


def ladder_arbitrage(p: Floats, group: Whole, rung: Floats) -> tuple[Floats, Whole]:
    """What outcomes that imply each other earn, ladder by ladder.

    A rung implies all higher ones, so that p must not fall. The coherent q nearest to p, by
    the sum of KL(q || p), pool the log odds of rungs that do.

    Args:
        p: (n,) P(YES) of the rungs, moved into [0.001, 0.999].
        group: (n,) the ladder of each, codes from 0.
        rung: (n,) its place: no two rungs of a ladder have the same.

    Returns:
        The profit in nats of each ladder that has two rungs, and these ladders' codes, rising.

    Source:
        As of `exclusive_arbitrage`; of two outcomes it is the paper's Consequence check.

    >>> pair, one = np.array([0.6, 0.5]), np.array([0, 0])
    >>> profit, _ = ladder_arbitrage(pair, one, np.array([1.0, 2.0]))
    >>> profit.round(4).tolist()
    [0.0102]
    """
    order = np.lexsort((rung, group))
    there, place = compact(group[order])
    odds = log_odds(p[order], CLIP)
    falls = (np.diff(odds) < -ROUNDED) & (np.diff(place) == 0)
    is_broken = np.zeros(len(there), np.bool_)
    is_broken[place[1:][falls]] = True
    profit = np.zeros(len(there))
    rows = is_broken[place]
    if rows.any():
        broken, of_broken = compact(place[rows])
        apart = 2 * of_broken * -np.log(CLIP) * 2  # no two ladders are pooled
        pooled = isotonic_regression(odds[rows] + apart).x - apart
        moved = divergence(expit(pooled), expit(odds[rows]))
        profit[broken] = np.bincount(of_broken, moved, minlength=len(broken))
    checked = np.bincount(place, minlength=len(there)) > 1
    return profit[checked], there[checked]


def divergence(q: Floats, p: Floats) -> Floats:
    """KL(q || p) of two yes/no probabilities, in nats; infinite where p excludes q.

    Source:
        Kullback and Leibler (1951), Annals of Mathematical Statistics 22.
    """
    nats: Floats = np.maximum(rel_entr(q, p) + rel_entr(1 - q, 1 - p), 0.0)
    return nats
