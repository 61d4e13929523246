"""Who is better, on a board that is looked at every day: no false claim on any day.

The rule bets on each batch of questions with a stake that is safe because the largest
possible gain is known before the outcome: two Brier scores of p and q differ by at most
|p - q| max(p + q, 2 - p - q). A batch has to be settled on before its first outcome is known,
as the questions forecast on one day or closing on one, never as those that happened to
resolve on a day: a question "by December" resolves early only with YES. The null is that one
was at no batch expected to be better than the other, given the batches before.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from arena.stats.evalues import Wealth

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Whole = NDArray[np.intp]

BETS: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
CUT: Final = 0.9  # the share of wealth that a single batch can cost at most
_LARGEST_LOG: Final = 600.0


@dataclass(frozen=True, slots=True, eq=False)
class DailyGains:
    """What the first of each pair gained on the second, a day a row.

    `gains` and `bounds` (T, m) are means over a day's events, of the means over an event's
    questions, that both forecast; 0 and 0 on a day without one. `pairs` (m, 2) holds the
    numbers of both contestants, `days` (T,) the day codes in ascending order and `events`
    (T, m) how many events a mean is of.
    """

    gains: Floats
    bounds: Floats
    pairs: Whole
    days: Whole
    events: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """Wealth against "the first is never better", and against "the second is never"."""

    first: Wealth
    second: Wealth

    def p(self) -> Floats:
        """The two-sided anytime p after each look: each side has half of the level."""
        return np.asarray(np.minimum(1.0, 2 * np.minimum(self.first.p, self.second.p)))


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Every ordered pair (T, k, k) after each day: [t, i, j] is "i is better than j".

    `e` is the wealth of that claim on its own; `p` the smallest level at which the family of
    all k (k - 1) claims, over all days so far, would have made it. A claim once made stands.
    """

    e: Floats
    p: Floats

    def claims(self, alpha: float = 0.05) -> Flags:
        """(k, k) what may be claimed by now with any false claim as rare as `alpha`."""
        latest = self.p[-1] if len(self.p) else np.ones(self.p.shape[1:])
        return np.asarray(latest <= alpha)


def largest_gain(p: Floats, q: Floats) -> Floats:
    """How far the Brier scores of two forecasts can lie apart, whatever comes.

    >>> largest_gain(np.array([0.8]), np.array([0.5])).round(3).tolist()
    [0.39]
    """
    return np.asarray(np.abs(p - q) * np.maximum(p + q, 2 - p - q))


def bounded_wealth(gains: Floats, bounds: Floats, bets: tuple[float, ...] = BETS) -> Wealth:
    """Wealth against "never expected to gain", from bets that the known bounds make safe.

    An equal mixture over fixed bets of the running product of 1 + bet x gain; a bet that
    could lose more than nine tenths of the wealth is cut to what loses that.

    Args:
        gains: (T,) or (T, m): a batch a row, in the order of time.
        bounds: Of that shape, the largest that a gain or loss could have been, known before.
        bets: The bets, in shares of wealth for a gain of 1.

    Raises:
        ValueError: A gain beyond its bound or not finite, unequal shapes, or no or a
            negative bet.

    Source:
        Robbins and Siegmund's mixtures of bets (1974), Annals of Statistics 2, with
        predictable ranges: Waudby-Smith and Ramdas (2024), JRSS B 86.
    """
    found, most = np.asarray(gains, dtype=np.float64), np.asarray(bounds, dtype=np.float64)
    if found.shape != most.shape or not np.all(np.isfinite(most) & (most >= 0)):
        raise ValueError("every gain has a bound that is finite and not negative")
    if not np.all(np.abs(found) <= most * (1 + 1e-9) + 1e-12):
        raise ValueError("a gain is larger than what was called its bound")
    if not bets or min(bets) <= 0:
        raise ValueError("a mixture needs bets, and positive ones")
    safe = np.divide(CUT, most, out=np.full_like(most, np.inf), where=most > 0)
    logs = [np.cumsum(np.log1p(np.minimum(bet, safe) * found), axis=0) for bet in bets]
    mixed = logsumexp(np.stack(logs), axis=0) - np.log(len(bets))
    return Wealth(np.asarray(mixed))


def duel(gains: Floats, bounds: Floats, bets: tuple[float, ...] = BETS) -> Duel:
    """Both sides of one comparison: see `bounded_wealth`."""
    return Duel(bounded_wealth(gains, bounds, bets), bounded_wealth(-gains, bounds, bets))


def daily_gains(
    p: Floats, outcome: Whole, event: Whole, day: Whole, *, made: Flags | None = None
) -> DailyGains:
    """The gains of every pair of contestants on every day, events counting once.

    Args:
        p: (n, k) each contestant's P(YES) for each question.
        outcome: (n,) 0 or 1.
        event: (n,) each question's event.
        day: (n,) each question's batch, settled before its outcome: see above.
        made: (n, k) where a forecast was made at all; everywhere if not given. What stands
            in `p` elsewhere is not looked at.

    Raises:
        ValueError: Unequal lengths, a forecast outside [0, 1], or an outcome that is
            neither 0 nor 1.

    Source:
        Brier differences; their mean over dependent questions keeps the null and the bound.
    """
    there = np.ones(p.shape, dtype=np.bool_) if made is None else made
    _check(p, outcome, there, (event, day))
    pairs = np.array(list(combinations(range(p.shape[1]), 2)), dtype=np.intp).reshape(-1, 2)
    days, which = np.unique(day, return_inverse=True)
    cells, cell = np.unique(np.stack([which.reshape(-1), event]), axis=1, return_inverse=True)
    order = np.argsort(cell.reshape(-1), kind="stable")
    starts = np.searchsorted(cell.reshape(-1)[order], np.arange(cells.shape[1]))
    firsts = np.searchsorted(cells[0], np.arange(days.size))
    kept = _Sorted(np.where(there, p, 0.0)[order], outcome[order], there[order], starts, firsts)
    empty = np.zeros((days.size, 0))
    parts = [(empty, empty, empty), *(kept.rest(one) for one in range(p.shape[1] - 1))]
    gains, bounds, events = (np.concatenate(x, axis=1) for x in zip(*parts, strict=True))
    return DailyGains(gains, bounds, pairs, days, events.astype(np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """Questions by day and event: where events begin among them, and days among events."""

    p: Floats
    outcome: Whole
    made: Flags
    events: Whole
    days: Whole

    def rest(self, one: int) -> tuple[Floats, Floats, Floats]:
        """Gains on all with a larger number, their bounds, and how many events: (T, ...)."""
        own, rest = self.p[:, one : one + 1], self.p[:, one + 1 :]
        both = (self.made[:, one : one + 1] & self.made[:, one + 1 :]).astype(np.float64)
        known = _sums(both, self.events)
        events = _sums((known > 0).astype(np.float64), self.days)
        gain = (rest - own) * (rest + own - 2 * self.outcome[:, None])
        means = []
        for values in (gain, largest_gain(own, rest)):
            in_event = _sums(values * both, self.events) / np.maximum(known, 1)
            means.append(_sums(in_event, self.days) / np.maximum(events, 1))
        return means[0], means[1], events


def closed_evalues(e: Floats) -> Floats:
    """Each e-value as the whole family allows it: the least mean with any others.

    Claiming where the answer is at least 1/alpha makes any false claim with a probability
    of at most alpha, whatever the dependence; it is never weaker than dividing each e-value
    by their number.

    Args:
        e: (..., m) e-values of m hypotheses in the last axis.

    Raises:
        ValueError: An e-value is NaN or negative.

    Source:
        Vovk and Wang (2021), Annals of Statistics 49: closed testing by means.

    >>> closed_evalues(np.array([90.0, 2.0, 1.0])).tolist()
    [31.0, 1.5, 1.0]
    """
    found = np.asarray(e, dtype=np.float64)
    if not np.all(found >= 0):
        raise ValueError("an e-value is not negative")
    order = np.argsort(found, axis=-1, kind="stable")
    upward = np.take_along_axis(found, order, axis=-1)
    below = np.cumsum(upward, axis=-1) - upward
    m = found.shape[-1]
    adjusted = upward.copy()
    for i in range(1, m):
        least = (upward[..., i:] + below[..., i, None]) / (i + 1)
        np.minimum(adjusted[..., i:], least, out=adjusted[..., i:])
    back = np.empty_like(adjusted)
    np.put_along_axis(back, order, adjusted, axis=-1)
    return back


def daily_board(daily: DailyGains, contestants: int, bets: tuple[float, ...] = BETS) -> Board:
    """Every pair's evidence after each day, corrected for all pairs and all days.

    The probability that the board ever makes a false claim at level alpha is at most alpha.

    Args:
        daily: Gains of pairs by day.
        contestants: How many there are.
        bets: See `bounded_wealth`.

    Raises:
        ValueError: A gain beyond its bound.

    Source:
        Ville's inequality for the mean of the true nulls' wealth, with the closed testing
        of Vovk and Wang (2021), Annals of Statistics 49.
    """
    forward = bounded_wealth(daily.gains, daily.bounds, bets).log_e
    backward = bounded_wealth(-daily.gains, daily.bounds, bets).log_e
    every = np.concatenate([forward, backward], axis=1)
    own = np.exp(np.minimum(every, _LARGEST_LOG))
    peak = np.maximum.accumulate(closed_evalues(own), axis=0)
    level = 1 / np.maximum(peak, 1.0)
    shape = (len(own), contestants, contestants)
    first, second = daily.pairs.T
    rows = np.concatenate([first, second])
    columns = np.concatenate([second, first])
    e, p = np.ones(shape), np.ones(shape)
    e[:, rows, columns] = own
    p[:, rows, columns] = level
    return Board(e, p)


def _sums(x: Floats, starts: Whole) -> Floats:
    if not len(x):
        return np.zeros((0, x.shape[1]))
    return np.asarray(np.add.reduceat(x, starts, axis=0))


def _check(p: Floats, outcome: Whole, made: Flags, codes: tuple[Whole, Whole]) -> None:
    if len(p.shape) != 2 or made.shape != p.shape:  # noqa: PLR2004  rows and columns
        raise ValueError("forecasts stand in a row a question and a column a contestant")
    if any(np.shape(code) != (len(p),) for code in (outcome, *codes)):
        raise ValueError("every question has an outcome, an event and a day")
    if not np.all((outcome == 0) | (outcome == 1)):
        raise ValueError("an outcome is 0 or 1")
    if not np.all((p[made] >= 0) & (p[made] <= 1)):
        raise ValueError("a probability lies in [0, 1]")
