import numpy as np
import pytest
from scipy.special import gammaincc

from arena.stats.blocks import (
    Convention,
    block_counts,
    optimal_block_length,
    stationary_means,
    stationary_sharpes,
    variance_of_stationary_mean,
)
from tests.vectors import case, near, source

SEEDED = "block_arch_test_ar1_0.3_n10000(seeded RandomState(0))"


def _ar1() -> np.ndarray:
    y = np.random.RandomState(0).standard_normal(10_100)
    for i in range(1, y.size):
        y[i] += 0.3 * y[i - 1]
    return y[100:]


@pytest.mark.parametrize("name", ["block_ar5_n250", "block_ma_n300", SEEDED])
def test_block_lengths_of_arch_and_of_r_np(name: str) -> None:
    known = case("05_bootstrap", name)
    x = _ar1() if name == SEEDED else known["inputs"]["x"]
    found = {
        "arch": optimal_block_length(x),
        "r_np_b_star": optimal_block_length(x, Convention.NP),
        "r_np_b_star_c2": optimal_block_length(x, Convention.NP, bound=2),
    }
    told = {
        key: {"stationary": b.stationary, "circular": b.circular}
        for key, b in found.items()
        if b
    }
    assert near(told, known["expected"], known["tol"], relative=True)


def test_the_block_length_of_twenty_values() -> None:
    known = source("ext.politis_white")
    found = optimal_block_length(known["input"]["x"])
    assert found is not None
    told = {"stationary": found.stationary, "circular": found.circular}
    assert near(told, known["expected"], known["tol"])


def test_the_longest_block_is_bounded() -> None:
    found = optimal_block_length(np.diff(np.random.default_rng(0).standard_normal(101)))
    assert found is not None
    assert (found.stationary, found.circular) == (30, 30)


@pytest.mark.parametrize("convention", list(Convention))
def test_where_correlations_never_end_both_conventions_answer(convention: Convention) -> None:
    walk = np.cumsum(np.random.default_rng(1).standard_normal(120))
    found = optimal_block_length(walk, convention)
    assert found is not None
    assert 1 < found.stationary <= 33


@pytest.mark.parametrize("x", [[], [1.0, 2.0] * 4, [0.01] * 50])
def test_too_few_values_or_no_spread_have_no_block_length(x: list[float]) -> None:
    assert optimal_block_length(x) is None


@pytest.mark.parametrize("length", [1, 3, 8])
def test_the_exact_variance_of_a_resampled_mean(length: int) -> None:
    known = case("05_bootstrap", f"stationary_var_mean_L{length}")
    assert known["name"] in {
        "stationary_var_mean_L1",
        "stationary_var_mean_L3",
        "stationary_var_mean_L8",
    }
    x, expected = known["inputs"]["x"], known["expected"]
    exact = variance_of_stationary_mean(x, length)
    assert near(exact, expected["exact_var_of_mean"], known["tol"], relative=True)
    drawn = stationary_means(x, length, np.random.default_rng(length), 20_000)
    for simulated in (drawn.var(), expected["arch_mc_40000"], expected["r_tsboot_mc_20000"]):
        assert exact == pytest.approx(simulated, rel=0.035)


def test_the_exact_law_of_four_values() -> None:
    known = case("05_bootstrap", "stationary_exact_law_n4_p1over3")
    x, expected = known["inputs"]["x"], known["expected"]
    length, draws = known["inputs"]["mean_block"], 100_000
    found = variance_of_stationary_mean(x, length)
    top, bottom = expected["var_exact"].split("/")
    assert near([np.mean(x), found], [expected["mean"], expected["var_of_mean"]], 1e-14)
    assert near(found, int(top) / int(bottom), known["tol"])
    means = stationary_means(x, length, np.random.default_rng(11), draws)
    seen = np.array([np.isclose(means, value).sum() for value in expected["support"]])
    assert seen.sum() == draws
    wanted = draws * np.array(expected["prob"])
    chi2 = np.sum((seen - wanted) ** 2 / wanted)
    assert gammaincc((seen.size - 1) / 2, chi2 / 2) > 0.001


@pytest.mark.parametrize(("n", "length"), [(1, 1.0), (5, 40.0), (50, 1.0), (700, 12.5)])
def test_every_resample_has_n_places(n: int, length: float) -> None:
    found = block_counts(n, 300, length, np.random.default_rng(1))
    assert found.shape == (300, n)
    assert np.all(found.sum(axis=1) == n)
    assert np.all(found >= 0)


def test_series_are_resampled_at_the_same_places() -> None:
    x = np.random.default_rng(2).standard_normal((60, 2))
    x[:, 1] = 3 * x[:, 0] + 1
    means = stationary_means(x, 5, np.random.default_rng(3), 400)
    assert means.shape == (400, 2)
    assert np.allclose(means[:, 1], 3 * means[:, 0] + 1)


def test_a_resampled_ratio_is_that_of_the_values_drawn() -> None:
    x = 0.02 + 0.1 * np.random.default_rng(4).standard_normal(30)
    counts = block_counts(30, 200, 4, np.random.default_rng(5)).astype(int)
    expected = [np.mean(v) / np.std(v, ddof=1) for v in (np.repeat(x, c) for c in counts)]
    found = stationary_sharpes(x, 4, np.random.default_rng(5), 200)
    assert np.allclose(found, expected)


def test_a_resample_without_spread_has_ratio_0() -> None:
    found = stationary_sharpes([0.01, 0.01, 0.5], 60.0, np.random.default_rng(6), 2000)
    assert np.isfinite(found).all()
    assert np.all(stationary_sharpes([0.01] * 10, 3, np.random.default_rng(6), 5) == 0)


@pytest.mark.parametrize("length", [0.5, np.nan])
def test_a_block_is_one_long_at_least(length: float) -> None:
    with pytest.raises(ValueError, match="mean length"):
        block_counts(5, 1, length, np.random.default_rng(0))
    with pytest.raises(ValueError, match="mean length"):
        variance_of_stationary_mean([1.0, 2.0], length)


def test_series_are_refused_that_are_none() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="finite"):
        stationary_means([np.nan, 1.0], 2, rng)
    with pytest.raises(ValueError, match="two values"):
        stationary_sharpes([1.0], 1, rng)
