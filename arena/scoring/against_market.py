"""Scores less the market's own on the same questions: difficulty taken off without a model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import Estimate
from arena.scoring.table import Floats
from arena.stats.clusters import estimates, fit
from arena.stats.columns import codes, finite


@dataclass(frozen=True, slots=True)
class AgainstMarket:
    """One contestant's mean score less the market's on the same rows; below 0 beats it.

    `left_out` counts the rows for which no price was known.
    """

    agent: int
    gain: Estimate
    left_out: int


def less_market(score: ArrayLike, market_score: ArrayLike) -> Floats:
    """Each row's score less the score of the market's price then; NaN where there was none.

    Raises:
        ValueError: A score is not finite, a market's is infinite, or the lengths differ.

    >>> less_market([0.25, 0.04], [0.09, 0.09]).round(6).tolist()
    [0.16, -0.05]
    """
    own, market = finite(score, "scores"), np.asarray(market_score, dtype=np.float64)
    if own.shape != market.shape or np.isinf(market).any():
        raise ValueError("each score needs the market's: a number, or NaN where unknown")
    return own - market


def against_market(
    agent: ArrayLike,
    event: ArrayLike,
    difference: ArrayLike,
    level: float = 0.95,
) -> tuple[AgainstMarket, ...]:
    """Mean difference from the market of each contestant, with an interval by event.

    Args:
        agent: Codes of contestants, whole numbers from 0, (n,).
        event: Codes of events, whole numbers from 0, (n,).
        difference: What `less_market` says, (n,); rows of NaN are left out and counted.
        level: Confidence in (0, 1).

    Returns:
        One a contestant that has rows, in order of code.

    Raises:
        ValueError: A bad code or level, or an infinite difference.
    """
    found = np.asarray(difference, dtype=np.float64)
    n = found.size
    if found.ndim != 1 or np.isinf(found).any():
        raise ValueError("differences come in one column of numbers, NaN where unknown")
    codes(agent, n, "agents")
    names, who = np.unique(np.asarray(agent), return_inverse=True)
    known = ~np.isnan(found)
    events = codes(event, n)
    width = int(events.max()) + 1 if n else 0
    cell = (who * width + events)[known]
    shape = (len(names), width)
    cells = len(names) * width
    sums = np.asarray(np.bincount(cell, found[known], cells), np.float64).reshape(shape)
    rows = np.bincount(cell, minlength=cells).reshape(shape).astype(np.float64)
    means = estimates(fit(sums, rows), level)
    missing = np.bincount(who[~known], minlength=len(names)).tolist()
    columns = zip(names.tolist(), means, missing, strict=True)
    return tuple(AgainstMarket(int(name), gain, left) for name, gain, left in columns)
