import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scoring.proper import brier_terms, expected_brier, expected_log_curvature
from tests.vectors import near, source

chances = st.floats(0.001, 0.999)


def test_s000_expected_brier_identity() -> None:
    v = source("s000.expected_brier_identity")
    p, f = v["input"]["p"], v["input"]["f"]
    by_outcome = p * brier_terms([f], [1]) + (1 - p) * brier_terms([f], [0])
    assert near(by_outcome.item(), v["expected"]["expected"], v["tol"])
    assert near(expected_brier(f, p).item(), v["expected"]["decomp"], v["tol"])


def test_s000_log_second_derivative_is_positive() -> None:
    v = source("s000.log_second_derivative")
    p, f = v["input"]["p"], v["input"]["f"]
    curve = expected_log_curvature(f, p).item()
    assert near(curve, v["expected"]["second_derivative_of_expected_loss"], v["tol"])
    assert near(-curve, v["expected"]["printed_expression_value"], v["tol"])


@given(f=chances, p=chances)
def test_an_expectation_is_that_over_both_outcomes(f: float, p: float) -> None:
    terms = brier_terms([f, f], [1, 0])
    assert np.array([p, 1 - p]) @ terms == pytest.approx(expected_brier(f, p).item(), abs=1e-12)


def test_what_is_no_probability_has_no_expectation() -> None:
    with pytest.raises(ValueError, match="lies in"):
        expected_brier(1.2, 0.5)
    with pytest.raises(ValueError, match="no derivative"):
        expected_log_curvature(0, 0.5)
