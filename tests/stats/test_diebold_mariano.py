from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.comparisons.difference import DieboldMariano, cube_root_lags, hln_factor
from arena.stats.diebold_mariano import (
    FLOOR,
    diebold_mariano,
    dm_bandwidth_as_horizon,
    dm_ewc,
    dm_newey_west,
    dm_recoloured,
    dm_textbook,
    naive_z,
)
from arena.stats.longrun import cosines, daniell, recoloured
from tests.present import present, some
from tests.vectors import case, near, source

Floats = NDArray[np.float64]
Method = Callable[[Floats], DieboldMariano]

METHODS: tuple[Method, ...] = (
    dm_bandwidth_as_horizon,
    dm_textbook,
    dm_newey_west,
    naive_z,
    dm_ewc,
    diebold_mariano,
)
every = pytest.mark.parametrize("method", METHODS)
gaps = st.lists(st.floats(-1, 1), min_size=10, max_size=40).map(np.array)


def difference(known: Mapping[str, Any]) -> Floats:
    given = known["input"]
    return np.asarray(given["loss_a"], np.float64) - np.asarray(given["loss_b"], np.float64)


def test_equal_losses_have_a_p_of_one_and_no_statistic() -> None:
    known = source("s002.dm.identical")
    d = difference(known)
    test = dm_bandwidth_as_horizon(d).test
    assert (test.estimate, test.statistic, test.p) == (known["expected"]["mean_diff"], None, 1)
    assert test.state is State.DEGENERATE
    theirs = dm_bandwidth_as_horizon(d, floor=FLOOR).test
    assert theirs.statistic == known["expected"]["seed_dm"]
    assert theirs.p == known["expected"]["seed_p"]


def test_a_constant_gap_is_degenerate_and_has_no_p() -> None:
    known = source("s002.dm.constant_gap")
    d = difference(known)
    test = dm_bandwidth_as_horizon(d).test
    assert near(test.estimate, known["expected"]["mean_diff"], known["tol"])
    assert (test.statistic, test.p, test.state) == (None, None, State.DEGENERATE)
    assert present(dm_bandwidth_as_horizon(d, floor=FLOOR).raw) > 1e12


CASES = pytest.mark.parametrize("name", ["brier_two_agents_n400", "small_n12"])


@CASES
def test_the_tests_of_r_forecast(name: str) -> None:
    known = case("04_dm", name)
    d = np.square(known["inputs"]["e1"]) - np.square(known["inputs"]["e2"])
    for h in (1, 2, 3, 5):
        if expected := known["expected"].get(f"h{h}_acf"):
            test = dm_textbook(d, h).test
            found = {"stat": test.statistic, "p": test.p}
            assert near(found, expected, known["tol"], relative=True)
    assert near(float(d.mean()), known["expected"]["mean_d"], known["tol"], relative=True)


@CASES
def test_the_tests_of_statsmodels(name: str) -> None:
    known = case("04_dm", name)
    d = np.square(known["inputs"]["e1"]) - np.square(known["inputs"]["e2"])
    for key, expected in some(known["expected"]["statsmodels_dm"].items()):
        lags = int(key.removeprefix("lag"))
        test = dm_newey_west(d, lags).test
        found = {"stat": test.statistic, "p_normal": test.p}
        assert near(found, {key: expected[key] for key in found}, known["tol"], relative=True)


@every
def test_a_small_loss_is_a_negative_difference(method: Method) -> None:
    rng = np.random.default_rng(2)
    d = rng.normal(-0.5, 0.2, 60)
    test = method(d).test
    assert present(test.estimate) < 0
    assert present(test.statistic) < 0
    assert present(test.p) < 0.05


@every
@given(d=gaps)
def test_swapping_the_forecasters_only_turns_the_sign(method: Method, d: Floats) -> None:
    one, other = method(d).test, method(-d).test
    assert one.state is other.state
    if one.statistic is not None and other.statistic is not None:
        assert one.statistic == pytest.approx(-other.statistic, rel=1e-6, abs=1e-9)


@every
@pytest.mark.parametrize(("d", "state"), [([], State.EMPTY), ([0.1], State.SINGLE)])
def test_one_difference_or_none_is_no_test(
    method: Method, d: list[float], state: State
) -> None:
    test = method(np.array(d)).test
    assert (test.state, test.statistic, test.p, test.se) == (state, None, None, None)


@every
def test_ten_times_a_hundredth_has_no_spread(method: Method) -> None:
    assert method(np.full(10, 0.01)).test.state is State.DEGENERATE


@every
def test_nan_is_refused(method: Method) -> None:
    with pytest.raises(ValueError, match="differences must be finite"):
        method(np.array([0.1, np.nan, 0.2]))


def test_a_negative_variance_falls_back_to_one_step_and_says_so() -> None:
    d = np.array([1.0, -1.0] * 6) + np.linspace(0, 0.3, 12)
    it = dm_textbook(d, 2)
    assert it.fell_back
    assert it.test == dm_textbook(d).test


def test_fewer_than_ten_differences_give_their_mean_and_number_only() -> None:
    d = np.array([0.1, 0.3, -0.2, 0.4, 0.0])
    test = diebold_mariano(d).test
    assert (test.n, test.state, test.statistic, test.p) == (5, State.TOO_FEW, None, None)
    assert test.estimate == pytest.approx(0.12)
    assert dm_textbook(d).test.p is not None


def test_what_no_form_of_the_test_has_is_refused() -> None:
    d = np.random.default_rng(1).normal(size=12)
    refused: tuple[Callable[[], object], ...] = (
        lambda: dm_textbook(d, 0),
        lambda: dm_textbook(d, 13),
        lambda: dm_newey_west(d, 12),
        lambda: dm_bandwidth_as_horizon(d, bandwidth=12),
        lambda: hln_factor(3, 0),
    )
    for call in some(refused):
        with pytest.raises(ValueError, match=r"horizon|lag"):
            call()


def test_the_newey_west_default_looks_back_a_cube_root_rounded_up() -> None:
    d = np.random.default_rng(1).normal(size=30)
    assert dm_newey_west(d).terms == 4
    assert dm_newey_west(d[:2]).terms == 1


@CASES
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
