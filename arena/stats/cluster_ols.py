"""Least squares whose rows come in events: covariances of the coefficients."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from arena.stats.clusters import Kind
from arena.stats.columns import Floats, Whole, codes, finite
from arena.stats.spread import no_spread
from arena.stats.twoway import both

_TINY = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """Estimates (k,), their covariance (k, k), t statistics, degrees of freedom, p-values."""

    values: Floats
    covariance: Floats
    t: Floats
    df: Floats
    p: Floats


@dataclass(frozen=True, slots=True)
class Correction:
    """What makes up for the number and the sizes of events, and for fitted coefficients.

    With `count_coefficients` a covariance is multiplied by (n - 1) / (n - k), as many
    packages do. With `plain_joint` the term that two-way clustering takes away has no
    correction at all: the habit of some where no two rows share both event and day.
    """

    kind: Kind = Kind.CR1
    count_coefficients: bool = False
    plain_joint: bool = False


def cluster_ols(
    x: ArrayLike, y: ArrayLike, events: ArrayLike, kind: Kind = Kind.CR2
) -> Coefficients:
    """Least squares with errors that are free to depend within an event.

    Degrees of freedom are Satterthwaite's for CR2, under rows that are independent and
    equally spread, and G - 1 for the others. CR1 carries G / (G - 1) only; see
    `cluster_covariance` for the factor of the number of coefficients.

    Args:
        x: (n, k) regressors; a column of ones is not added.
        y: (n,) responses.
        events: (n,) codes of the events.
        kind: The correction.

    Raises:
        ValueError: Shapes differ, a number is not finite, the regressors are collinear, the
            fit leaves nothing over, or there are fewer than two events.

    Source:
        Bell and McCaffrey (2002), Survey Methodology 28; Pustejovsky and Tipton (2018),
        Journal of Business and Economic Statistics 36.
    """
    kind = Kind(kind)
    design, found = _design(x, events)
    response = finite(y, "responses")
    if response.size != len(design):
        raise ValueError("regressors and responses differ in number")
    bread = _bread(design)
    beta = bread @ (design.T @ response)
    left = response - design @ beta
    if no_spread(float(np.sqrt(np.mean(left**2))), float(np.abs(response).max())):
        raise ValueError("the fit leaves nothing over, and its coefficients have no spread")
    covariance = cluster_covariance(design, left, found, Correction(kind))
    if kind is Kind.CR2:
        df = _satterthwaite(design, found, bread)
    else:
        df = np.full(beta.size, np.unique(found).size - 1.0)
    t = beta / np.sqrt(np.diag(covariance))
    return Coefficients(beta, covariance, t, df, 2 * stdtr(df, -np.abs(t)))


def cluster_covariance(
    x: ArrayLike,
    residuals: ArrayLike,
    events: ArrayLike,
    correction: Correction = Correction(),
) -> Floats:
    """The covariance of least-squares coefficients, from residuals.

    Args:
        x: (n, k) regressors.
        residuals: (n,) of the fit.
        events: (n,) codes of the events.
        correction: Of the sums of events.

    Raises:
        ValueError: As for `cluster_ols`.

    Source:
        Liang and Zeger (1986), Biometrika 73; Bell and McCaffrey (2002), Survey
        Methodology 28.
    """
    design, found = _design(x, events)
    left = finite(residuals, "residuals")
    if left.size != len(design):
        raise ValueError("regressors and residuals differ in number")
    n, k = design.shape
    g, kind = np.unique(found).size, Kind(correction.kind)
    bread = _bread(design)
    if kind in {Kind.CR0, Kind.CR1}:
        scores = np.stack(
            [np.bincount(found, weights=c) for c in (design * left[:, None]).T], axis=1
        )
    else:
        power = -0.5 if kind is Kind.CR2 else -1.0
        scores = np.stack(
            [
                design[rows].T @ (_leverage(design[rows], bread, power) @ left[rows])
                for rows in _groups(found)
            ]
        )
    factor = g / (g - 1) if kind is Kind.CR1 else 1.0
    if correction.count_coefficients:
        factor *= (n - 1) / (n - k)
    return np.asarray(factor * bread @ (scores.T @ scores) @ bread)


def two_way_covariance(
    x: ArrayLike,
    residuals: ArrayLike,
    events: ArrayLike,
    days: ArrayLike,
    correction: Correction = Correction(),
) -> Floats:
    """By event, plus by day, less by event and day together.

    Args:
        x: (n, k) regressors.
        residuals: (n,) of the fit.
        events: (n,) codes of the events.
        days: (n,) codes of the days.
        correction: Of all three terms, but see `Correction.plain_joint`.

    Raises:
        ValueError: As for `cluster_ols`.

    Source:
        Cameron, Gelbach and Miller (2011), Journal of Business and Economic Statistics 29.
    """
    design, first = _design(x, events)
    second = codes(days, len(design), "days")
    one, other = (cluster_covariance(design, residuals, c, correction) for c in (first, second))
    plain = Correction(Kind.CR0) if correction.plain_joint else correction
    joint = cluster_covariance(design, residuals, both(first, second), plain)
    return np.asarray(one + other - joint)


def _design(x: ArrayLike, events: ArrayLike) -> tuple[Floats, Whole]:
    design = np.asarray(x, dtype=np.float64)
    if design.ndim != 2 or not np.isfinite(design).all():  # noqa: PLR2004  rows and columns
        raise ValueError("regressors are finite numbers in rows and columns")
    found = codes(events, len(design))
    if np.unique(found).size < 2:  # noqa: PLR2004  one unit says nothing about spread
        raise ValueError("there must be two events at least")
    return design, found


def _bread(design: Floats) -> Floats:
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise ValueError("the regressors are collinear")
    return np.asarray(np.linalg.inv(design.T @ design), dtype=np.float64)


def _groups(found: Whole) -> list[NDArray[np.intp]]:
    order = np.argsort(found, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(found[order])) + 1)


def _leverage(rows: Floats, bread: Floats, power: float) -> Floats:
    kept = np.eye(len(rows)) - rows @ bread @ rows.T
    values, vectors = np.linalg.eigh(kept)
    raised = np.zeros_like(values)
    some = values > _TINY
    raised[some] = values[some] ** power
    return np.asarray((vectors * raised) @ vectors.T)


def _satterthwaite(design: Floats, found: Whole, bread: Floats) -> Floats:
    """Moments of the CR2 variance of each coefficient, without any matrix of n rows by n.

    With u the rows of an event times what CR2 makes of them, the inner product of two
    events is what they share through the hat matrix, and their own sum of squares besides.
    """
    projected, squares = [], []
    for rows in _groups(found):
        some = design[rows]
        u = _leverage(some, bread, -0.5) @ some @ bread
        projected.append(some.T @ u)
        squares.append(np.sum(u**2, axis=0))
    shared = np.stack(projected)
    df = np.empty(design.shape[1])
    for j in range(df.size):
        one = shared[:, :, j]
        inner = np.diag(np.stack(squares)[:, j]) - one @ bread @ one.T
        df[j] = np.trace(inner) ** 2 / np.sum(inner**2)
    return df
