"""The power method as source C, "The 45 Percent Problem", runs it: bands and refusals."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Flags, finite

FAIR: Final = 1e-10
TOLERANCE: Final = 1e-8
STEPS: Final = 100
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
    z: float = brentq(excess, low, high, xtol=TOLERANCE, maxiter=STEPS)
    return z
