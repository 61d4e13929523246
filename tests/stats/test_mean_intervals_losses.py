"""Intervals of mean losses and of growth, on the scale of logarithms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from arena.records.estimate import Estimate, State
from arena.stats.columns import codes, tally
from arena.stats.mean_intervals import LOG_SCALE, growth_interval, interval, loss_estimates
from tests.present import present
from tests.stats.intervals import ends

losses = st.lists(st.floats(0.001, 1.0), min_size=2, max_size=12).filter(
    lambda found: max(found) - min(found) > 1e-6
)


def loss_interval(
    losses: ArrayLike, events: ArrayLike, level: float = 0.95, *, most: float | None = None
) -> Estimate:
    column = np.asarray(losses, dtype=np.float64)
    return loss_estimates(*tally(column, codes(events, column.size)), level, most=most)[0]


def test_the_interval_is_a_jackknife_t_on_the_scale_of_logarithms() -> None:
    x = np.array([0.1, 0.4, 0.3, 0.9, 0.2])
    found = loss_interval(x, np.arange(5))
    without = np.array([np.delete(x, i).mean() for i in range(5)])
    se = np.sqrt(np.sum((without - x.mean()) ** 2))
    arm = stats.t.ppf(0.975, 4) * se / x.mean()
    assert found.se == pytest.approx(se)
    assert found.df == pytest.approx(4)
    assert ends(found.interval) == pytest.approx(x.mean() * np.exp([-arm, arm]))
    assert present(found.interval).method == LOG_SCALE


@given(losses)
def test_it_holds_the_mean_stays_above_zero_and_below_the_largest_loss(x: list[float]) -> None:
    found = loss_interval(x, np.arange(len(x)), most=1.0)
    low, high = ends(found.interval)
    assert 0 < low < present(found.value) < high <= 1.0


@given(losses)
def test_another_unit_of_loss_only_scales_it(x: list[float]) -> None:
    one, other = (loss_interval(np.array(x) * c, np.arange(len(x))).interval for c in (1, 3))
    assert 3 * np.array(ends(one)) == pytest.approx(ends(other), rel=1e-9)


def test_with_many_events_it_is_the_t_interval() -> None:
    x = np.random.default_rng(1).random(40_000)
    ours, plain = loss_interval(x, np.arange(x.size)), interval(x, np.arange(x.size))
    assert ends(ours.interval) == pytest.approx(ends(plain.interval), abs=2e-5)


def test_it_reaches_further_up_than_down() -> None:
    found = loss_interval([0.0, 0.0, 0.1, 0.9], [0, 1, 2, 3])
    assert sum(ends(found.interval)) > 2 * present(found.value)


def test_what_has_no_spread_or_no_events_has_no_interval() -> None:
    assert loss_interval([], np.zeros(0, dtype=int)).state is State.EMPTY
    assert loss_interval([0.3], [0]).state is State.SINGLE
    assert loss_interval([0.0, 0.0], [0, 1]).state is State.DEGENERATE
    assert growth_interval([], np.zeros(0, dtype=int)).value is None


def test_nothing_is_infinite_at_any_level() -> None:
    found = loss_interval([0.0, 1.0], [0, 1], 1 - 1e-9)
    assert np.isfinite(present(found.interval).high)


def test_growth_is_a_loss_moved_by_one() -> None:
    x, events = np.array([0.5, -0.9, 0.1, 2.0]), np.array([0, 0, 1, 2])
    moved, found = loss_interval(x + 1, events), growth_interval(x, events)
    assert found.value == pytest.approx(x.mean())
    assert (found.se, found.df) == (moved.se, moved.df)
    assert ends(found.interval) == pytest.approx(np.array(ends(moved.interval)) - 1)


def test_when_more_than_everything_is_lost_the_arms_are_equal() -> None:
    found = growth_interval([-1.02, -1.01, -1.05], [0, 1, 2])
    assert sum(ends(found.interval)) == pytest.approx(2 * present(found.value))
