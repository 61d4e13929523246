"""Curves that a sum crosses at any time with a probability of at most alpha.

A sum S_t of differences, each centred given its past, has an intrinsic time V_t: its variance
so far. Every curve u here keeps P(S_t >= u(V_t) at some t) at or below alpha; the two-sided
one keeps |S_t|. `v` holds intrinsic times of any shape, not negative; the answer has its
shape. `v_opt` is the intrinsic time at which a curve is to be low, `alpha_opt` the level it
is made low for; both must be chosen before the data.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln, hyp1f1

Floats = NDArray[np.float64]

_DOUBLINGS = 60
_HALVINGS = 100
_UNDERFLOW = 1e-290


def mixture_rho(v_opt: float, alpha: float) -> float:
    """The precision of a normal mixture that is lowest at an intrinsic time, two-sided.

    A one-sided curve at level alpha takes this at 2 alpha.

    Raises:
        ValueError: `v_opt` is not positive, or alpha outside (0, 1).

    Source:
        Howard, Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49, proposition 3
        in its closed approximation.

    >>> round(mixture_rho(10, 0.05), 9)
    1.260056098
    """
    _check(v_opt, alpha)
    twice = 2 * float(np.log(1 / alpha))
    return v_opt / (twice + float(np.log1p(twice)))


def gamma_exponential_bound(
    v: Floats, alpha: float, *, v_opt: float, c: float, alpha_opt: float
) -> Floats:
    """The one-sided curve for sums of bounded differences, from a gamma mixture.

    Args:
        v: Sums of squared deviations from any forecast made before each difference.
        alpha: The level of this side alone.
        v_opt: Where the curve is to be low.
        c: The scale: how far a difference can lie above its forecast, for Brier
            differences in [-1, 1] the range 2.
        alpha_opt: The one-sided level that the curve is made low for.

    Raises:
        ValueError: A negative or non-finite time, a level outside (0, 1), `alpha_opt` of
            0.5 or more, or a scale that is not positive.

    Source:
        Howard et al. (2021), Annals of Statistics 49: conjugate mixtures.
    """
    times = _times(v, alpha)
    rho = mixture_rho(v_opt, 2 * alpha_opt)
    return _crossing(lambda s: log_gamma_mixture(s, times, rho=rho, c=c), times, alpha)


def log_gamma_mixture(s: Floats, v: Floats, *, rho: float, c: float) -> Floats:
    """The log wealth of a gamma mixture of bets after a sum `s` at intrinsic time `v`.

    Where the sum is so low that the closed form ends (c s + v + rho <= 0) an upper bound of
    the wealth stands in, which keeps every guarantee.

    Args:
        s: Sums, of any shape.
        v: Intrinsic times, of that shape.
        rho: The mixture's precision: see `mixture_rho`, at twice the one-sided level.
        c: The scale, in the units of the differences.

    Raises:
        ValueError: `rho` or `c` is not positive.

    Source:
        Howard et al. (2021), Annals of Statistics 49: conjugate mixtures; the bound is Choe
        and Ramdas (2023), Operations Research, appendix D.
    """
    if not (rho > 0 and c > 0):
        raise ValueError("a mixture needs a positive precision and a positive scale")
    r = rho / c**2
    a = (v + rho) / c**2
    x = (c * s + v + rho) / c**2
    lead = r * np.log(r) - gammaln(r) - np.log(gammainc(r, r))
    held = np.maximum(x, np.finfo(np.float64).tiny)
    inside = gammainc(a, held)
    closed = gammaln(a) + np.log(np.maximum(inside, _UNDERFLOW)) - a * np.log(held) + held - r
    # a tail too small for a float has the same wealth as a series that converges at once
    series = -r - np.log(a) + np.log(hyp1f1(1.0, a + 1, np.minimum(held, a)))
    usable = np.where(inside > _UNDERFLOW, closed, series)
    return np.asarray(lead + np.where(x > 0, usable, -r - np.log(a)))


def _crossing(log_wealth: Callable[[Floats], Floats], v: Floats, alpha: float) -> Floats:
    target = float(np.log(1 / alpha))
    high = np.maximum(v, 1e-12)
    for _ in range(_DOUBLINGS):
        short = log_wealth(high) <= target
        if not short.any():
            break
        high = np.where(short, 2 * high, high)
    low = np.zeros_like(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = log_wealth(middle) <= target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
        if np.all(high - low <= 1e-15 * high):
            break
    return np.asarray((low + high) / 2)


def _times(v: Floats, alpha: float) -> Floats:
    _check(1.0, alpha)
    times = np.asarray(v, dtype=np.float64)
    if not np.all(np.isfinite(times) & (times >= 0)):
        raise ValueError("an intrinsic time is finite and not negative")
    return times


def _check(v_opt: float, alpha: float) -> None:
    if not (np.isfinite(v_opt) and v_opt > 0):
        raise ValueError(f"v_opt is a positive intrinsic time, not {v_opt}")
    if not 0 < alpha < 1:
        raise ValueError(f"a level lies in (0, 1), not {alpha}")
