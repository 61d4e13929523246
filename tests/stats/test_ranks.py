"""Ranks with how sure they are.

The set that leaves out only those shown to be worse.
"""

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.columns import Floats, Whole
from arena.stats.comparisons.joint_losses import resampled_means
from arena.stats.comparisons.ranks import (
    ConfidenceSet,
    RankOptions,
    model_confidence_set,
    rank_chances,
    rank_sets,
    ranks,
)
from tests.vectors import case, near


@pytest.mark.parametrize("name", ["csranks_correlated_5", "csranks_diag_6"])
def test_sets_of_all_ranks_together_are_those_of_csranks(name: str) -> None:
    known = case("14_mcs_rank_sets", name)
    given, expected = known["inputs"], known["expected"]["simul_stepdown"]
    x, joint = np.array(given["x"]), np.array(given["Sigma"])
    losses = -x if given["higher_is_better"] else x
    found = rank_sets(losses, joint, np.random.default_rng(7), RankOptions(draws=50_000))
    assert found.low.tolist() == expected["L"]
    assert found.rank.tolist() == expected["rank"]
    assert found.high.tolist() == expected["U"]


def test_equals_share_a_rank_and_the_next_is_skipped() -> None:
    assert ranks(np.array([0.1, 0.2, 0.2, 0.3])).tolist() == [1, 2, 2, 4]
    assert ranks(np.array([0.1, 0.1 * (1 + 1e-12), 0.3])).tolist() == [1, 1, 3]
    assert ranks(np.array([1.0, 3.0]), higher_is_better=True).tolist() == [2, 1]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_has_no_rank(wrong: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        ranks(np.array([0.1, wrong, 0.2]))


def test_a_pair_without_spread_is_never_told_apart() -> None:
    joint = np.array([[0.01, 0.01, 0.0], [0.01, 0.01, 0.0], [0.0, 0.0, 0.01]])
    found = rank_sets(np.array([0.1, 0.2, 5.0]), joint, np.random.default_rng(3))
    assert found.state is State.DEGENERATE
    assert found.high.tolist() == [2, 2, 3]
    assert not found.better[0, 1]


def test_sets_hold_the_true_ranks_of_equals() -> None:
    rng = np.random.default_rng(4)
    joint = 0.5 * np.eye(5) + 0.5
    outside = 0
    for x in rng.multivariate_normal(np.zeros(5), joint, size=200):
        found = rank_sets(x, joint, rng, RankOptions(draws=2000))
        outside += bool(found.better.any())
    assert outside <= 20


def test_none_and_one_have_no_rival() -> None:
    rng = np.random.default_rng(5)
    assert rank_sets(np.empty(0), np.empty((0, 0)), rng).state is State.EMPTY
    one = rank_sets(np.array([0.3]), np.array([[0.1]]), rng)
    assert one.state is State.SINGLE
    assert (one.low[0], one.rank[0], one.high[0]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("x", "joint", "said"),
    [
        ([0.1, 0.2], [[1.0]], "row and column"),
        ([np.nan, 0.2], [[1.0, 0], [0, 1]], "finite"),
        ([0.1, 0.2], [[1.0, 0.5], [0.1, 1]], "symmetric"),
        ([0.1, 0.2], [[1.0, 2.0], [2.0, 1]], "negative variance"),
    ],
)
def test_nonsense_is_refused(x: list[float], joint: list[list[float]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rank_sets(np.array(x), np.array(joint), np.random.default_rng(0))


def test_first_places_are_shared_among_equals() -> None:
    drawn = np.array([[0.1, 0.1, 0.3], [0.2, 0.1, 0.3], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])
    found = rank_chances(drawn, 0.5)
    assert found.first.tolist() == [0.625, 0.375, 0.0]
    assert found.mean.tolist() == [1.25, 1.5, 3.0]
    assert found.low.tolist() == [1, 1, 3]
    assert found.high.tolist() == [2, 2, 3]


def test_no_resample_gives_no_chance_and_nonsense_is_refused() -> None:
    assert rank_chances(np.empty((0, 3))).first.size == 0
    with pytest.raises(ValueError, match="finite"):
        rank_chances(np.array([[np.nan, 1.0]]))


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


def test_no_confidence_set_is_made_of_nonsense() -> None:
    with pytest.raises(ValueError, match="finite"):
        model_confidence_set(np.array([np.nan, 1]), np.ones((3, 2)))
    with pytest.raises(ValueError, match="each contestant"):
        model_confidence_set(np.array([0.1, 0.2]), np.ones((3, 3)))
