"""Probabilities without the bookmaker's margin, for many books at once."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Floats, books

CHUNK: Final = 16384  # books solved together: they stay in the processor's cache
STEPS: Final = 200
ROUNDING: Final = 1e-12
LAST_DIGIT: Final = 1e-15

Solved = tuple[Floats, Floats]
Curve = Callable[[Floats], Solved]


class DevigMethod(StrEnum):
    """How the margin is taken to be spread over the outcomes."""

    MULTIPLICATIVE = "multiplicative"
    POWER = "power"
    SHIN = "shin"


@dataclass(frozen=True, slots=True, eq=False)
class FairProbabilities:
    """Fair probabilities `q` of the shape of the odds, which add up to 1 in each book.

    `overround` is the sum of 1/odds less 1. `parameter` is what was solved for, one a book:
    the sum of 1/odds (multiplicative), the exponent (power) or the share of insiders (Shin).
    """

    method: DevigMethod
    q: Floats
    parameter: Floats
    overround: Floats


def devig(odds: ArrayLike, method: DevigMethod = DevigMethod.POWER) -> FairProbabilities:
    """Take the margin out of decimal odds.

    With r = 1/odds and B = sum r, q is r/B (multiplicative), r^k (power) or
    (sqrt(z^2 + 4 (1 - z) r^2/B) - z) / (2 (1 - z)) (Shin). k and z are such
    that q adds up to 1. An underround book (B < 1) is a book like any other, but has no
    insiders: Shin refuses it.

    Args:
        odds: Decimal odds above 1, shape (..., K), K >= 2 exclusive outcomes of one book
            along the last axis. No book at all gives no book.
        method: How the margin is spread.

    Raises:
        ValueError: Odds not above 1, a book of one outcome, or Shin for an
            underround book.

    Source:
        Power: Vovk and Zhdanov (2009), JMLR 10; Clarke, Kovalchik and Ingram (2017),
        American Journal of Sports Science 5. Shin (1993), Economic Journal 103, in the form
        of Jullien and Salanie (1994), Economic Journal 104.

    >>> devig([2.5, 3.5, 2.8]).q.round(6).tolist()
    [0.385575, 0.271721, 0.342703]
    """
    table = books(odds)
    flat = 1 / table.reshape(-1, table.shape[-1])
    q, parameter = np.empty_like(flat), np.empty(len(flat))
    solve = _SOLVERS[method]
    for start in range(0, len(flat), CHUNK):
        part = slice(start, start + CHUNK)
        fair, parameter[part] = solve(np.ascontiguousarray(flat[part].T))
        q[part] = fair.T
    lead = table.shape[:-1]
    overround = flat.sum(axis=1) - 1
    return FairProbabilities(
        method, q.reshape(table.shape), parameter.reshape(lead), overround.reshape(lead)
    )


def _newton(curve: Curve, start: Floats) -> Floats:
    """Roots of convex falling curves, each from a start where its curve is not below 0."""
    x = start
    for _ in range(STEPS):
        value, slope = curve(x)
        step = value / slope
        x = x - step
        if (np.minimum(np.abs(value), np.abs(step)) <= LAST_DIGIT).all():
            return x
    return x


def _multiplicative(r: Floats) -> Solved:
    total = r.sum(axis=0)
    return r / total, total


def _power(r: Floats) -> Solved:
    logs = np.log(r)

    def curve(k: Floats) -> Solved:
        powers = np.exp(k * logs)
        total = powers.sum(axis=0)
        return np.log(total), (powers * logs).sum(axis=0) / total

    k = _newton(curve, np.where(r.sum(axis=0) >= 1, 1.0, 0.0))
    return np.exp(k * logs), k


def _shin(r: Floats) -> Solved:
    total, others = r.sum(axis=0), len(r) - 2
    if (total < 1 - ROUNDING).any():
        raise ValueError("Shin's model has no answer for an underround book")
    if not others:
        gap = (r[0] - r[1]) ** 2
        return r - (total - 1) / 2, (total - 1) * (total - gap) / (total * (1 - gap))
    share = 4 * r * r / total

    def curve(z: Floats) -> Solved:
        root = np.sqrt(z * z + (1 - z) * share)
        slope = ((z - share / 2) / root).sum(axis=0) - others
        return root.sum(axis=0) - 2 - others * z, slope

    z = np.maximum(_newton(curve, np.zeros(total.shape)), 0)
    return (np.sqrt(z * z + (1 - z) * share) - z) / (2 * (1 - z)), z


_SOLVERS: Final[dict[DevigMethod, Callable[[Floats], Solved]]] = {
    DevigMethod.MULTIPLICATIVE: _multiplicative,
    DevigMethod.POWER: _power,
    DevigMethod.SHIN: _shin,
}
