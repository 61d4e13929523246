import numpy as np
import pytest

from arena.stats.regression.encompassing import true_odds
from tests.vectors import case, near


def test_three_way_odds_that_are_too_cautious() -> None:
    known = case("06_nyberg_mnlogit", "three_way_underconfident")
    test = true_odds(np.array(known["inputs"]["P"]), np.array(known["inputs"]["y"]))
    found = {"lr": test.statistic, "df": test.df[0], "p": test.p}
    expected = {key: known["expected"][key] for key in found}
    assert near(found, expected, known["tol"], relative=True)


def test_the_reference_does_not_change_the_likelihood_ratio() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet([2, 3, 4], 200)
    y = rng.integers(0, 3, 200)
    found = [true_odds(p, y, reference=r).statistic for r in range(3)]
    assert found == pytest.approx([found[0]] * 3, abs=1e-7)
