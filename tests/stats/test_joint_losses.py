"""Mean losses of several contestants together.

The share of a model in what its copies say is found as it was planted.
"""

import numpy as np
import pytest

from arena.records.estimate import Estimate, Interval, State
from arena.stats.comparisons.joint_losses import (
    copies_needed,
    event_sums,
    intraclass,
    joint_errors,
    mean_losses,
    resampled_means,
)
from tests.present import present

EVENT = np.array([2, 0, 2, 1, 0, 7, 7, 7])


def test_the_covariance_gives_each_pair_its_clustered_error() -> None:
    losses = np.random.default_rng(0).random((8, 3))
    found = mean_losses(losses, EVENT)
    for i, j in ((0, 1), (1, 2)):
        d = losses[:, i] - losses[:, j]
        pulls = np.array([np.sum((d - d.mean())[e == EVENT]) for e in (0, 1, 2, 7)])
        direct = 4 / 3 * np.sum(pulls**2) / 8**2
        own = present(found.covariance)
        assert own[i, i] + own[j, j] - 2 * own[i, j] == pytest.approx(direct, rel=1e-12)


def test_repeating_every_question_changes_neither_means_nor_covariance() -> None:
    losses = np.random.default_rng(2).random((8, 3))
    once = mean_losses(losses, EVENT)
    twice = mean_losses(np.vstack([losses, losses]), np.concatenate([EVENT, EVENT]))
    assert np.allclose(present(once.covariance), present(twice.covariance), rtol=1e-12)


def test_one_event_says_nothing_of_the_spread() -> None:
    found = mean_losses(np.array([[0.1, 0.2], [0.3, 0.2]]), np.array([4, 4]))
    assert found.state is State.SINGLE
    assert found.covariance is None
    assert found.means.tolist() == pytest.approx([0.2, 0.2])


def test_resampled_means_spread_as_the_covariance_says() -> None:
    rng = np.random.default_rng(3)
    event = np.repeat(np.arange(60), 3)
    losses = rng.random((180, 2)) + rng.normal(size=60)[event, None]
    drawn = resampled_means(losses, event, rng, 4000)
    found = mean_losses(losses, event)
    assert np.allclose(np.cov(drawn.T), present(found.covariance), rtol=0.1)


def test_errors_that_are_all_the_same_have_no_correlation() -> None:
    each = np.arange(13)  # 13 tenths leave a variance of rounding
    found = joint_errors(np.outer([0.1, 0.6], np.ones(13)), each, each)
    assert (found.mean.value, found.mean.state) == (None, State.EMPTY)
    twins = joint_errors(np.tile(np.random.default_rng(0).normal(size=13), (2, 1)), each, each)
    assert twins.mean == Estimate(1.0, 13, 13, state=State.DEGENERATE)


def test_sums_are_of_events_in_order_of_code() -> None:
    sums, counts = event_sums(np.arange(8.0)[:, None], EVENT)
    assert sums[:, 0].tolist() == [5, 3, 2, 18]
    assert counts[:, 0].tolist() == [2, 1, 2, 3]


def test_nonsense_is_refused() -> None:
    losses = np.array([[0.1, 0.2], [0.3, np.nan]])
    with pytest.raises(ValueError, match="finite"):
        mean_losses(losses, np.array([0, 1]))
    with pytest.raises(ValueError, match="without a forecast"):
        mean_losses(losses, np.array([0, 1]), np.array([[True, False], [True, False]]))
    with pytest.raises(ValueError, match="events"):
        mean_losses(losses[:1], np.array([0, 1]))
    with pytest.raises(ValueError, match="column"):
        mean_losses(np.array([0.1]), np.array([0]))


MODEL = np.array([0, 0, 0, 1, 1, 2])


def planted(seed: int, share: float, m: int = 400) -> Estimate:
    """Six contestants of three models, of whose variance `share` lies between models."""
    rng = np.random.default_rng(seed)
    question = rng.normal(0, 1, m)
    model = rng.normal(0, np.sqrt(share), (3, m))
    noise = rng.normal(0, np.sqrt(1 - share), (6, m))
    return intraclass(
        question + model[MODEL] + noise, MODEL, np.arange(m) // 2, np.arange(m) // 2 % 20
    )


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_the_planted_share_is_in_most_intervals(share: float) -> None:
    bounds = [present(planted(seed, share).interval) for seed in range(100)]
    assert sum(b.low <= share <= b.high for b in bounds) >= 90


def test_copies_that_say_the_same_share_everything() -> None:
    said = np.array([[0.2, 0.5, 0.9], [0.2, 0.5, 0.9], [0.3, 0.1, 0.4]])
    shared = intraclass(said, np.array([0, 0, 1]), np.arange(3), np.arange(3))
    assert shared.value == pytest.approx(1.0)


def test_two_copies_and_one_other_by_hand() -> None:
    said = np.array([[0.4], [0.6], [0.8]])
    shared = intraclass(said, np.array([0, 0, 1]), np.zeros(1, np.intp), np.zeros(1, np.intp))
    within = 0.02
    between = 2 * 0.15**2 - within * (1 + 1 / 2) / 2
    assert shared.value == pytest.approx(between / (between + within))
    assert shared.state is State.NOT_ESTIMABLE


def test_what_nobody_said_is_in_no_variance() -> None:
    m = 60
    rng = np.random.default_rng(1)
    said = rng.uniform(size=(6, m))
    apart = np.column_stack([said, np.full((6, 5), np.nan)])
    one = intraclass(said, MODEL, np.arange(m), np.arange(m) % 20)
    other = intraclass(apart, MODEL, np.arange(m + 5), np.arange(m + 5) % 20)
    assert one.value == other.value
    assert other.n == m


@pytest.mark.parametrize("model", [[0, 1, 2], [0, 0, 0]])
def test_without_copies_or_without_another_model_there_is_no_share(model: list[int]) -> None:
    said = np.random.default_rng(1).uniform(size=(3, 40))
    shared = intraclass(said, np.array(model), np.arange(40), np.arange(40) % 20)
    assert (shared.value, shared.state) == (None, State.EMPTY)


def test_nobody_has_no_share() -> None:
    nothing = np.zeros(0, np.intp)
    assert intraclass(np.zeros((0, 0)), nothing, nothing, nothing).state is State.EMPTY


@pytest.mark.parametrize(("share", "copies"), [(1.0, 1), (0.9, 1), (0.8, 3), (0.5, 9)])
def test_copies_are_needed_as_the_share_says(share: float, copies: int) -> None:
    assert copies_needed(Estimate(share, 9, 9)).value == copies


def test_where_copies_differ_as_much_as_models_no_number_is_enough() -> None:
    assert copies_needed(Estimate(-0.1, 9, 9)).state is State.NOT_ESTIMABLE


def test_the_copies_needed_have_the_interval_of_the_share() -> None:
    share = Estimate(0.8, 9, 9, interval=Interval(0.5, 0.9, 0.95, "jackknife"))
    bounds = present(copies_needed(share).interval)
    assert (bounds.low, bounds.high) == (1, 9)
