"""What holds of rankings, evidence and shrinking whatever the numbers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arena.stats.between import Between
from arena.stats.bradley_terry import Prior, PriorName, bradley_terry, win_matrix
from arena.stats.confidence_set import Statistic, model_confidence_set
from arena.stats.evalues import (
    Rule,
    anytime_p,
    batch_means,
    henzi_ziegel,
    kappa,
    nonoverlapping_batches,
    weak_null_wealth,
)
from arena.stats.mean_losses import mean_losses
from arena.stats.ranks import RankOptions, rank_chances, rank_sets, ranks
from arena.stats.sequences import asymptotic, empirical_bernstein, hoeffding
from arena.stats.shrinkage import shrink

Floats = NDArray[np.float64]

few = settings(max_examples=60, deadline=None)
chance = st.integers(1, 99).map(lambda hundredths: hundredths / 100)
seeds = st.integers(0, 2**32 - 1)
gains = arrays(
    np.float64, st.integers(1, 40), elements=st.integers(-10, 10).map(lambda n: n / 10)
)


@few
@given(arrays(np.float64, 12, elements=chance), arrays(np.float64, 12, elements=chance))
def test_an_e_value_expects_at_most_one_wherever_one_is_no_better(p: Floats, q: Floats) -> None:
    for rule in Rule:
        at = kappa(p, q, rule)
        e = [henzi_ziegel(p, q, np.full(12, came), rule=rule) for came in (0, 1)]
        for truth in (0.0, 0.25, 0.5, 0.75, 1.0):
            no_better = np.where(p > q, truth <= at, truth >= at)
            expected = truth * e[1] + (1 - truth) * e[0]
            assert np.all(expected[no_better] <= 1 + 1e-9)


@few
@given(gains)
def test_anytime_p_never_rises(d: Floats) -> None:
    wealth = weak_null_wealth(d)
    assert np.all(np.diff(wealth.p) <= 0)
    assert np.array_equal(wealth.p, anytime_p(wealth.e))


@few
@given(gains)
def test_what_comes_later_changes_no_look_before(d: Floats) -> None:
    half = d.size // 2
    for method in (hoeffding, empirical_bernstein, asymptotic):
        assert np.allclose(method(d).low[:half], method(d[:half]).low)
    assert np.allclose(weak_null_wealth(d).log_e[:half], weak_null_wealth(d[:half]).log_e)


@few
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=30))
def test_batches_never_overlap(spans: list[tuple[int, int]]) -> None:
    opened = np.array([start for start, _ in spans])
    closed = opened + np.array([length for _, length in spans])
    batch = nonoverlapping_batches(opened, closed)
    assert sorted(set(batch.tolist())) == list(range(batch.max() + 1))
    for number in range(1, batch.max() + 1):
        assert opened[batch == number].min() >= closed[batch < number].max()
    assert batch_means(opened, batch).size == batch.max() + 1


@few
@given(seeds, st.sampled_from(list(Statistic)))
def test_the_best_is_never_left_out(seed: int, statistic: Statistic) -> None:
    rng = np.random.default_rng(seed)
    means = rng.random(4)
    drawn = means + rng.normal(0, 0.2, (50, 4))
    found = model_confidence_set(means, drawn, statistic)
    assert found.p[means.argmin()] == 1
    scaled = model_confidence_set(3 * means + 1, 3 * drawn + 1, statistic)
    assert np.array_equal(found.p, scaled.p)


@few
@given(seeds)
def test_ranks_lie_in_their_sets_and_shares_of_first_add_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 5, (30, 4)) / 4 + rng.normal(0, 0.2, 4)
    found = mean_losses(losses, rng.integers(0, 10, 30))
    assert found.covariance is not None
    for simultaneous in (True, False):
        how = RankOptions(simultaneous=simultaneous, draws=300)
        sets = rank_sets(found.means, found.covariance, rng, how)
        assert np.all((sets.low <= sets.rank) & (sets.rank <= sets.high))
        assert np.array_equal(sets.rank, ranks(found.means))
    drawn = rank_chances(rng.integers(0, 4, (40, 4)) / 4)
    assert abs(drawn.first.sum() - 1) < 1e-12
    assert np.all((drawn.low >= 1) & (drawn.low <= drawn.high) & (drawn.high <= 4))


@few
@given(seeds)
def test_relabelling_and_repeating_change_strengths_as_they_should(seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 6, (25, 4)) / 5
    prior = Prior(PriorName.NORMAL, 0.5)
    order = rng.permutation(4)
    plain = bradley_terry(win_matrix(losses), prior).log_strength
    moved = bradley_terry(win_matrix(losses[:, order]), prior).log_strength
    assert plain is not None
    assert moved is not None
    assert np.allclose(plain[order], moved, atol=1e-8)
    wins = win_matrix(losses)
    assert np.allclose(wins + wins.T, 25 * (1 - np.eye(4)))


@few
@given(seeds, st.sampled_from(list(Between)))
def test_shrinking_moves_with_the_unit_and_stays_between(seed: int, method: Between) -> None:
    rng = np.random.default_rng(seed)
    y, own = rng.normal(size=5), rng.uniform(0.2, 1, 5)
    found, scaled = shrink(y, own, method), shrink(4 * y + 3, 16 * own, method)
    assert found.centre is not None
    for one, other, estimate in zip(found.values, scaled.values, y, strict=True):
        assert one.value is not None
        assert other.value is not None
        assert abs(4 * one.value + 3 - other.value) < 1e-6
        if method is not Between.AVERAGED:
            low, high = sorted([estimate, found.centre])
            assert low - 1e-9 <= one.value <= high + 1e-9
