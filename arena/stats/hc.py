"""Least squares, and how sure its coefficients are when the spread of the errors varies."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


ALONE: Final = 1e-10


class HC(StrEnum):
    """What stands for each row's error variance, e the residual and h the leverage."""

    CONST = "const"  # the same everywhere: sum of e^2 / (n - m)
    HC0 = "HC0"  # e^2
    HC1 = "HC1"  # e^2 n / (n - m)
    HC2 = "HC2"  # e^2 / (1 - h)
    HC3 = "HC3"  # e^2 / (1 - h)^2
    HC4 = "HC4"  # e^2 / (1 - h)^d with d = min(4, h / mean h)
    HC4M = "HC4m"  # the same with d = min(1, h / mean h) + min(1.5, h / mean h)
    HC5 = "HC5"  # e^2 / (1 - h)^(d/2), d = min(h / mean h, max(4, 0.7 max h / mean h))


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """A regression of n rows on m columns: coefficients and what their errors need."""

    x: Floats
    coefficients: Floats
    residual: Floats
    bread: Floats
    leverage: Floats

    @property
    def residual_df(self) -> int:
        """Rows less coefficients."""
        return len(self.x) - len(self.coefficients)


def least_squares(x: Floats, y: Floats) -> LeastSquares:
    """Regress y on the columns of x, one of which is the constant if there is to be one.

    Args:
        x: (n, m).
        y: (n,).

    Raises:
        ValueError: The shapes do not fit, a number is not finite, n is not above m, or the
            columns are collinear.
    """
    columns, target = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if columns.ndim != 2 or target.shape != columns.shape[:1]:  # noqa: PLR2004
        raise ValueError(f"a regression of {target.shape} on {columns.shape}")
    n, m = columns.shape
    if not (np.isfinite(columns).all() and np.isfinite(target).all()):
        raise ValueError("a regression of NaN or infinity")
    if n <= m or np.linalg.matrix_rank(columns) < m:
        raise ValueError(f"{n} rows do not determine {m} coefficients")
    q, r = np.linalg.qr(columns)
    inverse = np.linalg.inv(r)
    coefficients = inverse @ (q.T @ target)
    return LeastSquares(
        x=columns,
        coefficients=coefficients,
        residual=target - columns @ coefficients,
        bread=inverse @ inverse.T,
        leverage=np.minimum(1.0, np.sum(q**2, axis=1)),
    )


def covariance(fit: LeastSquares, kind: HC = HC.HC3) -> Floats:
    """The (m, m) covariance of the coefficients.

    Raises:
        ValueError: One row alone determines a coefficient, and the kind divides by 1 - h.

    Source:
        White (1980), Econometrica 48; MacKinnon and White (1985), Journal of Econometrics
        29; Cribari-Neto (2004), Computational Statistics and Data Analysis 45;
        Cribari-Neto, Souza and Vasconcellos (2007), Communications in Statistics 36;
        Cribari-Neto and da Silva (2011), AStA 95.
    """
    kind = HC(kind)
    if kind is HC.CONST:
        return fit.bread * float(fit.residual @ fit.residual) / fit.residual_df
    weighted = fit.x * _variances(fit, kind)[:, None]
    found: Floats = fit.bread @ (fit.x.T @ weighted) @ fit.bread
    return found


def _variances(fit: LeastSquares, kind: HC) -> Floats:
    square: Floats = fit.residual**2
    if kind is HC.HC0:
        return square
    if kind is HC.HC1:
        return square * len(square) / fit.residual_df
    left = 1 - fit.leverage
    if (left <= ALONE).any():
        raise ValueError("one row alone determines a coefficient")
    found: Floats = square / left ** _power(fit.leverage, kind)
    return found


def _power(leverage: Floats, kind: HC) -> Floats:
    share: Floats = leverage / leverage.mean()
    found: Floats = np.full(share.shape, 1.0 if kind is HC.HC2 else 2.0)
    if kind is HC.HC4:
        found = np.minimum(4.0, share)
    if kind is HC.HC4M:
        found = np.minimum(1.0, share) + np.minimum(1.5, share)
    if kind is HC.HC5:
        found = np.minimum(share, max(4.0, 0.7 * float(share.max()))) / 2
    return found
