"""Ranks with how sure they are."""

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.comparisons.ranks import (
    RankOptions,
    rank_chances,
    rank_sets,
    ranks,
)
from tests.vectors import case


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
