from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.bootstrap import cluster_jackknife
from arena.stats.replicates import (
    acceleration,
    adjusted_levels,
    basic,
    bca,
    median_bias,
    percentile,
    quantiles,
    studentised,
)
from tests.present import present
from tests.stats.intervals import ends
from tests.vectors import case, near, source

NUMBERS = st.lists(st.floats(-100, 100), min_size=5, max_size=40)


def test_intervals_from_given_replicates_of_a_mean() -> None:
    known = case("05_bootstrap", "given_replicates_mean_n60")
    given, expected = known["inputs"], known["expected"]
    replicates, estimate, jackknife = (
        given["replicates"],
        given["theta_hat"],
        given["jackknife"],
    )
    told: dict[str, object] = {
        "se": float(np.std(replicates, ddof=1)),
        "z0": median_bias(replicates, estimate),
        "a": acceleration(jackknife),
    }
    for percent, level in ((90, 0.9), (95, 0.95)):
        told[f"percentile_{percent}"] = ends(percentile(replicates, level))
        told[f"basic_{percent}"] = ends(basic(replicates, estimate, level))
        told[f"bca_{percent}"] = ends(bca(replicates, estimate, jackknife, level))
    assert told.keys() == expected.keys() - {"r_boot_ci"}
    assert near(told, {key: expected[key] for key in told}, known["tol"], relative=True)


def test_bca_of_all_resamples_of_four_numbers() -> None:
    known = source("ext.bca.exhaustive")
    x = known["input"]["x"]
    replicates, theta = np.mean(list(product(x, repeat=4)), axis=1), float(np.mean(x))
    jackknife = cluster_jackknife(np.array(x), np.ones(4))
    z0, a = median_bias(replicates, theta), present(acceleration(jackknife))
    told = {
        "theta": theta,
        "z0": z0,
        "acceleration": a,
        "adjusted_levels": list(adjusted_levels(z0, a, 0.9)),
        "bca90": ends(bca(replicates, theta, jackknife, 0.9)),
        "percentile90": ends(percentile(replicates, 0.9)),
        "reflected90": ends(basic(replicates, theta, 0.9)),
    }
    assert near(told, known["expected"], known["tol"])


def test_where_bca_is_not_defined_it_is_the_percentile_and_says_so() -> None:
    replicates = np.linspace(0, 1, 101)
    plain = percentile(replicates)
    for estimate, jackknife in ((2.0, [0.4, 0.5, 0.6]), (0.5, [0.5, 0.5, 0.5])):
        found = bca(replicates, estimate, jackknife)
        assert ends(found) == ends(plain)
        assert found.method == "percentile (BCa is not defined)"


@given(x=NUMBERS)
@settings(max_examples=60)
def test_without_bias_and_skewness_bca_is_the_percentile(x: list[float]) -> None:
    level = 0.9
    assert np.allclose(adjusted_levels(0.0, 0.0, level), [0.05, 0.95])
    found, plain = quantiles(x, adjusted_levels(0.0, 0.0, level)), percentile(x, level)
    assert np.allclose(found, ends(plain), atol=1e-9)


@given(x=NUMBERS, at=st.floats(-50, 50))
@settings(max_examples=60)
def test_basic_mirrors_the_percentile_at_the_estimate(x: list[float], at: float) -> None:
    plain, mirrored = percentile(x), basic(x, at)
    assert np.allclose([mirrored.low + plain.high, mirrored.high + plain.low], 2 * at)


def test_quantiles_stay_among_the_replicates() -> None:
    found = quantiles([3.0, 1.0, 2.0], [0.001, 0.5, 0.999])
    assert found.tolist() == pytest.approx([1.0, 2.0, 3.0], abs=0.01)


def test_bootstrap_t_turns_the_quantiles_round() -> None:
    found = present(studentised([1.0, 2.0, 4.0], [1.0, 1.0, 1.0], 2.0, 0.5, 0.5))
    assert ends(found) == pytest.approx([2 - 1.0 * 0.5, 2 + 0.5 * 0.5])


def test_replicates_without_spread_have_no_t() -> None:
    some = studentised([1.0, 2.0, 9.0], [1.0, 1.0, 0.0], 2.0, 0.5, 0.5)
    assert some == studentised([1.0, 2.0], [1.0, 1.0], 2.0, 0.5, 0.5)
    assert studentised([1.0], [0.0], 2.0, 0.5) is None


def test_one_t_alone_makes_no_interval() -> None:
    assert studentised([1.5, 1.5], [0.5, 0.5], 1.5, 0.5) is None


def test_nothing_drawn_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="no replicate"):
        percentile([])
    with pytest.raises(ValueError, match="level"):
        percentile([1.0], 1.0)
    with pytest.raises(ValueError, match="differ in number"):
        studentised([1.0], [1.0, 2.0], 1.0, 1.0)
    assert acceleration([]) is None
