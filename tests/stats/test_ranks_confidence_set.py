"""The set that leaves out only those shown to be worse."""

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.columns import Floats, Whole
from arena.stats.comparisons.joint_losses import resampled_means
from arena.stats.comparisons.ranks import ConfidenceSet, model_confidence_set
from tests.vectors import case, near


def by_event(
    losses: Floats, event: Whole, rng: np.random.Generator, draws: int
) -> ConfidenceSet:
    drawn = resampled_means(losses, event, rng, draws)
    return model_confidence_set(losses.mean(axis=0), drawn, add_one=True)


def test_mcs_r_given_bootstrap_means() -> None:
    known = case("14_mcs_rank_sets", "mcs_R_given_bootstrap_means")
    given = known["inputs"]
    means = np.mean(given["losses"], axis=0)
    found = model_confidence_set(means, np.array(given["boot_means"]))
    assert near(found.p.tolist(), known["expected"]["pvalues"], known["tol"], relative=True)
    assert np.flatnonzero(found.p > given["size"]).tolist() == known["expected"]["included"]


def test_the_worst_falls_and_somebody_stays() -> None:
    rng = np.random.default_rng(1)
    losses = rng.random((90, 5)) + np.array([0.0, 0.4, 0.1, 0.2, 0.05])
    found = by_event(losses, np.arange(90), rng, 999)
    assert found.p.argmin() == 1
    assert found.p.max() == 1
    assert found.p.min() >= 1 / 1000


def test_relabelling_relabels() -> None:
    rng = np.random.default_rng(2)
    means, drawn = rng.random(4), rng.random((300, 4))
    order = [2, 0, 3, 1]
    plain = model_confidence_set(means, drawn)
    moved = model_confidence_set(means[order], drawn[:, order])
    assert np.allclose(plain.p[order], moved.p)


def test_exact_twins_share_their_fate() -> None:
    rng = np.random.default_rng(3)
    losses = rng.random((60, 3)) + np.array([0, 0.5, 0.1])
    twins = losses[:, [0, 1, 1, 2]]
    found = by_event(twins, np.arange(60), rng, 500)
    assert found.p[1] == found.p[2]
    assert found.p[1] == found.p.min()


def test_all_alike_all_stay() -> None:
    losses = np.repeat(np.random.default_rng(4).random((30, 1)), 3, axis=1)
    found = by_event(losses, np.arange(30), np.random.default_rng(5), 200)
    assert found.p.tolist() == [1, 1, 1]


def test_a_constant_gap_is_degenerate() -> None:
    own = np.random.default_rng(6).random((40, 1))
    losses = np.hstack([own, own + 0.01, own[::-1]])
    found = by_event(losses, np.arange(40), np.random.default_rng(7), 100)
    assert found.state is State.DEGENERATE
    assert found.p.size == 0


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        model_confidence_set(np.array([np.nan, 1]), np.ones((3, 2)))
    with pytest.raises(ValueError, match="each contestant"):
        model_confidence_set(np.array([0.1, 0.2]), np.ones((3, 3)))
