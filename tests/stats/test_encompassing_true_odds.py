import numpy as np
import pytest

from arena.stats.regression.encompassing import true_odds
from tests.present import present
from tests.vectors import case, near


def test_three_way_odds_that_are_too_cautious() -> None:
    known = case("06_nyberg_mnlogit", "three_way_underconfident")
    it = true_odds(np.array(known["inputs"]["P"]), np.array(known["inputs"]["y"]))
    found = {
        "ll_restricted": it.loglik_stated,
        "ll_unrestricted": it.loglik_fitted,
        "lr": it.likelihood_ratio.statistic,
        "df": it.likelihood_ratio.df[0],
        "p": it.likelihood_ratio.p,
        "params": present(it.coefficients).tolist(),
        "bse": present(it.se).tolist(),
        "wald": it.wald.statistic,
        "wald_p": it.wald.p,
        "ll_intercepts_only": it.loglik_constants,
    }
    assert near(found, known["expected"], known["tol"], relative=True)


def test_the_reference_does_not_change_the_likelihood_ratio() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet([2, 3, 4], 200)
    y = rng.integers(0, 3, 200)
    found = [true_odds(p, y, reference=r).likelihood_ratio.statistic for r in range(3)]
    assert found == pytest.approx([found[0]] * 3, abs=1e-7)
