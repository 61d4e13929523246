r"""Fair prices: probabilities that move as martingales until the event is over.

Let B be a Brownian motion that starts at z and runs to time 1. The chance that it ends above
zero, seen at time u, is

    p(u) = P(B(1) > 0 | B up to u) = Phi(B(u) / sqrt(1 - u)),

a conditional probability of one fixed thing, and so a martingale: whatever was seen so far,
its expected change is nothing. Reading it at whole hours keeps that true. Time 1 lies past
the last hour at which a market can close (`BEYOND`), so the last price is inside (0, 1), and
the outcome is drawn with that last price as its chance: the price is calibrated at the end
and, by the martingale property, at every hour before it.

A market may close early. The hour is drawn without a look at the path, which makes it a
stopping time that is bounded, and a martingale stopped at such a time still is one.

Several outcomes of which one comes true share a stick of length 1: the first breaks off the
part q1, the second the part q2 of what is left, and so on, the last takes the rest. Each q is
a martingale and independent of the others, so the products are martingales too, and they add
up to 1 at every hour.

Source: a forecast as the price of a binary claim on Brownian motion, N. N. Taleb, "Election
predictions as martingales: an arbitrage approach", Quantitative Finance 18 (2018); optional
stopping, D. Williams, "Probability with Martingales" (1991), chapter 10; breaking a stick,
J. Sethuraman, "A constructive definition of Dirichlet priors", Statistica Sinica 4 (1994).
"""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

BEYOND = 0.35  # of the longest life: how far past it the Brownian motion would end
SINGLE_SPREAD = 0.8  # sd of the starting point of a yes/no event
STICK_SPREAD = 0.5  # sd of the starting points around equal shares of a stick

_erfc = np.frompyfunc(math.erfc, 1, 1)


def normal_cdf(x: Floats) -> Floats:
    """Give the chance that a standard normal variable is at most `x`, element by element."""
    return np.asarray(0.5 * _erfc(-x / math.sqrt(2)), dtype=np.float64)


def binary_paths(starts: Floats, steps: int, longest: int, rng: np.random.Generator) -> Floats:
    """Draw independent martingales in (0, 1), one for each starting point.

    Args:
        starts: Where each Brownian motion starts; its first price is Phi of it.
        steps: How many hours to draw.
        longest: The most hours that could have been drawn, at least `steps`.
        rng: Where chance comes from.

    Returns:
        Prices at the hours 0 to `steps`, an array of shape (len(starts), steps + 1).

    Source: the module's docstring.
    """
    horizon = longest * (1 + BEYOND)
    moves = rng.standard_normal((len(starts), steps)) / math.sqrt(horizon)
    walk = np.concatenate([starts[:, None], moves], axis=1).cumsum(axis=1)
    left = 1 - np.arange(steps + 1) / horizon
    return normal_cdf(walk / np.sqrt(left))


def break_stick(parts: Floats) -> Floats:
    """Share a stick of length 1: row i takes `parts[i]` of what the rows before it left.

    Args:
        parts: Fractions in [0, 1], shape (k, hours).

    Returns:
        Shares that add up to 1 in every column, shape (k + 1, hours).

    Source: the module's docstring.
    """
    ones = np.ones((1, parts.shape[1]))
    left = np.concatenate([ones, np.cumprod(1 - parts, axis=0)])
    shares: Floats = left * np.concatenate([parts, ones])
    return shares


def event_paths(outcomes: int, steps: int, longest: int, rng: np.random.Generator) -> Floats:
    """Draw the prices of all outcomes of one event.

    Args:
        outcomes: 1 for a yes/no event, whose second row is NO; else how many exclude each
            other.
        steps: Hours until the event closes.
        longest: Hours until it closes at the latest.
        rng: Where chance comes from.

    Returns:
        Prices that add up to 1 at every hour, shape (max(outcomes, 2), steps + 1).
    """
    cuts = max(outcomes - 1, 1)
    spread = SINGLE_SPREAD if outcomes == 1 else STICK_SPREAD
    shares = [1 / (cuts + 1 - i) for i in range(cuts)]
    centres = np.array([NormalDist().inv_cdf(share) for share in shares])
    starts = centres + spread * rng.standard_normal(cuts)
    return break_stick(binary_paths(starts, steps, longest, rng))
