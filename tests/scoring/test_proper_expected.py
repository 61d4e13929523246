import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scoring.proper import brier_terms, expected_brier, expected_log_curvature

chances = st.floats(0.001, 0.999)


@given(f=chances, p=chances)
def test_an_expectation_is_that_over_both_outcomes(f: float, p: float) -> None:
    terms = brier_terms([f, f], [1, 0])
    assert np.array([p, 1 - p]) @ terms == pytest.approx(expected_brier(f, p).item(), abs=1e-12)


def test_what_is_no_probability_has_no_expectation() -> None:
    with pytest.raises(ValueError, match="lies in"):
        expected_brier(1.2, 0.5)
    with pytest.raises(ValueError, match="no derivative"):
        expected_log_curvature(0, 0.5)
