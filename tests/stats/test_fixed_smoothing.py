import numpy as np
import pytest

from arena.stats.comparisons.difference import cube_root_lags
from arena.stats.series.diebold_mariano import dm_ewc, dm_recoloured
from arena.stats.series.longrun import cosines, daniell, recoloured
from tests.vectors import case, near


@pytest.mark.parametrize("name", ["brier_two_agents_n400", "small_n12"])
def test_the_equal_weighted_cosine_test(name: str) -> None:
    known = case("04_dm", name)
    d = np.square(known["inputs"]["e1"]) - np.square(known["inputs"]["e2"])
    it = dm_ewc(d)
    found = {
        "B": cube_root_lags(d.size),
        "lrv": cosines(d, it.terms),
        "stat": it.test.statistic,
        "p": it.test.p,
    }
    assert near(found, known["expected"]["ewc"], known["tol"], relative=True)


def test_a_slow_series_has_the_slope_of_its_autoregression_taken_out() -> None:
    rng = np.random.default_rng(5)
    d = np.zeros(60)
    for t in range(1, d.size):
        d[t] = 0.6 * d[t - 1] + rng.normal()
    away = d - d.mean()
    r = away[1:] @ away[:-1] / (away @ away)
    phi = r + (1 + 3 * r) / 60
    angles = 2 * np.pi * np.arange(1, 4) / 60
    shape = np.abs(1 - phi * np.exp(-1j * angles)) ** -2 * (1 - phi) ** 2
    expected = 2 * np.pi * np.mean(daniell(d, 3)[1] / shape)
    assert recoloured(d, 3) == pytest.approx(expected, rel=1e-12)
    assert recoloured(d, 3) > daniell(d, 3)[0]
    assert dm_recoloured(d).test.df == (6.0,)


def test_a_series_that_hardly_moves_is_recoloured_by_no_more_than_the_steepest() -> None:
    d = np.arange(30.0)
    assert np.isfinite(recoloured(d, 3))
