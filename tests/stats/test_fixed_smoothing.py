import numpy as np
import pytest

from arena.records.estimate import Sided, State
from arena.stats.difference import cube_root_lags
from arena.stats.dm import error_differences
from arena.stats.fixed_smoothing import (
    dm_ewc,
    dm_fixed_b,
    dm_recoloured,
    dm_wpe,
    fixed_b_critical,
)
from arena.stats.longrun import cosines, daniell, recoloured
from arena.stats.tails import critical
from tests.present import present
from tests.vectors import case, near, source


def test_a_fixed_bandwidth_and_the_periodogram_disagree_on_thirty_differences() -> None:
    known = source("ext.dm_fixed_smoothing.n30")
    d = np.array(known["input"]["d"])
    fixed, wpe = dm_fixed_b(d), dm_wpe(d)
    found = {
        "M": fixed.bandwidth,
        "max_lag": fixed.bandwidth - 1,
        "b": fixed.b,
        "t_fixed_b": fixed.test.statistic,
        "cv_fixed_b_975": fixed.critical,
        "m": wpe.terms,
        "periodogram": daniell(d, wpe.terms)[1].tolist(),
        "t_wpe": wpe.test.statistic,
        "cv_wpe_t2m_975": critical(0.05, df=wpe.test.df[0]),
        "p_wpe": wpe.test.p,
    }
    assert near(found, known["expected"], known["tol"])
    assert fixed.rejects
    assert fixed.test.p is None


@pytest.mark.parametrize("name", ["brier_two_agents_n400", "small_n12"])
def test_the_equal_weighted_cosine_test(name: str) -> None:
    known = case("04_dm", name)
    d = error_differences(np.array(known["inputs"]["e1"]), np.array(known["inputs"]["e2"]))
    it = dm_ewc(d)
    found = {
        "B": cube_root_lags(d.size),
        "lrv": cosines(d, it.terms),
        "stat": it.test.statistic,
        "p": it.test.p,
    }
    assert near(found, known["expected"]["ewc"], known["tol"], relative=True)


def test_a_fixed_b_test_with_a_direction_rejects_on_its_side_only() -> None:
    d = np.random.default_rng(4).normal(0.5, 1, 60)
    assert dm_fixed_b(d, sided=Sided.GREATER).rejects
    assert dm_fixed_b(d, sided=Sided.LESS).rejects is False


@pytest.mark.parametrize("d", [[], [0.1], [0.1, 0.1, 0.1]])
def test_without_spread_there_is_nothing_to_reject(d: list[float]) -> None:
    found = dm_fixed_b(np.array(d))
    assert found.rejects is None
    assert found.test.state is not State.OK


def test_the_wider_the_window_the_higher_the_bar() -> None:
    bars = [fixed_b_critical(b, 0.05) for b in (0.01, 0.1, 0.5, 1.0)]
    assert bars == sorted(bars)
    assert bars[0] > 1.6449


@pytest.mark.parametrize(("b", "tail"), [(0.0, 0.05), (1.1, 0.05), (0.1, 0.2)])
def test_a_critical_value_that_nobody_computed_is_refused(b: float, tail: float) -> None:
    with pytest.raises(ValueError, match=r"lies in|known for"):
        fixed_b_critical(b, tail)


def test_a_bandwidth_longer_than_the_series_is_refused() -> None:
    with pytest.raises(ValueError, match="bandwidth"):
        dm_fixed_b(np.arange(5.0), 6)


def test_fixed_smoothing_holds_its_level_where_the_normal_limit_does_not() -> None:
    rng = np.random.default_rng(8)
    steps = rng.standard_normal((400, 120))
    walks = steps.copy()
    for t in range(1, 120):
        walks[:, t] += 0.3 * walks[:, t - 1]
    p = [present(dm_wpe(w).test.p) for w in walks[:, 100:]]
    assert np.mean(np.array(p) < 0.05) < 0.1


def test_two_differences_have_no_frequency() -> None:
    assert dm_wpe(np.array([0.1, 0.3])).test.state is State.TOO_FEW


def test_a_flat_series_is_not_recoloured() -> None:
    d = np.array([1.0, -1.0, 0.5, -2.0, 1.5, -0.5, 2.0, -1.0, 0.3, -0.8])
    assert recoloured(d, 2) == pytest.approx(daniell(d, 2)[0])
    assert dm_recoloured(d).test.p == pytest.approx(dm_wpe(d).test.p)


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
