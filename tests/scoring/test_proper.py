import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from arena.scoring.leaderboard import brier_score
from arena.scoring.proper import (
    BrierConvention,
    brier_index,
    brier_option_terms,
    brier_terms,
    expected_brier,
    expected_log_curvature,
    rps_terms,
    spherical_option_terms,
    spherical_terms,
)
from arena.scoring.skill import skill_of_terms
from tests.vectors import case, near

chances = st.floats(0, 1)


@pytest.mark.parametrize("name", ["binary_cents_n1000", "binary_extreme_n50"])
def test_brier_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    p, y, w = (v["inputs"][k] for k in ("p", "y", "w"))
    found = {
        "brier_each": brier_terms(p, y).tolist(),
        "brier_mean": brier_terms(p, y).mean(),
        "brier_weighted": np.average(brier_terms(p, y), weights=w),
    }
    expected = {k: v["expected"][k] for k in found}
    assert near(found, expected, v["tol"], relative=True)


def test_edge_certain_forecasts_have_a_brier_score() -> None:
    v = case("01_scores", "edge_certain")
    terms = brier_terms(v["inputs"]["p"], v["inputs"]["y"])
    assert near(terms.tolist(), v["expected"]["brier_each"], v["tol"])


@pytest.mark.parametrize("name", ["multi_K5_n80", "multi_K11_n60"])
def test_brier_of_options_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    p, y = v["inputs"]["P"], v["inputs"]["y"]
    found = brier_option_terms(p, y).mean()
    assert near(found, v["expected"]["brier_sum_mean"], v["tol"], relative=True)


def test_no_rounding_of_a_square_differs_from_that_of_a_single_forecast() -> None:
    rng = np.random.default_rng(8)
    p, y = rng.random(30_000), rng.integers(0, 2, 30_000)
    one_by_one = [brier_score(*row) for row in zip(p.tolist(), y.tolist(), strict=True)]
    assert brier_terms(p, y).tolist() == one_by_one


def test_a_constant_half_gets_a_quarter_and_the_sum_form_twice_that() -> None:
    assert brier_terms([0.5, 0.5], [0, 1]).tolist() == [0.25, 0.25]
    assert brier_terms([0.5], [1], convention=BrierConvention.SUM).tolist() == [0.5]


@pytest.mark.parametrize(
    ("p", "y", "why"), [([1.1], [1], "a probability lies in"), ([0.5], [2], "is 0 or 1")]
)
def test_a_wrong_row_is_refused(p: ArrayLike, y: ArrayLike, why: str) -> None:
    for score in (brier_terms, spherical_terms):
        with pytest.raises(ValueError, match=why):
            score(p, y)


@pytest.mark.parametrize(
    ("p", "y", "why"),
    [
        pytest.param([[0.5, 0.6]], [0], "sum to 1", id="too-much"),
        pytest.param([[0.5, 0.4]], [0], "sum to 1", id="too-little"),
        pytest.param([[1.2, -0.2]], [0], "a probability lies in", id="outside"),
        pytest.param([[1.0]], [0], "at least two", id="one-option"),
        pytest.param([[0.5, 0.5]], [2], "one of the 2 options", id="no-option"),
        pytest.param([[0.5, 0.5]], [0.5], "one of the 2 options", id="fraction"),
        pytest.param([[0.5, 0.5]], [np.nan], "one of the 2 options", id="NaN"),
        pytest.param([[0.5, 0.5]], [0, 1], "as many outcomes", id="lengths"),
    ],
)
def test_a_wrong_row_of_options_is_refused(p: ArrayLike, y: ArrayLike, why: str) -> None:
    for score in (brier_option_terms, spherical_option_terms):
        with pytest.raises(ValueError, match=why):
            score(p, y)


def test_two_options_are_a_yes_no_question() -> None:
    p = np.array([0.0, 0.2, 0.7, 1.0])
    y = np.array([1, 0, 1, 0])
    pairs = np.column_stack([1 - p, p])
    assert brier_option_terms(pairs, y) == pytest.approx(2 * brier_terms(p, y), abs=1e-15)
    assert spherical_option_terms(pairs, y) == pytest.approx(spherical_terms(p, y), abs=1e-15)


def test_the_spherical_score_is_better_when_higher() -> None:
    sure, unsure = spherical_terms([0.9, 0.6], [1, 1])
    assert 1 > sure > unsure
    options = spherical_option_terms([[0.6, 0.3, 0.1]], [0])
    assert options.item() == pytest.approx(0.6 / np.sqrt(0.46), abs=1e-15)


def test_the_index_of_superforecasters_is_what_was_published() -> None:
    assert brier_index(0.086) == pytest.approx(70.6, abs=0.1)  # of a rounded score
    assert (brier_index(0.25), brier_index(0), brier_index(1)) == (50, 100, 0)
    with pytest.raises(ValueError, match="half form"):
        brier_index(1.2)


FOOTBALL = ("H", "D", "A")


def test_constantinou_fenton_2012_five_matches() -> None:
    v = case("01_scores", "constantinou_fenton_2012_five_matches")
    terms = rps_terms(v["inputs"]["P"], v["inputs"]["y"], order=FOOTBALL).tolist()
    assert near(terms, v["expected"]["rps_printed"], v["tol"], relative=True)
    assert near(terms, v["expected"]["rps_R_verification"], 1e-15)


def test_rps_exact_rational_3way() -> None:
    v = case("01_scores", "rps_exact_rational_3way")
    terms = rps_terms(v["inputs"]["P"], v["inputs"]["y"], order=FOOTBALL).tolist()
    assert near(terms, v["expected"]["rps_norm_Kminus1"], v["tol"], relative=True)
    fractions = [[int(n) for n in (e + "/1").split("/")[:2]] for e in v["expected"]["exact"]]
    assert near(terms, [a / b for a, b in fractions], v["tol"], relative=True)


@pytest.mark.parametrize("name", ["multi_K5_n80", "multi_K11_n60"])
def test_rps_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    p, y = v["inputs"]["P"], v["inputs"]["y"]
    order = tuple(str(n) for n in range(len(p[0])))
    own = rps_terms(p, y, order=order)
    climate = np.tile(np.bincount(y, minlength=len(order)) / len(y), (len(y), 1))
    found = {
        "rps_each_unnormalised": rps_terms(p, y, order=order, normalised=False).tolist(),
        "rps_mean_unnormalised": rps_terms(p, y, order=order, normalised=False).mean(),
        "rps_mean_norm_Kminus1": rps_terms(p, y, order=order).mean(),
        "rpss_vs_climatology": skill_of_terms(own, rps_terms(climate, y, order=order)).value,
    }
    assert near(found, {k: v["expected"][k] for k in found}, v["tol"], relative=True)


@pytest.mark.parametrize("order", ["HDA", ("H", "D"), ("H", "D", "H")])
def test_an_order_names_each_option_once(order: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="names each of them once"):
        rps_terms([[0.5, 0.3, 0.2]], [0], order=order)


inside = st.floats(0.001, 0.999)


@given(f=inside, p=inside)
def test_an_expectation_is_that_over_both_outcomes(f: float, p: float) -> None:
    terms = brier_terms([f, f], [1, 0])
    assert np.array([p, 1 - p]) @ terms == pytest.approx(expected_brier(f, p).item(), abs=1e-12)


def test_what_is_no_probability_has_no_expectation() -> None:
    with pytest.raises(ValueError, match="lies in"):
        expected_brier(1.2, 0.5)
    with pytest.raises(ValueError, match="no derivative"):
        expected_log_curvature(0, 0.5)
