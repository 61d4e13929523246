"""How much true values differ, when all that is seen are estimates with errors."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.stats.spread import ROUNDING

Floats = NDArray[np.float64]

_HALVINGS: Final = 200


class Between(StrEnum):
    """How the variance between the true values is found."""

    REML = "REML"  # restricted maximum likelihood
    DERSIMONIAN_LAIRD = "DerSimonian-Laird"  # moments, with the precision as weights
    PAULE_MANDEL = "Paule-Mandel"  # where the weighted spread is what it should be
    AVERAGED = "averaged"  # over all standard deviations, as likely as the data find them


def between_variance(
    estimates: Floats, errors: Floats, design: Floats, method: Between = Between.REML
) -> float:
    """The variance of true values about what a design explains, never below 0.

    Args:
        estimates: (k,) estimates.
        errors: (k, k) the covariance of their errors.
        design: (k, q) a column of ones for a common mean, or one a group.
        method: REML, or by moments.

    Raises:
        ValueError: The averaged method has no single variance.

    Source:
        See `shrink`; DerSimonian and Kacker (2007), Contemporary Clinical Trials 28.
    """
    method = Between(method)
    free = estimates.size - design.shape[1]
    if free <= 0:
        return 0.0
    if method is Between.DERSIMONIAN_LAIRD:
        weigh = _projection(errors, design)
        excess = float(estimates @ weigh @ estimates) - float(np.trace(weigh @ errors))
        return max(0.0, excess / float(np.trace(weigh)))
    if method is Between.AVERAGED:
        raise ValueError("an averaged spread is not one variance")
    if method is Between.PAULE_MANDEL:
        return _falling_root(
            lambda spread: _misfit(estimates, errors, design, spread) - free,
            scale_of(estimates),
        )
    return _reml(estimates, errors, design)


def restricted_likelihood(y: Floats, errors: Floats, design: Floats, spreads: Floats) -> Floats:
    """The restricted log likelihood of each variance between (S,), up to a constant."""
    own, axes = np.linalg.eigh(errors)
    along, turned = axes.T @ y, axes.T @ design
    weight = 1 / (own + spreads[:, None])
    left = np.einsum("si,ia,ib->sab", weight, turned, turned)
    pulled = (weight * along) @ turned
    fitted = np.linalg.solve(left, pulled[..., None])[..., 0]
    misfit = weight @ along**2 - (pulled * fitted).sum(axis=1)
    volume = np.linalg.slogdet(left)[1] - np.log(weight).sum(axis=1)
    return np.asarray(-(volume + misfit) / 2)


def scale_of(y: Floats) -> float:
    """The size of a variance among these numbers, above 0."""
    return max(float(np.var(y)), ROUNDING)


def _projection(inside: Floats, design: Floats) -> Floats:
    """What is left of the precision after the design is fitted."""
    inverse = np.linalg.inv(inside)
    fitted = inverse @ design
    return np.asarray(inverse - fitted @ np.linalg.solve(design.T @ fitted, fitted.T))


def _misfit(y: Floats, errors: Floats, design: Floats, spread: float) -> float:
    return float(y @ _projection(errors + spread * np.eye(y.size), design) @ y)


def _reml(y: Floats, errors: Floats, design: Floats) -> float:
    """The variance at the top of the restricted likelihood: a grid, then the slope's root."""
    top = 10 * scale_of(y)
    grid = np.concatenate([[0.0], top * np.geomspace(1e-8, 1, 120)])
    at = int(np.argmax(restricted_likelihood(y, errors, design, grid)))

    def slope(spread: float) -> float:
        weigh = _projection(errors + spread * np.eye(y.size), design)
        pulled = weigh @ y
        return float(pulled @ pulled - np.trace(weigh))

    low, high = float(grid[max(0, at - 1)]), float(grid[min(at + 1, grid.size - 1)])
    if slope(low) <= 0:
        return low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
        if high - low <= ROUNDING * top:
            break
    return (low + high) / 2


def _falling_root(curve: Callable[[float], float], scale: float) -> float:
    if curve(0.0) <= 0:
        return 0.0
    low, high = 0.0, scale
    while curve(high) > 0:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if curve(middle) > 0 else (low, middle)
    return (low + high) / 2
