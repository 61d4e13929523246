"""What holds of rankings, evidence and shrinking whatever the numbers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arena.stats.comparisons.joint_losses import mean_losses
from arena.stats.comparisons.ranks import (
    RankOptions,
    model_confidence_set,
    rank_chances,
    rank_sets,
    ranks,
)
from arena.stats.comparisons.sequential import henzi_ziegel
from arena.stats.shrinkage import shrink
from tests.sizes import size

Floats = NDArray[np.float64]

few = settings(max_examples=size(20, 60))
chance = st.integers(1, 99).map(lambda hundredths: hundredths / 100)
seeds = st.integers(0, 2**32 - 1)
gains = arrays(
    np.float64, st.integers(1, 40), elements=st.integers(-10, 10).map(lambda n: n / 10)
)


@few
@given(arrays(np.float64, 12, elements=chance), arrays(np.float64, 12, elements=chance))
def test_an_e_value_expects_at_most_one_wherever_one_is_no_better(p: Floats, q: Floats) -> None:
    at = (p + q) / 2  # the probability at which both are expected to score alike
    e = [henzi_ziegel(p, q, np.full(12, came)) for came in (0, 1)]
    assert np.allclose(at * e[1] + (1 - at) * e[0], 1)
    for truth in (0.0, 0.25, 0.5, 0.75, 1.0):
        no_better = np.where(p > q, truth <= at, truth >= at)
        expected = truth * e[1] + (1 - truth) * e[0]
        assert np.all(expected[no_better] <= 1 + 1e-9)


@few
@given(seeds)
def test_the_best_is_never_left_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.random(4)
    drawn = means + rng.normal(0, 0.2, (50, 4))
    found = model_confidence_set(means, drawn)
    assert found.p[means.argmin()] == 1
    scaled = model_confidence_set(3 * means + 1, 3 * drawn + 1)
    assert np.array_equal(found.p, scaled.p)


@few
@given(seeds)
def test_ranks_lie_in_their_sets_and_shares_of_first_add_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 5, (30, 4)) / 4 + rng.normal(0, 0.2, 4)
    found = mean_losses(losses, rng.integers(0, 10, 30))
    assert found.covariance is not None
    sets = rank_sets(found.means, found.covariance, rng, RankOptions(draws=300))
    assert np.all((sets.low <= sets.rank) & (sets.rank <= sets.high))
    assert np.array_equal(sets.rank, ranks(found.means))
    drawn = rank_chances(rng.integers(0, 4, (40, 4)) / 4)
    assert abs(drawn.first.sum() - 1) < 1e-12
    assert np.all((drawn.low >= 1) & (drawn.low <= drawn.high) & (drawn.high <= 4))


@few
@given(seeds)
def test_shrinking_moves_with_the_unit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, own = rng.normal(size=5), rng.uniform(0.2, 1, 5)
    found, scaled = shrink(y, own), shrink(4 * y + 3, 16 * own)
    for one, other in zip(found.values, scaled.values, strict=True):
        assert one.value is not None
        assert other.value is not None
        assert abs(4 * one.value + 3 - other.value) < 1e-6
