"""Evidence that may be looked at more than once: at any time, or on dates laid down before.

Wealth is won by betting against a null, and may be looked at whenever one likes.

While the null hypothesis holds, wealth that starts at 1 exceeds 1/alpha at some time with a
probability of at most alpha, so the largest wealth so far gives a p-value that needs no
correction for looking early or often. Arrays are in the order of time, oldest first; nothing
gives nothing. A gain is the other's loss minus one's own: positive where one was better.

Group-sequential tests are read on several dates which were laid down before. A sum of
differences moves like a Brownian motion, and the time passed is the share of the season that is
over. Alpha is spent as the square of that share: little at the first looks,
most of it at the end. A boundary is crossed by |z| at any look with probability alpha.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from arena.stats.columns import Floats, Whole

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


def anytime_p(e: Floats) -> Floats:
    """One over the largest wealth so far, at most 1.

    Args:
        e: (T,) wealth after each look, not negative.

    Raises:
        ValueError: Wealth is NaN or negative.

    Source:
        Ville (1939); Shafer (2021), Journal of the Royal Statistical Society A 184.

    >>> anytime_p(np.array([0.5, 4.0, 2.0])).tolist()
    [1.0, 0.25, 0.25]
    """
    wealth = np.asarray(e, dtype=np.float64)
    if not np.all(wealth >= 0):
        raise ValueError("wealth is not negative")
    peak = np.maximum.accumulate(wealth, axis=0)
    return np.asarray(np.minimum(1.0, 1 / np.maximum(peak, np.finfo(np.float64).tiny)))


def henzi_ziegel(p: Floats, q: Floats, outcome: Whole, *, weight: float = 0.75) -> Floats:
    """E-values of each question for "p never has the better expected Brier score than q".

    Each is a likelihood ratio: what one would bet, `weight` of p and the rest of q, against
    the probability at which both score alike, half way between them. Forecasts that agree
    give 1. They multiply where each question resolved before the next was asked.

    Args:
        p: (n,) the first forecaster's P(YES).
        q: (n,) the second forecaster's.
        outcome: (n,) 0 or 1.
        weight: How far the alternative leans to p, in [1/2, 1]: below, it leans to q.

    Raises:
        ValueError: A forecast outside [0, 1], an outcome that is neither 0 nor 1,
            unequal lengths, or a weight outside [1/2, 1].

    Source:
        Henzi and Ziegel (2022), Biometrika 109, with the correction for lags in 109(4).
    """
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError("two forecasters forecast the same questions")
    for forecasts in (first, second):
        if not np.all((forecasts >= 0) & (forecasts <= 1)):
            raise ValueError("a probability lies in [0, 1]")
    came = np.asarray(outcome)
    if came.shape != first.shape or not np.all((came == 0) | (came == 1)):
        raise ValueError("there is an outcome, 0 or 1, for each forecast")
    if not 0.5 <= weight <= 1:  # noqa: PLR2004  half way, where nothing is bet
        raise ValueError(f"a weight lies in [1/2, 1], not {weight}")
    alike = (first + second) / 2
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


POWER: Final = 2  # of the share of a season that is over: how alpha is spent
NODES: Final = 96  # of the quadrature between the two boundaries
HALVINGS: Final = 60
_ALPHAS: Final = np.logspace(-10, np.log10(0.99), 49)
_WIDEST: Final = 9.0  # standard errors: beyond it there is no probability worth counting


def spent(fraction: float, alpha: float) -> float:
    """The alpha that a season has spent when so much of it is over.

    Raises:
        ValueError: A share or a level outside (0, 1]; a level of 1.

    Source:
        Kim and DeMets (1987), Biometrika 74, with the power 2.

    >>> spent(0.5, 0.05)
    0.0125
    """
    if not (0 < fraction <= 1 and 0 < alpha < 1):
        raise ValueError(f"nothing is spent at {fraction} of a season of level {alpha}")
    return alpha * fraction**POWER


def sequential_p(z: Floats, fractions: tuple[float, ...]) -> Floats:
    """The least alpha whose boundary has been crossed by each look.

    Args:
        z: (looks so far, ...) standardised sums, of either sign.
        fractions: Of all looks of the season, those still to come too.

    Returns:
        Of the shape of `z`: 1 where nothing was crossed; it never rises from look to look.

    Raises:
        ValueError: More looks than shares, or shares that do not rise in (0, 1].
    """
    abs_z = np.abs(np.asarray(z, dtype=np.float64))
    if len(abs_z) > len(fractions):
        raise ValueError(f"{len(abs_z)} looks of a season that has {len(fractions)}")
    table = _table(_rising(fractions))
    alone = -ndtri(
        _ALPHAS[::-1] / 2
    )  # of a single test: bounds of looks are nearly a line in it
    p = np.ones_like(abs_z)
    for n, row in enumerate(abs_z):
        p[n] = 2 * ndtr(-np.interp(row, table[n][::-1], alone, left=0.0))
    return np.asarray(np.minimum.accumulate(p, axis=0))


def sequential_anytime_p(z: Floats, passed: Floats, *, best_at: float, alpha: float) -> Floats:
    """A p-value that holds at every look, with no last one: of an asymptotic mixture.

    Args:
        z: (looks, ...) standardised sums.
        passed: (looks, ...) time passed, in any unit, not negative.
        best_at: The time, in that unit, at which the boundary is to be low.
        alpha: The level that it is to be low for.

    Returns:
        Of the shape of `z`, never rising from look to look.

    Raises:
        ValueError: A time or a level that is not positive.

    Source:
        Robbins (1970), Annals of Mathematical Statistics 41; Waudby-Smith, Arbour, Sinha,
        Kennedy and Ramdas (2024), Annals of Statistics 52, for estimated variances.
    """
    twice = 2 * float(np.log(1 / alpha)) if 0 < alpha < 1 else 0.0
    if not (twice > 0 and best_at > 0):
        raise ValueError(f"no mixture is low at {best_at} for a level of {alpha}")
    rho = best_at / (twice + np.log1p(twice))
    time = np.broadcast_to(np.asarray(passed, dtype=np.float64), np.shape(z))
    if np.any(time < 0):
        raise ValueError("time passed is not negative")
    logs = 0.5 * np.log1p(time / rho) - np.asarray(z) ** 2 / 2 * time / (time + rho)
    return np.asarray(np.minimum.accumulate(np.exp(np.minimum(logs, 0.0)), axis=0))


@lru_cache(maxsize=32)
def _table(fractions: tuple[float, ...]) -> Floats:
    """(looks, alphas) boundaries, for `_ALPHAS`."""
    return boundaries(fractions, _ALPHAS)


def _rising(fractions: tuple[float, ...]) -> tuple[float, ...]:
    shares = np.array(fractions)
    if not shares.size or np.any(np.diff(shares, prepend=0.0) <= 0) or shares[-1] > 1 + 1e-12:
        raise ValueError("looks come at rising shares of a season, in (0, 1]")
    return fractions


def boundaries(fractions: tuple[float, ...], alphas: Floats) -> Floats:
    """How large |z| must be at each look, (looks, alphas): the paths left are integrated.

    Args:
        fractions: Shares of the season that are over at the looks, rising, in (0, 1].
        alphas: Chances to cross at any look, in (0, 1).

    Source:
        Armitage, McPherson and Rowe (1969), JRSS A 132, for the recursion; Lan and DeMets
        (1983), Biometrika 70, for spending alpha.

    >>> boundaries((0.5, 1.0), np.array([0.05])).round(2).ravel().tolist()
    [2.5, 2.02]
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    bounds = np.zeros((len(fractions), alphas.size))
    at = density = np.zeros((0, 0))  # where paths that never crossed stand, and how densely
    passed = 0.0
    for n, now in enumerate(fractions):
        step = np.sqrt(now - passed)
        wanted = alphas * (now**POWER - passed**POWER)
        if n == 0:
            bound = -ndtri(wanted / 2) * np.sqrt(now)
        else:
            bound = _bound(at, density, step, wanted, np.sqrt(now) * _WIDEST)
        bounds[n] = bound / np.sqrt(now)
        inside = bound[:, None] * nodes
        if n == 0:
            shape = np.exp(-(inside**2) / (2 * now)) / np.sqrt(2 * np.pi * now)
        else:
            apart = (inside[:, :, None] - at[:, None, :]) / step
            moved = np.exp(-(apart**2) / 2) / (step * np.sqrt(2 * np.pi))
            shape = np.einsum("anm,am->an", moved, density)
        at, density = inside, shape * weights * bound[:, None]
        passed = now
    return bounds


def _bound(at: Floats, density: Floats, step: float, wanted: Floats, most: float) -> Floats:
    """Where so much of the probability that is left lies beyond, on both sides together."""
    low, high = np.zeros(wanted.size), np.full(wanted.size, most)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = ndtr((at - middle[:, None]) / step) + ndtr((-middle[:, None] - at) / step)
        too_low = np.einsum("am,am->a", beyond, density) > wanted
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return np.asarray((low + high) / 2)
