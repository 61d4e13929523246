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

from arena.stats.boundaries import log_gamma_mixture, mixture_rho
from arena.stats.sequences import intrinsic_time

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

_LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True, eq=False)
class Wealth:
    """Log wealth after each look; the hypothesis it bets against is its maker's."""

    log_e: Floats

    @property
    def e(self) -> Floats:
        """Wealth after each look, cut where a float would overflow."""
        return np.asarray(np.exp(np.minimum(self.log_e, _LARGEST_LOG)))

    @property
    def p(self) -> Floats:
        """The anytime-valid p-value after each look: one over the largest wealth so far."""
        return anytime_p(self.e)


class Rule(StrEnum):
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
    found = np.asarray(e, dtype=np.float64)
    if not np.all(found >= 0):
        raise ValueError("wealth is not negative")
    if best_of < 1:
        raise ValueError(f"the best of {best_of} is nobody")
    peak = np.maximum.accumulate(found, axis=0)
    return np.asarray(np.minimum(1.0, best_of / np.maximum(peak, np.finfo(np.float64).tiny)))


def portfolio_evalue(total: Floats, initial: float, *, best_of: int = 1) -> Wealth:
    """Settled wealth over what it began with, as evidence that prices were wrong.

    It holds for trades at fair prices without fees; a return of 50 % is e = 1.5, no
    evidence. The best of k portfolios has its wealth divided by k.

    Args:
        total: (T,) value of the portfolio after each look, not negative.
        initial: Its value before the first bet.
        best_of: How many portfolios it was the best of.

    Raises:
        ValueError: A value is negative or not finite, or `initial` is not positive.

    Source:
        Shafer (2021), Journal of the Royal Statistical Society A 184.

    >>> portfolio_evalue(np.array([15_000.0]), 10_000).p.round(3).tolist()
    [0.667]
    """
    found = np.asarray(total, dtype=np.float64)
    if not np.all(np.isfinite(found) & (found >= 0)):
        raise ValueError("a portfolio's value is finite and not negative")
    if not (np.isfinite(initial) and initial > 0 and best_of >= 1):
        raise ValueError("a portfolio begins with money, and is the best of at least itself")
    return Wealth(_log(found / initial / best_of))


def kappa(p: Floats, q: Floats, rule: Rule = Rule.BRIER) -> Floats:
    """The probability of YES at which two forecasts are expected to score alike.

    Args:
        p: (n,) one's P(YES).
        q: (n,) the other's.
        rule: The score; the log score needs forecasts strictly inside (0, 1).

    Raises:
        ValueError: A forecast outside its range, or unequal lengths.

    Source:
        Henzi and Ziegel (2022), Biometrika 109.
    """
    rule = Rule(rule)
    one, other = _probabilities(p, q, rule)
    if rule is Rule.BRIER:
        return np.asarray((one + other) / 2)
    odds = np.log(one / other) - np.log((1 - one) / (1 - other))
    alike = odds == 0
    spread = np.log1p(-other) - np.log1p(-one)
    return np.asarray(np.where(alike, one, spread / np.where(alike, 1.0, odds)))


def henzi_ziegel(
    p: Floats, q: Floats, outcome: Whole, *, rule: Rule = Rule.BRIER, weight: float = 0.75
) -> Floats:
    """E-values of each question for "p never has the better expected score than q".

    Each is a likelihood ratio: what one would bet, `weight` of p and the rest of q, against
    the probability at which both score alike. Forecasts that agree give 1. They multiply
    where each question resolved before the next was asked: see `batch_means` for others.

    Args:
        p: (n,) one's P(YES).
        q: (n,) the other's.
        outcome: (n,) 0 or 1.
        rule: Which score.
        weight: How far the alternative leans to p, in [0, 1].

    Raises:
        ValueError: A forecast outside its range, an outcome that is neither 0 nor 1,
            unequal lengths, or a weight outside [0, 1].

    Source:
        Henzi and Ziegel (2022), Biometrika 109, with the correction for lags in 109(4).
    """
    rule = Rule(rule)
    one, other = _probabilities(p, q, rule)
    came = np.asarray(outcome)
    if came.shape != one.shape or not np.all((came == 0) | (came == 1)):
        raise ValueError("there is an outcome, 0 or 1, for each forecast")
    if not 0 <= weight <= 1:
        raise ValueError(f"a weight lies in [0, 1], not {weight}")
    alike = kappa(one, other, rule)
    bet = weight * one + (1 - weight) * other
    top = np.where(came == 1, bet, 1 - bet)
    bottom = np.where(came == 1, alike, 1 - alike)
    known = (one == other) | (bottom == 0)
    return np.asarray(np.where(known, 1.0, top / np.where(known, 1.0, bottom)))


def product(e: Floats) -> Wealth:
    """Wealth from betting all of it again and again: the running product of e-values.

    Raises:
        ValueError: An e-value is NaN or negative.
    """
    found = np.asarray(e, dtype=np.float64)
    if not np.all(found >= 0):
        raise ValueError("an e-value is not negative")
    return Wealth(np.cumsum(_log(found)))


def batch_means(e: Floats, batch: Whole, event: Whole | None = None) -> Floats:
    """One e-value a batch: the mean of those that were open together.

    What is open at once may be dependent, so its e-values average, which is valid under any
    dependence; the batches' means multiply if no batch was opened before the one before it
    had closed. Only whole batches count, so give none that is still open.

    Args:
        e: (n,) e-values, or gains, of the questions.
        batch: (n,) each one's batch; the answer is in ascending order of these numbers.
        event: (n,) each one's event; given, an event counts once in its batch, by its mean.

    Raises:
        ValueError: Unequal lengths, or a value that is not finite.
    """
    found = np.asarray(e, dtype=np.float64)
    if found.shape != np.shape(batch) or not np.all(np.isfinite(found)):
        raise ValueError("each finite e-value has its batch")
    where = np.asarray(batch)
    if event is not None:
        pairs = np.stack([where, np.asarray(event)])
        cells, code = np.unique(pairs, axis=1, return_inverse=True)
        found, where = _means(found, code.reshape(-1)), cells[0]
    return _means(found, np.unique(where, return_inverse=True)[1].reshape(-1))


def nonoverlapping_batches(opened: NDArray[np.generic], closed: NDArray[np.generic]) -> Whole:
    """Batches of questions none of which was asked before the batch before had resolved.

    Args:
        opened: (n,) when each was forecast, numbers or times.
        closed: (n,) when each resolved, not before that.

    Returns:
        (n,) the number of each question's batch, from 0, in the order of time.

    Raises:
        ValueError: Unequal lengths, an unknown time, or a question resolved before asked.

    >>> nonoverlapping_batches(np.array([1, 2, 5, 7]), np.array([3, 5, 6, 9])).tolist()
    [0, 0, 1, 2]
    """
    start, end = np.asarray(opened), np.asarray(closed)
    if start.shape != end.shape or not np.all(start <= end):
        raise ValueError("every question has a time it was asked and a later one it resolved")
    order = np.argsort(start, kind="stable")
    codes = np.zeros(start.size, dtype=np.intp)
    if start.size:
        latest = np.maximum.accumulate(end[order])
        codes[order[1:]] = np.cumsum(start[order][1:] >= latest[:-1])
    return codes


def weak_null_wealth(
    gains: Floats,
    *,
    c: float = 2.0,
    v_opt: float = 10.0,
    alpha: float = 0.025,
    ceiling: float | None = None,
) -> Wealth:
    """Against "not better on average so far": slow, but it allows better days under the null.

    Args:
        gains: (T,) gains, each centred given the past if the average gain is 0.
        c: The range of a gain's deviations: 2 for Brier differences.
        v_opt: The intrinsic time it bets for.
        alpha: The one-sided level it bets for.
        ceiling: Where to cut the wealth, as some programs do.

    Raises:
        ValueError: A gain is not finite or larger than `c`, or a parameter out of its range.

    Source:
        Choe and Ramdas (2023), Operations Research: a gamma mixture of exponential
        supermartingales.
    """
    found = np.asarray(gains, dtype=np.float64)
    if found.ndim != 1 or not np.all(np.abs(found) <= c):
        raise ValueError(f"gains are one row of numbers within {c} of 0")
    if not 0 < alpha < 1 / 2:
        raise ValueError(f"a one-sided level lies in (0, 1/2), not {alpha}")
    rho = mixture_rho(v_opt, 2 * alpha)
    log_e = log_gamma_mixture(np.cumsum(found), intrinsic_time(found), rho=rho, c=c)
    return Wealth(log_e if ceiling is None else np.minimum(log_e, np.log(ceiling)))


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
    found = np.asarray(x, dtype=np.float64)
    shares = np.broadcast_to(np.asarray(bets, dtype=np.float64), found.shape)
    if found.ndim != 1 or not np.all(np.isfinite(found) & (found >= -1)):
        raise ValueError("returns are one row of numbers of at least -1")
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError("a bet is a share of wealth in [0, 1]")
    return Wealth(np.cumsum(_log(1 + shares * found)))


def plugin_bets(x: Floats, *, largest: float = 0.5) -> Floats:
    """Each look's bet from the returns before it: mean / (variance + mean squared), cut.

    The first two bets are 0: nothing is known of the spread.

    Args:
        x: (T,) returns.
        largest: Where the share is cut, in [0, 1].

    Raises:
        ValueError: A return is not finite, or `largest` outside [0, 1].

    Source:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86:
        the bet of nearly the largest growth.
    """
    found = np.asarray(x, dtype=np.float64)
    if found.ndim != 1 or not np.all(np.isfinite(found)):
        raise ValueError("returns are one row of finite numbers")
    if not 0 <= largest <= 1:
        raise ValueError(f"a bet is a share of wealth in [0, 1], not {largest}")
    bets = np.zeros_like(found)
    n = np.arange(2.0, found.size)
    sums, squares = np.cumsum(found)[1:-1], np.cumsum(found**2)[1:-1]
    mean = sums / n
    spread = np.maximum(0.0, squares - n * mean**2) / (n - 1) + mean**2
    known = spread > 0
    bets[2:] = np.where(known, np.clip(mean / np.where(known, spread, 1.0), 0, largest), 0.0)
    return bets


def _means(values: Floats, code: Whole) -> Floats:
    return np.asarray(np.bincount(code, values) / np.bincount(code))


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # all of the wealth may be lost: its log is -inf
        return np.asarray(np.log(values))


def _probabilities(p: Floats, q: Floats, rule: Rule) -> tuple[Floats, Floats]:
    one, other = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if one.shape != other.shape:
        raise ValueError("two forecasters forecast the same questions")
    for found in (one, other):
        inside = (found > 0) & (found < 1) if rule is Rule.LOG else (found >= 0) & (found <= 1)
        if not np.all(inside):
            raise ValueError(f"a forecast lies outside the range of the {rule} score")
    return one, other
