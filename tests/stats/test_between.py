"""How much true values differ."""

import numpy as np
import pytest

from arena.stats.ratings.shrinkage import (
    BetweenVarianceMethod,
    between_variance,
    restricted_likelihood,
)

Y = np.array([0.12, 0.31, -0.2, 0.75, 0.4, 0.05])
ERRORS = np.diag([0.02, 0.03, 0.01, 0.05, 0.02, 0.04])
ONES = np.ones((6, 1))
SINGLE = [one for one in BetweenVarianceMethod if one is not BetweenVarianceMethod.AVERAGED]


def test_restricted_likelihood_is_highest_at_its_estimate() -> None:
    at = between_variance(Y, ERRORS, ONES)
    left, top, right = restricted_likelihood(Y, ERRORS, ONES, at * np.array([0.99, 1, 1.01]))
    assert at > 0
    assert top > max(left, right)


def test_paule_mandel_makes_the_weighted_spread_what_it_should_be() -> None:
    at = between_variance(Y, ERRORS, ONES, BetweenVarianceMethod.PAULE_MANDEL)
    weights = 1 / (np.diag(ERRORS) + at)
    centre = weights @ Y / weights.sum()
    assert weights @ (Y - centre) ** 2 == pytest.approx(5)


@pytest.mark.parametrize("method", SINGLE)
def test_equal_errors_leave_the_same_variance_by_every_method(
    method: BetweenVarianceMethod,
) -> None:
    found = between_variance(Y, 0.01 * np.eye(6), ONES, method)
    assert found == pytest.approx(Y.var(ddof=1) - 0.01)


@pytest.mark.parametrize("method", SINGLE)
def test_a_shared_error_explains_no_difference(method: BetweenVarianceMethod) -> None:
    apart = between_variance(Y, ERRORS, ONES, method)
    together = between_variance(Y, ERRORS + 5.0, ONES, method)
    assert together == pytest.approx(apart, rel=1e-6)


@pytest.mark.parametrize("method", SINGLE)
def test_differences_no_larger_than_errors_are_none(method: BetweenVarianceMethod) -> None:
    assert between_variance(Y, np.eye(6), ONES, method) == 0
    assert between_variance(Y[:1], ERRORS[:1, :1], ONES[:1], method) == 0


def test_an_averaged_spread_is_not_one_variance() -> None:
    with pytest.raises(ValueError, match="not one"):
        between_variance(Y, ERRORS, ONES, BetweenVarianceMethod.AVERAGED)
