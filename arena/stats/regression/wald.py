"""Wald tests of linear restrictions, and covariances of logit coefficients they stand on."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri

from arena.records.estimate import State, Test
from arena.stats.columns import Floats
from arena.stats.regression.logit import LogitFit


def wald(
    estimate: Floats,
    covariance: Floats,
    expected: Floats,
    size: tuple[int, int],
    *,
    name: str = "Wald",
) -> Test:
    """Whether estimates are what a hypothesis says, all together: chi-squared with r degrees.

    Args:
        estimate: (r,) what is restricted.
        covariance: (r, r) of these.
        expected: (r,) what they are under the hypothesis.
        size: How many rows there are, and independent units among them.
        name: Of the test, for its record.

    Returns:
        NOT_ESTIMABLE if the covariance is not positive definite.

    Source:
        Wald (1943), Transactions of the American Mathematical Society 54.
    """
    gap = np.atleast_1d(np.asarray(estimate - expected, np.float64))
    r = gap.size
    try:
        root = np.linalg.cholesky(np.atleast_2d(covariance))
    except np.linalg.LinAlgError:
        return Test(name, *size, state=State.NOT_ESTIMABLE)
    q = float(np.sum(np.linalg.solve(root, gap) ** 2))
    return Test(name, *size, statistic=q, df=(float(r),), p=float(chdtrc(r, q)))


def chi2_critical(level: float, df: int = 2) -> float:
    """What chi-squared exceeds with this probability; -2 ln(level) for two degrees.

    Raises:
        ValueError: The level is not in (0, 1), or df is not positive.

    >>> round(chi2_critical(0.05), 6), round(chi2_critical(0.0125), 6)
    (5.991465, 8.764053)
    """
    if not 0 < level < 1 or df < 1:
        raise ValueError(f"no critical value for a level of {level} and {df} degrees")
    return -2 * float(np.log(level)) if df == 2 else float(chdtri(df, level))  # noqa: PLR2004


def chi2_level(critical: float, df: int = 2) -> float:
    """How often chi-squared exceeds a critical value.

    >>> round(chi2_level(8.668), 6)
    0.013115
    """
    return float(chdtrc(df, critical))


def scores(fit: LogitFit, x: Floats, residual: Floats | None = None) -> Floats:
    """Each row's gradient of the log likelihood, (n, m)."""
    gradients: Floats = np.einsum(
        "nkp,nk->np", x, fit.residual if residual is None else residual
    )
    return gradients


def hc0(fit: LogitFit, x: Floats) -> Floats:
    """The sandwich covariance of coefficients, right if the model is not.

    Source:
        White (1982), Econometrica 50.
    """
    return _sandwich(fit, scores(fit, x))


def hc3(fit: LogitFit, x: Floats) -> Floats:
    """The sandwich with each row's residuals as if the row had been left out.

    Residuals r_i become (I - H_i)^-1 r_i with the block H_i = W_i X_i J^-1 X_i'.

    Source:
        MacKinnon and White (1985), Journal of Econometrics 29, in blocks of K - 1.
    """
    fitted = fit.fitted
    w = np.einsum("nk,kl->nkl", fitted, np.eye(fitted.shape[1]))
    w -= fitted[:, :, None] * fitted[:, None, :]
    lever = w @ (x @ fit.covariance @ x.transpose(0, 2, 1))
    freed = np.linalg.solve(np.eye(fitted.shape[1]) - lever, fit.residual[:, :, None])
    return _sandwich(fit, scores(fit, x, freed[:, :, 0]))


def hc3_as_coded(fit: LogitFit, x: Floats) -> Floats:
    """The covariance that The 45 Percent Problem calls HC3: do not use it.

    Each row's score is divided by its leverage s_i' J^-1 s_i, where it belongs divided by
    one less it. The covariance is some hundreds of times too large: no test rejects.

    Source:
        The 45 Percent Problem (2026), as coded.
    """
    s = scores(fit, x)
    lever = np.einsum("np,pq,nq->n", s, fit.covariance, s)
    return _sandwich(fit, s / np.maximum(lever, 1e-10)[:, None])


def clustered(fit: LogitFit, x: Floats, cluster: NDArray[np.intp]) -> Floats:
    """The sandwich with scores summed within each of G clusters, times G/(G - 1).

    Raises:
        ValueError: There are fewer than two clusters.

    Source:
        Liang and Zeger (1986), Biometrika 73.
    """
    _, codes = np.unique(cluster, return_inverse=True)
    groups = int(codes.max(initial=-1)) + 1
    if groups < 2:  # noqa: PLR2004
        raise ValueError(f"a spread between clusters needs two, not {groups}")
    rows = scores(fit, x)
    sums = np.zeros((groups, rows.shape[1]))
    np.add.at(sums, codes, rows)
    return _sandwich(fit, sums) * groups / (groups - 1)


def restricted(
    fit: LogitFit, covariance: Floats, which: Sequence[int]
) -> tuple[Floats, Floats]:
    """Some of the coefficients and their covariance."""
    return fit.beta[list(which)], covariance[np.ix_(which, which)]


def _sandwich(fit: LogitFit, rows: Floats) -> Floats:
    bread = fit.covariance
    covariance: Floats = bread @ (rows.T @ rows) @ bread
    return covariance
