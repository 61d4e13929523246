"""Ranks with how sure they are."""

from typing import Any

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.comparisons.ranks import (
    RankEnds,
    RankOptions,
    RankSets,
    rank_chances,
    rank_sets,
    ranks,
)
from tests.vectors import case

X = np.array([0.9, 0.75, 0.74, 0.5, 0.2, 0.19])
SPREAD = np.diag([0.01, 0.01, 0.02, 0.004, 0.01, 0.03])


def test_csranks_correlated_5() -> None:
    known = case("14_mcs_rank_sets", "csranks_correlated_5")
    expected = known["expected"]
    for simultaneous, kind in ((True, "simul"), (False, "marg")):
        for step_down, steps in ((True, "stepdown"), (False, "single")):
            found = _sets(known, simultaneous=simultaneous, step_down=step_down)
            _same(found, expected[f"{kind}_{steps}"])
    best = _sets(known, ends=RankEnds.BEST)
    assert (best.low <= 1).astype(int).tolist() == expected["tau1_best"]
    assert (best.low <= 2).astype(int).tolist() == expected["tau2_best"]


def test_csranks_diag_6() -> None:
    known = case("14_mcs_rank_sets", "csranks_diag_6")
    _same(_sets(known, step_down=False), known["expected"]["simul_single"])
    _same(_sets(known), known["expected"]["simul_stepdown"])
    _same(_sets(known, simultaneous=False), known["expected"]["marg"])


def test_equals_share_a_rank_and_the_next_is_skipped() -> None:
    assert ranks(np.array([0.1, 0.2, 0.2, 0.3])).tolist() == [1, 2, 2, 4]
    assert ranks(np.array([0.1, 0.1 * (1 + 1e-12), 0.3])).tolist() == [1, 1, 3]
    assert ranks(np.array([1.0, 3.0]), higher_is_better=True).tolist() == [2, 1]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_has_no_rank(wrong: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        ranks(np.array([0.1, wrong, 0.2]))


def test_stepping_down_only_narrows() -> None:
    single = _simple(RankOptions(step_down=False, higher_is_better=True))
    stepped = _simple(RankOptions(higher_is_better=True))
    assert np.all(stepped.low >= single.low)
    assert np.all(stepped.high <= single.high)


def test_one_end_is_at_least_as_sharp_as_both() -> None:
    both = _simple(RankOptions(simultaneous=False, higher_is_better=True))
    best = _simple(RankOptions(simultaneous=False, higher_is_better=True, ends=RankEnds.BEST))
    worst = _simple(RankOptions(simultaneous=False, higher_is_better=True, ends=RankEnds.WORST))
    assert np.all(best.low >= both.low)
    assert best.high.tolist() == [6] * 6
    assert np.all(worst.high <= both.high)
    assert worst.low.tolist() == [1] * 6


def test_losses_rank_upside_down() -> None:
    up = _simple(RankOptions(higher_is_better=True))
    down = rank_sets(-X, SPREAD, np.random.default_rng(1))
    assert up.low.tolist() == down.low.tolist()
    assert up.high.tolist() == down.high.tolist()


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


def _simple(how: RankOptions) -> RankSets:
    return rank_sets(X, SPREAD, np.random.default_rng(1), how)


def _sets(known: Any, **options: Any) -> RankSets:  # noqa: ANN401  what a JSON file holds
    given = known["inputs"]
    how = RankOptions(higher_is_better=given["higher_is_better"], draws=50_000, **options)
    x, joint = np.array(given["x"]), np.array(given["Sigma"])
    return rank_sets(x, joint, np.random.default_rng(7), how)


def _same(found: RankSets, expected: Any) -> None:  # noqa: ANN401
    assert found.low.tolist() == expected["L"]
    assert found.rank.tolist() == expected["rank"]
    assert found.high.tolist() == expected["U"]
