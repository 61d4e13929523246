"""How much true values differ."""

import numpy as np
import pytest

from arena.stats.ratings.shrinkage import between_variance, restricted_likelihood

Y = np.array([0.12, 0.31, -0.2, 0.75, 0.4, 0.05])
ERRORS = np.diag([0.02, 0.03, 0.01, 0.05, 0.02, 0.04])
ONES = np.ones((6, 1))


def test_restricted_likelihood_is_highest_at_its_estimate() -> None:
    at = between_variance(Y, ERRORS, ONES)
    left, top, right = restricted_likelihood(Y, ERRORS, ONES, at * np.array([0.99, 1, 1.01]))
    assert at > 0
    assert top > max(left, right)


def test_equal_errors_leave_the_variance_less_theirs() -> None:
    found = between_variance(Y, 0.01 * np.eye(6), ONES)
    assert found == pytest.approx(Y.var(ddof=1) - 0.01)


def test_a_shared_error_explains_no_difference() -> None:
    apart, together = (between_variance(Y, ERRORS + more, ONES) for more in (0, 5.0))
    assert together == pytest.approx(apart, rel=1e-6)


def test_differences_no_larger_than_errors_are_none() -> None:
    assert between_variance(Y, np.eye(6), ONES) == 0
    assert between_variance(Y[:1], ERRORS[:1, :1], ONES[:1]) == 0
