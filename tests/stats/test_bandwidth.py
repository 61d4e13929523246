import numpy as np
import pytest
from numpy.typing import NDArray

from arena.stats.bandwidth import (
    andrews_bandwidth,
    kernel_hac,
    newey_west,
    newey_west_bandwidth,
)
from arena.stats.longrun import Kernel
from tests.vectors import case, near

CASES = pytest.mark.parametrize("name", ["brier_two_agents_n400", "small_n12"])


@CASES
def test_bandwidths_and_variances_are_those_of_r_sandwich(name: str) -> None:
    known = case("04_dm", name)
    d = np.array(known["inputs"]["e1"]) ** 2 - np.array(known["inputs"]["e2"]) ** 2
    n = d.size
    lags = [int(lag.removeprefix("lag")) for lag in known["expected"]["nw_var"]]
    found = {
        "nw_var": {f"lag{k}": newey_west(d, k, prewhite=0) / n for k in lags},
        "nw_var_adjusted": {
            f"lag{k}": newey_west(d, k, prewhite=0, adjust=True) / n for k in lags
        },
        "bwNeweyWest_bartlett": newey_west_bandwidth(d, prewhite=0),
        "bwNeweyWest_bartlett_prewhite1": newey_west_bandwidth(d),
        "bwAndrews_bartlett": andrews_bandwidth(d, Kernel.BARTLETT, prewhite=0),
        "bwAndrews_qs": andrews_bandwidth(d, prewhite=0),
        "NeweyWest_auto_prewhite": newey_west(d) / n,
        "NeweyWest_auto": newey_west(d, prewhite=0) / n,
        "kernHAC_qs_auto_prewhite": kernel_hac(d) / n,
        "lrvar_andrews": kernel_hac(d) / n,
        "lrvar_nw": newey_west(d, adjust=True) / n,
    }
    expected = {key: known["expected"][key] for key in found}
    assert near(found, expected, known["tol"], relative=True)


@pytest.fixture
def walk() -> NDArray[np.float64]:
    steps = np.random.default_rng(3).standard_normal(200)
    return np.convolve(steps, 0.7 ** np.arange(20))[:200]


@pytest.mark.parametrize("kernel", Kernel)
def test_more_memory_asks_for_a_wider_window(kernel: Kernel, walk: NDArray[np.float64]) -> None:
    alone = np.random.default_rng(4).standard_normal(200)
    assert andrews_bandwidth(walk, kernel, prewhite=0) > andrews_bandwidth(
        alone, kernel, prewhite=0
    )


@pytest.mark.parametrize("kernel", [Kernel.BARTLETT, Kernel.PARZEN, Kernel.QUADRATIC_SPECTRAL])
def test_the_unit_of_the_series_does_not_change_its_bandwidth(
    kernel: Kernel, walk: NDArray[np.float64]
) -> None:
    assert newey_west_bandwidth(7 * walk, kernel) == pytest.approx(
        newey_west_bandwidth(walk, kernel)
    )


@pytest.mark.parametrize("kernel", [Kernel.TRUNCATED, Kernel.TUKEY_HANNING])
def test_newey_and_west_have_no_rule_for_some_kernels(
    kernel: Kernel, walk: NDArray[np.float64]
) -> None:
    with pytest.raises(ValueError, match="no such rule"):
        newey_west_bandwidth(walk, kernel)


def test_a_series_without_spread_has_no_bandwidth() -> None:
    flat = np.zeros(20)
    for rule in (newey_west_bandwidth, andrews_bandwidth):
        with pytest.raises(ValueError, match="no spread"):
            rule(flat, prewhite=0)


def test_a_negative_lag_is_refused(walk: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="no lag"):
        newey_west(walk, -1)
