"""Source C's fixed corrections of a bookmaker's known leanings."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Floats, probabilities

KNOCKOUT_DRAW: Final = 0.014
HOST: Final = -0.006
ROUNDING: Final = 1e-6


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
    if rows.ndim == 0 or not (np.abs(rows.sum(axis=-1) - 1) <= ROUNDING).all():
        raise ValueError("fair probabilities add up to 1 in each row")
    return rows


def _moved(rows: Floats, leg: int, shift: Floats | float) -> Floats:
    others = rows.sum(axis=-1) - rows[..., leg]
    if not (others > np.maximum(shift, 0)).all():
        raise ValueError("the other legs have less than they would give")
    moved: Floats = rows * ((others - shift) / others)[..., np.newaxis]
    moved[..., leg] = rows[..., leg] + shift
    return moved
