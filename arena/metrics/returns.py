"""What a book has brought so far, and how its worth moved from day to day."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from arena.metrics.metric_values import LEVEL
from arena.metrics.shadow import PlayedBook
from arena.records.estimate import Estimate, State
from arena.stats.mean_intervals import interval
from arena.stats.sharpe import max_drawdown_compounded

RISKS: Final = ("max_drawdown", "volatility", "worst_day")
LEAST: Final = 2  # days for a spread


def realised_return(played: PlayedBook, level: float = LEVEL) -> Estimate:
    """Realised P/L less all fees over the opening capital, with an interval over events.

    An event's value is the P/L of what was settled or sold on it, less the fees of what is
    still open. `n` counts what was settled or sold.

    Args:
        played: Own bets of one contestant.
        level: Confidence, in (0, 1).

    Returns:
        EMPTY where nothing was settled or sold yet.
    """
    book, events = played.paid, played.paid_lines.event[played.paid.rows]
    closed = ~np.isnan(book.pnl)
    if not closed.any():
        return Estimate(None, 0, 0, state=State.EMPTY)
    _, code = np.unique(events, return_inverse=True)
    sums = np.bincount(code, np.where(closed, book.pnl, -book.fee))
    estimate = interval(sums * (len(sums) / book.capital), np.arange(len(sums)), level)
    return replace(estimate, n=int(closed.sum()))


def risks(capital: Sequence[float], worth: Sequence[float | None]) -> Mapping[str, Estimate]:
    """How far and how unevenly a path of worth fell.

    A day's return is its worth over that of the day before, and over the capital that came
    in since, less one; so that new capital is neither a gain nor a loss. A day whose worth
    is not known is passed over: the next return spans it.

    Args:
        capital: What all cohorts that had started by the end of each day began with.
        worth: What they were worth then, None where that is not known.

    Returns:
        Estimates of `RISKS` without intervals; `n` counts returns. EMPTY without a return,
        NOT_ESTIMABLE where something was lost that was not there, TOO_FEW for the spread of
        one return.
    """
    made = daily_returns(capital, worth)
    if made is None:
        return {key: Estimate(None, 0, 0, state=State.NOT_ESTIMABLE) for key in RISKS}
    n = len(made)
    if not n:
        return {key: Estimate(None, 0, 0, state=State.EMPTY) for key in RISKS}
    spread = Estimate(None, n, 0, state=State.TOO_FEW)
    if n >= LEAST:
        spread = Estimate(float(np.std(made, ddof=1)), n, 0)
    return {
        "max_drawdown": Estimate(max_drawdown_compounded(made), n, 0),
        "volatility": spread,
        "worst_day": Estimate(min(made), n, 0),
    }


def daily_returns(
    capital: Sequence[float], worth: Sequence[float | None]
) -> list[float] | None:
    """The return of each day whose worth is known, as in `risks`; None where none can be."""
    made: list[float] = []
    had = began = 0.0
    for invested, now in zip(capital, worth, strict=True):
        if now is None:
            continue
        base = had + invested - began
        if base <= 0 or now < 0:
            return None
        made.append(now / base - 1)
        had, began = now, invested
    return made
