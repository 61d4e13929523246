"""Probabilities without the bookmaker's margin, for many books at once."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Flags, Floats, books

CHUNK: Final = 16384  # books solved together: they stay in the processor's cache
STEPS: Final = 200
ROUNDING: Final = 1e-12
LAST_DIGIT: Final = 1e-15

Solved = tuple[Floats, Floats]
Curve = Callable[[Floats], Solved]


class Method(StrEnum):
    """How the margin is taken to be spread over the outcomes."""

    MULTIPLICATIVE = "multiplicative"
    ADDITIVE = "additive"
    POWER = "power"
    SHIN = "shin"
    ODDS_RATIO = "odds_ratio"
    BALANCED_BOOK = "balanced_book"
    JENSEN_SHANNON = "jensen_shannon"


@dataclass(frozen=True, slots=True, eq=False)
class Fair:
    """Fair probabilities `q` of the shape of the odds, which add up to 1 in each book.

    `overround` is the sum of 1/odds less 1. `parameter` is what was solved for, one a book:
    the sum of 1/odds (multiplicative), what each outcome lost (additive), the exponent
    (power), the share of insiders (Shin), the ratio of odds, the share lost to the margin
    (balanced book) or the divergence in nats (Jensen-Shannon).
    """

    method: Method
    q: Floats
    parameter: Floats
    overround: Floats

    @property
    def proper(self) -> Flags:
        """Whether all q of a book lie in [0, 1]; additive ones of long shots may not."""
        return np.asarray(((self.q >= 0) & (self.q <= 1)).all(axis=-1))


def devig(odds: ArrayLike, method: Method = Method.POWER) -> Fair:
    """Take the margin out of decimal odds.

    With r = 1/odds and B = sum r, q is r/B (multiplicative); r - (B - 1)/K (additive);
    r^k (power); (sqrt(z^2 + 4 (1 - z) r^2/B) - z) / (2 (1 - z)) (Shin); r / (r + c (1 - r))
    (odds ratio); (r - z) / (1 - z) with z = (B - 1)/(K - 1) (balanced book); or the q whose
    binary Jensen-Shannon divergence from r is the same for every outcome. k, z and c are
    such that q adds up to 1. An underround book (B < 1) is a book like any other, but has no
    insiders: Shin refuses it.

    Args:
        odds: Decimal odds above 1, shape (..., K), K >= 2 exclusive outcomes of one book
            along the last axis. No book at all gives no book.
        method: How the margin is spread.

    Raises:
        ValueError: Odds not above 1, a book of one outcome, Shin for an underround book, or
            Jensen-Shannon where even q = 0 is not as far from a long shot's r as it must be.

    Source:
        Power: Vovk and Zhdanov (2009), JMLR 10; Clarke, Kovalchik and Ingram (2017),
        American Journal of Sports Science 5. Shin (1993), Economic Journal 103, in the form
        of Jullien and Salanie (1994), Economic Journal 104. Odds ratio: Cheung (2015).
        Balanced book: Fingleton and Waldron (1999), scaled to add up to 1.

    >>> devig([2.5, 3.5, 2.8]).q.round(6).tolist()
    [0.385575, 0.271721, 0.342703]
    """
    table = books(odds)
    flat = 1 / table.reshape(-1, table.shape[-1])
    q, parameter = np.empty_like(flat), np.empty(len(flat))
    solve = _SOLVERS[method]
    for start in range(0, len(flat), CHUNK):
        part = slice(start, start + CHUNK)
        found, parameter[part] = solve(np.ascontiguousarray(flat[part].T))
        q[part] = found.T
    lead = table.shape[:-1]
    overround = flat.sum(axis=1) - 1
    return Fair(
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


def _additive(r: Floats) -> Solved:
    each = (r.sum(axis=0) - 1) / len(r)
    return r - each, each


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
        return _additive(r)[0], (total - 1) * (total - gap) / (total * (1 - gap))
    share = 4 * r * r / total

    def curve(z: Floats) -> Solved:
        root = np.sqrt(z * z + (1 - z) * share)
        slope = ((z - share / 2) / root).sum(axis=0) - others
        return root.sum(axis=0) - 2 - others * z, slope

    z = np.maximum(_newton(curve, np.zeros(total.shape)), 0)
    return (np.sqrt(z * z + (1 - z) * share) - z) / (2 * (1 - z)), z


def _odds_ratio(r: Floats) -> Solved:
    rest = 1 - r
    if len(r) == 2:  # noqa: PLR2004  outcomes
        c = np.sqrt(r[0] * r[1] / (rest[0] * rest[1]))
        return r / (r + c * rest), c

    def curve(c: Floats) -> Solved:
        room = r + c * rest
        total = (r / room).sum(axis=0)
        return np.log(total), -(r * rest / (room * room)).sum(axis=0) / total

    c = _newton(curve, np.where(r.sum(axis=0) >= 1, 1.0, 0.0))
    return r / (r + c * rest), c


def _balanced_book(r: Floats) -> Solved:
    lost = (r.sum(axis=0) - 1) / (len(r) - 1)
    return (r - lost) / (1 - lost), lost


def _jensen_shannon(r: Floats) -> Solved:
    """Newton on all q and the common signed distance; the Jacobian is an arrow."""
    q = r / r.sum(axis=0)
    distance, _ = _signed_distance(q, r)
    common = distance.mean(axis=0)
    for _ in range(STEPS):
        distance, slope = _signed_distance(q, r)
        off = (distance - common) / slope
        move = (1 - q.sum(axis=0) + off.sum(axis=0)) / (1 / slope).sum(axis=0)
        step = np.clip(move / slope - off, -q / 2, (1 - q) / 2)
        q, common = q + step, common + move
        if (np.abs(step) <= 10 * LAST_DIGIT).all():
            return q, common**2
        if (q < ROUNDING * r).any():
            break
    raise ValueError("a long shot's price is too small to be as far off as the others")


def _signed_distance(q: Floats, r: Floats) -> Solved:
    """Root of the divergence of two coins, below 0 where q < r, and its slope in q."""
    middle, half = (q + r) / 2, (q - r) / 2
    up, down = half / middle, -half / (1 - middle)
    divergence = (middle * _bump(up) + (1 - middle) * _bump(down)) / 2
    distance = np.copysign(np.sqrt(np.maximum(divergence, 0)), half)
    flat = 1 / np.sqrt(8 * middle * (1 - middle))
    near = np.abs(half) <= 1e-7 * np.minimum(middle, 1 - middle)
    slope = (np.log1p(up) - np.log1p(down)) / np.where(near, 1, 4 * distance)
    return np.where(near, 2 * half * flat, distance), np.where(near, flat, slope)


def _bump(x: Floats) -> Floats:
    return np.log1p(-x * x) + 2 * x * np.arctanh(x)


_SOLVERS: Final[dict[Method, Callable[[Floats], Solved]]] = {
    Method.MULTIPLICATIVE: _multiplicative,
    Method.ADDITIVE: _additive,
    Method.POWER: _power,
    Method.SHIN: _shin,
    Method.ODDS_RATIO: _odds_ratio,
    Method.BALANCED_BOOK: _balanced_book,
    Method.JENSEN_SHANNON: _jensen_shannon,
}
