"""Probabilities without the bookmaker's margin, for many books at once.

Also as source C, "The 45 Percent Problem", does it: the power method with its bands and
refusals, and fixed corrections of a bookmaker's known leanings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds import Flags, Floats, books, finite, probabilities

FAIR: Final = 1e-10
TOLERANCE: Final = 1e-8
POWER_STEPS: Final = 100
OFF: Final = 1e-6
OVER: Final = (1 + 1e-9, 20.0)
UNDER: Final = (1e-9, 1 - 1e-12)


class OddsVenue(StrEnum):
    """Whose odds they are: a bookmaker adds a margin, an exchange charges afterwards."""

    BOOKMAKER = "bookmaker"
    EXCHANGE = "exchange"


BANDS: Final = {OddsVenue.BOOKMAKER: (1.0, 1.2), OddsVenue.EXCHANGE: (0.8, 1.0)}


class PowerRefusal(StrEnum):
    """Why a book cannot be solved."""

    TOO_FEW_OUTCOMES = "TOO_FEW_OUTCOMES"
    ODDS_NOT_ABOVE_ONE = "ODDS_NOT_ABOVE_ONE"
    NO_BRACKET = "NO_BRACKET"


class PowerError(ValueError):
    """A book that the source refuses; `reason` says why."""

    def __init__(self, reason: PowerRefusal, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PowerBook:
    """One book solved: q = r^z. `out_of_band` suppresses its legs as Z_OUT_OF_BAND."""

    q: tuple[float, ...]
    z: float
    overround: float
    out_of_band: bool


def out_of_band(z: ArrayLike, venue: OddsVenue) -> Flags:
    """Whether exponents lie outside what is usual for a venue: [1, 1.2] or [0.8, 1].

    A bookmaker's book that gives money away, or takes a fifth, was probably misread. The
    bands are closed, and an exponent that is off by rounding is inside.

    >>> bool(out_of_band(1.3, OddsVenue.BOOKMAKER))
    True
    """
    low, high = BANDS[venue]
    exponents = np.round(finite(z, "z"), 9)
    return (exponents < low) | (exponents > high)


def power_source_c(odds: Sequence[float], venue: OddsVenue = OddsVenue.BOOKMAKER) -> PowerBook:
    """Solve sum r^z = 1 by Brent's method, to the source's own tolerances.

    z is 1 within 1e-10 of a fair book, else sought in (1 + 1e-9, 20) or, underround, in
    (1e-9, 1 - 1e-12), to 1e-8. `devig` solves the same equation to the last digit, without
    a limit on z.

    Raises:
        PowerError: Under two outcomes, odds not above 1, or no z in the bracket: a favourite
            near certainty under an overround. There is no fallback.

    Source:
        "The 45 Percent Problem", market/devig.py, after Clarke, Kovalchik and Ingram (2017),
        American Journal of Sports Science 5; the project names Shin (1993) and Strumbelj
        (2014), who treat another model.
    """
    if len(odds) < 2:  # noqa: PLR2004  outcomes
        raise PowerError(PowerRefusal.TOO_FEW_OUTCOMES, f"{len(odds)} of at least 2")
    if not all(1 < o < float("inf") for o in odds):
        raise PowerError(PowerRefusal.ODDS_NOT_ABOVE_ONE, f"{list(odds)}")
    raw = [1 / o for o in odds]
    overround = fsum(raw) - 1
    z = 1.0 if abs(overround) < FAIR else _brent(raw, OVER if overround > 0 else UNDER)
    q = [r**z for r in raw]
    total = sum(q)
    if abs(total - 1) > OFF:
        q = [each / total for each in q]
    low, high = BANDS[venue]
    return PowerBook(tuple(q), z, overround, not low <= z <= high)


def _brent(raw: Sequence[float], bracket: tuple[float, float]) -> float:
    from scipy.optimize import brentq  # noqa: PLC0415  a third of a second, for few readers

    def excess(z: float) -> float:
        return fsum(r**z for r in raw) - 1

    low, high = bracket
    if excess(low) * excess(high) >= 0:
        raise PowerError(PowerRefusal.NO_BRACKET, f"no exponent between {low} and {high}")
    z: float = brentq(excess, low, high, xtol=TOLERANCE, maxiter=POWER_STEPS)
    return z


KNOCKOUT_DRAW: Final = 0.014
HOST: Final = -0.006
SUM_TOLERANCE: Final = 1e-6


def knockout_draw(q: ArrayLike, draw: int, shift: float = KNOCKOUT_DRAW) -> Floats:
    """Add `shift` to the draw of a knockout match; the other legs give it up in proportion.

    For a bookmaker's fair probabilities only. The amount was fitted to one bookmaker and
    matches to 2022, and is fixed.

    Args:
        q: Fair probabilities, shape (..., K), adding up to 1 along the last axis.
        draw: Which of the K legs is the draw.
        shift: What it gains.

    Raises:
        ValueError: q is no row of probabilities, or the other legs do not have that much.

    Source:
        "The 45 Percent Problem", market/devig.py.
    """
    return _moved(_rows(q), draw, shift)


def host(q: ArrayLike, home: int, shift: float = HOST) -> Floats:
    """Take `shift` off the host's win in a group match; the other legs get it in proportion.

    A host below `shift` is left with 0. Arguments, errors and source as `knockout_draw`.
    """
    rows = _rows(q)
    return _moved(rows, home, np.maximum(shift, -rows[..., home]))


def _rows(q: ArrayLike) -> Floats:
    rows = probabilities(q, "q")
    if rows.ndim == 0 or not (np.abs(rows.sum(axis=-1) - 1) <= SUM_TOLERANCE).all():
        raise ValueError("fair probabilities add up to 1 in each row")
    return rows


def _moved(rows: Floats, leg: int, shift: Floats | float) -> Floats:
    others = rows.sum(axis=-1) - rows[..., leg]
    if not (others > np.maximum(shift, 0)).all():
        raise ValueError("the other legs have less than they would give")
    moved: Floats = rows * ((others - shift) / others)[..., np.newaxis]
    moved[..., leg] = rows[..., leg] + shift
    return moved


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
