"""Are stated probabilities the true ones? A likelihood-ratio test on log odds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

from arena.records.estimate import State, Test
from arena.stats.regression.efficiency import CLIP, checked_rows, which_came
from arena.stats.regression.logit import Design, fit, likelihood, own_parameters
from arena.stats.regression.wald import Sample, wald

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
    K(K - 1) degrees of freedom. For K = 2 it is Cox's test.

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
    null = np.eye(k - 1, k, 1).ravel()
    loglik_stated, _ = likelihood(design, null)
    full = fit(design)
    constants = _constants(came)
    if full.state is not State.OK:
        none = [Test(name, n, n, df=(df,), state=State.NOT_ESTIMABLE) for name in names]
        return TrueOdds(none[0], none[1], loglik_stated, None, constants, None, None)
    return TrueOdds(
        likelihood_ratio=_ratio(names[0], n, loglik_stated, full.loglik, df),
        wald=wald(full.beta, full.covariance, null, Sample(n, n), name=names[1]),
        loglik_stated=loglik_stated,
        loglik_fitted=full.loglik,
        loglik_constants=constants,
        coefficients=full.beta.reshape(k - 1, k),
        se=full.se.reshape(k - 1, k),
    )


def _constants(came: Floats) -> float:
    """The likelihood when every row has the shares with which the outcomes came."""
    counts = np.append(came.sum(axis=0), len(came) - came.sum())
    return float(xlogy(counts, counts / len(came)).sum())


def _ratio(name: str, n: int, below: float, above: float, df: float) -> Test:
    lr = max(0.0, 2 * (above - below))
    return Test(name, n, n, statistic=lr, df=(float(df),), p=float(chdtrc(df, lr)))
