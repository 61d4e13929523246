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
    q = np.where(yes[:, None], paths.mids[market], 1 - paths.mids[market])
    before, after = q[:, :-1], q[:, 1:]
    step = np.arange(before.shape[1])
    held = (step >= first[:, None]) & (step < paths.ended[market][:, None])
    held &= (before > 0) & ~np.isnan(after)
    gain = np.where(held, after / np.where(held, before, 1.0) - 1, 0.0)
    found = []
    for t in np.flatnonzero(held.any(axis=0)).tolist():
        _, unit = np.unique(event[held[:, t]], return_inverse=True)
        means = np.bincount(unit, gain[held[:, t], t]) / np.bincount(unit)
        found.append(means.mean())
    return np.array(found, np.float64)
