from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scoring.alpha import alpha_terms
from arena.scoring.expected import (
    alpha_variance,
    brier_variance,
    expected_alpha,
    expected_brier,
    expected_log,
    expected_log_curvature,
)
from arena.scoring.logarithmic import Clip, log_terms
from arena.scoring.proper import brier_terms
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
    step = 1e-4
    bent = expected_log([f - step, f, f + step], p) @ [1, -2, 1] / step**2
    assert bent == pytest.approx(curve, rel=1e-5)


@given(f=chances, m=chances, p=chances)
def test_expectations_and_variances_are_those_over_both_outcomes(
    f: float, m: float, p: float
) -> None:
    chance = np.array([p, 1 - p])
    for terms, mean, variance in (
        (brier_terms([f, f], [1, 0]), expected_brier(f, p), brier_variance(f, p)),
        (
            alpha_terms([f, f], [1, 0], [m, m]),
            expected_alpha(f, m, p),
            alpha_variance(f, m, p),
        ),
    ):
        assert chance @ terms == pytest.approx(mean.item(), abs=1e-12)
        assert chance @ (terms - mean) ** 2 == pytest.approx(variance.item(), abs=1e-12)
    logs = log_terms([f, f], [1, 0], clip=Clip.NONE)
    assert chance @ logs == pytest.approx(expected_log(f, p).item(), abs=1e-12)


def test_what_is_ruled_out_costs_nothing_until_it_happens() -> None:
    assert expected_log([0.0, 0.0, 1.0], [0.0, 0.1, 0.5]).tolist() == [0, inf, inf]
    assert expected_log(0.5, 0.2).item() == pytest.approx(log(2))


def test_what_is_no_probability_has_no_expectation() -> None:
    with pytest.raises(ValueError, match="lies in"):
        expected_brier(1.2, 0.5)
    with pytest.raises(ValueError, match="lies in"):
        expected_alpha(0.5, np.nan, 0.5)
    with pytest.raises(ValueError, match="no derivative"):
        expected_log_curvature(0, 0.5)
