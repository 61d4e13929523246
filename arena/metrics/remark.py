"""Evidence from price moves alone: a dollar spread over the open bets, marked every round."""

from dataclasses import dataclass

import numpy as np

from arena.metrics.offered import Paths
from arena.odds.columns import Flags, Floats
from arena.scoring.book import Times
from arena.scoring.table import Whole
from arena.stats.evalues import betting_wealth, plugin_bets


@dataclass(frozen=True, slots=True)
class Remarked:
    """Wealth from betting that what was bet on gains, after so many steps with a bet open.

    While prices are a martingale it exceeds 1/a at any time with probability a at most, so
    that `p`, one over the largest, holds however often one looks.
    """

    steps: int
    e: float
    p: float


def remarked(paths: Paths, market: Whole, event: Whole, at: Times, yes: Flags) -> Remarked:
    """Bet on bets: how the prices of what was backed moved from each round to the next.

    From one moment to the next a dollar is spread evenly over the events with an open bet,
    and within an event over its bets; its return is the mean of q'/q - 1, where q is the
    middle price of the side backed. These returns follow each other without overlapping, so
    their wealth needs no assumption on how bets or events depend on each other. How much is
    risked on the next return follows from those before.

    Args:
        paths: Middle prices.
        market: The market of each bet, by number.
        event: Its event, by number.
        at: When it was made: one of the paths' moments.
        yes: Which side.

    Source:
        Ville (1939); Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical
        Society B 86, for the size of the bets.
    """
    series = returns(paths, market, event, at, yes)
    if not series.size:
        return Remarked(0, 1.0, 1.0)
    wealth = betting_wealth(series, plugin_bets(series))
    return Remarked(series.size, float(wealth.e[-1]), float(wealth.p[-1]))


def returns(paths: Paths, market: Whole, event: Whole, at: Times, yes: Flags) -> Floats:
    """The mean return of each step in which a bet was open, in the order of time."""
    first = np.searchsorted(paths.moments, at)
    last = np.minimum(paths.ended[market], paths.mids.shape[1] - 1)
    steps = np.maximum(last - first, 0)
    bet = np.repeat(np.arange(len(market)), steps)
    t = np.arange(len(bet)) + np.repeat(first - (np.cumsum(steps) - steps), steps)
    before, after = paths.mids[market[bet], t], paths.mids[market[bet], t + 1]
    before, after = (np.where(yes[bet], q, 1 - q) for q in (before, after))
    held = (before > 0) & ~np.isnan(after)
    if not held.any():
        return np.zeros(0)
    gain, bet, t = after[held] / before[held] - 1, bet[held], t[held]
    width = int(event.max()) + 1
    key, unit = np.unique(t * width + event[bet], return_inverse=True)
    means = np.bincount(unit, gain) / np.bincount(unit)
    cuts = np.flatnonzero(np.diff(key // width)) + 1
    return np.array([own.mean() for own in np.split(means, cuts)], np.float64)
