"""Are stated probabilities the true ones? Likelihood-ratio tests on log odds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

from arena.records.estimate import State, Test
from arena.stats.efficiency import CLIP, checked_rows, two_sided, which_came
from arena.stats.logit import Design, Fit, fit, likelihood, own_parameters
from arena.stats.wald import Sample, wald

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class TrueOdds:
    """A test that probabilities of K outcomes are the true ones.

    `coefficients` and `se` have a row for each outcome but the reference and columns for
    the constant and the log odds x_1 .. x_(K-1); both are None where they cannot be had.
    `wald` tests the same by the fit alone.
    """

    likelihood_ratio: Test
    wald: Test
    loglik_stated: float | None
    loglik_fitted: float | None
    loglik_constants: float | None
    coefficients: Floats | None
    se: Floats | None


def true_odds(p: Floats, outcome: Whole, *, reference: int = 0, clip: float = CLIP) -> TrueOdds:
    """Test that the log odds that were stated are the true ones.

    ln P(k)/P(ref) = a_k + sum_j b_kj ln p_j/p_ref for each outcome k but the reference;
    under the hypothesis a_k = 0, b_kk = 1 and b_kj = 0 otherwise. LR is chi-squared with
    K(K - 1) degrees of freedom. For K = 2 it is Cox's test, see `cox`.

    Args:
        p: (n, K) probabilities, rows summing to 1.
        outcome: (n,) which outcome came, from 0.
        reference: The outcome the others are held against.
        clip: Smaller probabilities are raised to this before the logarithm.

    Raises:
        ValueError: The shapes do not fit, a row is no distribution, or an outcome is none
            of the K.

    Source:
        Nyberg (2014), HECER discussion paper 380; Cox (1958), Biometrika 45.
    """
    stated = checked_rows(p)
    came, others = which_came(outcome, stated.shape, reference)
    n, k = stated.shape
    df = float(k * (k - 1))
    names = ("true odds, likelihood ratio", "true odds, Wald")
    if n == 0:
        empty = [Test(name, 0, 0, df=(df,), state=State.EMPTY) for name in names]
        return TrueOdds(empty[0], empty[1], None, None, None, None, None)
    logs = np.log(np.maximum(stated, clip))
    x = np.column_stack([np.ones(n), logs[:, others] - logs[:, [reference]]])
    design = Design(own_parameters([x] * (k - 1)), np.zeros(came.shape), came)
    known = np.eye(k - 1, k, 1).ravel()
    told, _ = likelihood(design, known)
    full = fit(design)
    constants = _constants(came)
    if full.state is not State.OK:
        none = [Test(name, n, n, df=(df,), state=State.NOT_ESTIMABLE) for name in names]
        return TrueOdds(none[0], none[1], told, None, constants, None, None)
    return TrueOdds(
        likelihood_ratio=_ratio(names[0], n, told, full.loglik, df),
        wald=wald(full.beta, full.covariance, known, Sample(n, n), name=names[1]),
        loglik_stated=told,
        loglik_fitted=full.loglik,
        loglik_constants=constants,
        coefficients=full.beta.reshape(k - 1, k),
        se=full.se.reshape(k - 1, k),
    )


@dataclass(frozen=True, slots=True)
class Cox:
    """Cox's calibration of probabilities of YES.

    A `slope` below 1 is overconfident; `in_the_large` is the constant when the slope is
    held at 1, above 0 if YES came more often than was stated. `test` is of constant 0 and
    slope 1, `level_test` of constant 0 given slope 1, `slope_test` of slope 1 given any
    constant.
    Numbers are None where they cannot be had: see `test.state`.
    """

    intercept: float | None
    slope: float | None
    se: tuple[float, float] | None
    in_the_large: float | None
    loglik_stated: float | None
    loglik_fitted: float | None
    test: Test
    level_test: Test
    slope_test: Test


def cox(p: Floats, outcome: Whole, *, clip: float = CLIP) -> Cox:
    """Regress outcomes on the log odds that were stated.

    Args:
        p: (n,) P(YES).
        outcome: (n,) 1 for YES and 0 for NO.
        clip: Probabilities are moved into [clip, 1 - clip].

    Returns:
        NOT_ESTIMABLE if every outcome is the same, if a threshold separates them, or if
        one probability was stated for all.

    Raises:
        ValueError: The lengths differ, a probability is outside [0, 1], or an outcome is
            neither 0 nor 1.

    Source:
        Cox (1958), Biometrika 45; Miller, Hui and Tierney (1991), Statistics in Medicine
        10.
    """
    rows = checked_rows(two_sided(p))
    came, _ = which_came(outcome, rows.shape, 0)
    n = len(rows)
    names = ("Cox calibration", "calibration in the large", "calibration slope")
    inside = np.clip(rows[:, 1], clip, 1 - clip)
    odds = np.log(inside / (1 - inside))[:, None]
    one = np.ones((n, 1, 1))
    full = fit(Design(np.concatenate([one, odds[:, :, None]], axis=2), 0 * odds, came))
    if n == 0 or full.state is not State.OK:
        state = State.NOT_ESTIMABLE if n else State.EMPTY
        none = [Test(name, n, n, state=state) for name in names]
        return Cox(None, None, None, None, None, None, *none)
    told, _ = likelihood(Design(one, odds, came), np.zeros(1))
    large: Fit = fit(Design(one, odds, came))
    return Cox(
        intercept=float(full.beta[0]),
        slope=float(full.beta[1]),
        se=(float(full.se[0]), float(full.se[1])),
        in_the_large=float(large.beta[0]),
        loglik_stated=told,
        loglik_fitted=full.loglik,
        test=_ratio(names[0], n, told, full.loglik, 2),
        level_test=_ratio(names[1], n, told, large.loglik, 1),
        slope_test=_ratio(names[2], n, large.loglik, full.loglik, 1),
    )


def _constants(came: Floats) -> float:
    """The likelihood when every row has the shares with which the outcomes came."""
    counts = np.append(came.sum(axis=0), len(came) - came.sum())
    return float(xlogy(counts, counts / len(came)).sum())


def _ratio(name: str, n: int, below: float, above: float, df: float) -> Test:
    lr = max(0.0, 2 * (above - below))
    return Test(name, n, n, statistic=lr, df=(float(df),), p=float(chdtrc(df, lr)))
