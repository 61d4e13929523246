"""Mean losses of several contestants together."""

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.comparisons.joint_losses import event_sums, mean_losses, resampled_means
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
