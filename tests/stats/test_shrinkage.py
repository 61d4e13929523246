"""Groups compared fairly.

How much true values differ.
"""

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.shrinkage import (
    between_variance,
    compare_groups,
    expected_maximum,
    restricted_likelihood,
    shrink,
)
from tests.present import present
from tests.stats.intervals import ends

SCHOOLS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18]) ** 2


def test_eight_schools_averaged_over_the_spread() -> None:
    found = shrink(SCHOOLS, ERRORS)
    published = [11.4, 7.9, 6.1, 7.6, 5.1, 6.1, 10.7, 8.5]
    assert [one.value for one in found.values] == pytest.approx(published, abs=0.1)
    assert found.values[0].se == pytest.approx(8.3, abs=0.1)


def test_the_uncertain_are_drawn_further() -> None:
    y, own = np.array([0.0, 4.0, 2.0, 2.0]), np.array([0.1, 1.0, 0.1, 0.1])
    sure, unsure, *_ = shrink(y, own).values
    assert 0 < present(sure.value) < 4 - present(unsure.value) < 2
    assert np.ptp(ends(sure.interval)) < np.ptp(ends(unsure.interval))


@pytest.mark.parametrize("spread", [0.0, 0.3, 1.0])
def test_averaged_intervals_hold_the_truth_nearly_as_often_as_they_say(spread: float) -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(60):
        truth = rng.normal(0, spread, 12)
        found = shrink(truth + rng.normal(0, 0.7, 12), np.full(12, 0.49))
        ends = [one.interval for one in found.values if one.interval is not None]
        held += sum(e.low <= t <= e.high for e, t in zip(ends, truth, strict=True))
    assert held / 720 >= 0.92


def test_too_little_is_named() -> None:
    none = np.empty(0)
    assert shrink(none, none).state is State.EMPTY
    one = shrink(np.array([0.3]), np.array([0.01]))
    assert one.state is State.SINGLE
    assert one.values[0].value == 0.3
    two = np.array([0.3, 0.5])
    assert shrink(two, np.ones(2)).state is State.TOO_FEW
    sure = shrink(two, np.zeros(2))
    assert sure.state is State.DEGENERATE
    assert sure.values[0].interval is None
    assert shrink(two, np.ones((2, 2))).state is State.NOT_ESTIMABLE


def test_more_entrants_make_a_provider_surer_and_no_better() -> None:
    rng = np.random.default_rng(1)
    joint = 0.01 * np.eye(13)
    one, ten = [], []
    for _ in range(60):
        y = rng.normal(0, 0.1, 13)
        found = compare_groups(y, joint, np.repeat([0, 1, 2, 3], [1, 10, 1, 1]))
        small, large = found.groups[:2]
        one.append((small.own, small.best, small.best + small.luck))
        ten.append((large.own, large.best, large.best + large.luck))
        assert present(large.ability.se) < present(small.ability.se)
    assert np.mean(ten, axis=0)[0] == pytest.approx(np.mean(one, axis=0)[0], abs=0.04)
    assert np.mean(ten, axis=0)[1] < -0.13
    assert np.mean(ten, axis=0)[2] == pytest.approx(0, abs=0.02)


def test_luck_is_of_errors_that_are_not_shared() -> None:
    y, group = np.array([0.1, 0.2, 0.4]), np.array([5, 5, 5])
    apart = compare_groups(y, 0.04 * np.eye(3), group)
    together = compare_groups(y, 0.04 * np.eye(3) + 9.0, group, higher_is_better=True)
    assert apart.groups[0].luck == pytest.approx(0.2 * expected_maximum(3))
    assert together.groups[0].luck == pytest.approx(apart.groups[0].luck)
    assert apart.groups[0].best == 0.1
    assert together.groups[0].best == 0.4
    assert apart.state is State.SINGLE


def test_groups_of_tied_errors_are_told_without_shrinking() -> None:
    y = np.array([0.1, 0.2, 0.4])
    found = compare_groups(y, np.ones((3, 3)), np.array([0, 1, 1]))
    assert found.state is State.NOT_ESTIMABLE
    assert [one.own for one in found.groups] == pytest.approx([0.1, 0.3])
    assert compare_groups(y[:0], y[:0], np.empty(0, int)).state is State.EMPTY


@pytest.mark.parametrize(
    ("k", "known"), [(1, 0.0), (3, 0.846284), (5, 1.162964), (100, 2.507594)]
)
def test_the_expected_largest_draw(k: int, known: float) -> None:
    assert expected_maximum(k) == pytest.approx(known, abs=2e-6)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        shrink(np.array([np.nan, 1]), np.ones(2))
    with pytest.raises(ValueError, match="one estimate"):
        shrink(np.array([0.0, 1]), np.ones(3))
    with pytest.raises(ValueError, match="symmetric"):
        shrink(np.array([0.0, 1]), np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="level"):
        shrink(np.array([0.0, 1]), np.ones(2), level=1.0)
    with pytest.raises(ValueError, match="group"):
        compare_groups(np.array([0.0, 1]), np.ones(2), np.array([0]))
    with pytest.raises(ValueError, match="nothing"):
        expected_maximum(0)


Y = np.array([0.12, 0.31, -0.2, 0.75, 0.4, 0.05])
ERROR_COV = np.diag([0.02, 0.03, 0.01, 0.05, 0.02, 0.04])
ONES = np.ones((6, 1))


def test_restricted_likelihood_is_highest_at_its_estimate() -> None:
    at = between_variance(Y, ERROR_COV, ONES)
    left, top, right = restricted_likelihood(Y, ERROR_COV, ONES, at * np.array([0.99, 1, 1.01]))
    assert at > 0
    assert top > max(left, right)


def test_equal_errors_leave_the_variance_less_theirs() -> None:
    found = between_variance(Y, 0.01 * np.eye(6), ONES)
    assert found == pytest.approx(Y.var(ddof=1) - 0.01)


def test_a_shared_error_explains_no_difference() -> None:
    apart, together = (between_variance(Y, ERROR_COV + more, ONES) for more in (0, 5.0))
    assert together == pytest.approx(apart, rel=1e-6)


def test_differences_no_larger_than_errors_are_none() -> None:
    assert between_variance(Y, np.eye(6), ONES) == 0
    assert between_variance(Y[:1], ERROR_COV[:1, :1], ONES[:1]) == 0
