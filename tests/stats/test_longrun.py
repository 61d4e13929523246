import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.stats.longrun import (
    autocovariances,
    bartlett,
    cosines,
    cube_root,
    daniell,
    rectangular,
)

Floats = NDArray[np.float64]

numbers = st.lists(st.floats(-10, 10), min_size=4, max_size=30).map(np.array)


@given(n=st.integers(0, 10**15))
def test_a_cube_root_is_the_largest_whose_cube_fits(n: int) -> None:
    assert cube_root(n) ** 3 <= n < (cube_root(n) + 1) ** 3


def test_a_negative_count_has_no_cube_root() -> None:
    with pytest.raises(ValueError, match="count"):
        cube_root(-1)


def test_autocovariances_are_over_n() -> None:
    assert autocovariances(np.array([1.0, 2.0, 3.0]), 1).tolist() == [2 / 3, 0.0]


@pytest.mark.parametrize("lags", [-1, 3])
def test_a_lag_that_is_not_there_is_refused(lags: int) -> None:
    with pytest.raises(ValueError, match="no lag"):
        bartlett(np.array([1.0, 2.0, 4.0]), lags)


@given(x=numbers, lags=st.integers(0, 3))
def test_a_bartlett_window_is_never_negative(x: Floats, lags: int) -> None:
    assert bartlett(x, lags) >= -1e-12


def test_a_rectangular_window_may_be_negative() -> None:
    assert rectangular(np.array([1.0, -1.0, 1.0, -1.0]), 1) < 0


@given(x=numbers)
def test_all_frequencies_and_all_cosines_make_up_the_variance(x: Floats) -> None:
    n = x.size
    assert cosines(x, n - 1) * (n - 1) / n == pytest.approx(float(x.var()), abs=1e-9)
    if n % 2:
        m = (n - 1) // 2
        whole = daniell(x, m)[1].sum() * 2 * np.pi / (n / 2)
        assert whole == pytest.approx(float(x.var()), abs=1e-9)


@given(x=numbers)
def test_where_the_mean_is_does_not_matter(x: Floats) -> None:
    assert bartlett(x + 100, 2) == pytest.approx(bartlett(x, 2), abs=1e-8)
