"""A proper score is best in expectation for who says what they believe."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scoring.logarithmic import Clip, log_option_terms, log_terms
from arena.scoring.proper import (
    brier_option_terms,
    brier_terms,
    expected_brier,
    rps_terms,
    spherical_option_terms,
    spherical_terms,
)
from arena.scoring.relative import baseline, on_outcome, peer, relative
from arena.scoring.skill import brier_skill
from tests.present import present, some
from tests.sizes import size
from tests.vectors import case

chances = st.floats(0.01, 0.99)
truths = st.lists(st.floats(0.01, 1), min_size=2, max_size=5).map(
    lambda w: np.array(w) / sum(w)
)
columns = st.lists(st.tuples(chances, st.sampled_from((0, 1))), min_size=1, max_size=30)
ORDER = ("a", "b", "c", "d", "e")


@given(truth=truths, other=truths)
def test_no_other_distribution_over_options_is_expected_to_score_better(
    truth: np.ndarray, other: np.ndarray
) -> None:
    k = min(truth.size, other.size)
    p, q = truth[:k] / truth[:k].sum(), other[:k] / other[:k].sum()
    outcomes, order = np.arange(k), ORDER[:k]
    for terms in (
        brier_option_terms,
        log_option_terms,
        lambda r, y: -spherical_option_terms(r, y),
        lambda r, y: rps_terms(r, y, order=order),
    ):
        honest = p @ terms(np.tile(p, (k, 1)), outcomes)
        assert honest <= p @ terms(np.tile(q, (k, 1)), outcomes) + 1e-12


@given(p=chances, f=chances, others=st.lists(chances, min_size=1, max_size=5))
def test_comparing_with_others_does_not_change_what_is_best(
    p: float, f: float, others: list[float]
) -> None:
    def expected(said: float) -> tuple[float, float]:
        each = [on_outcome([said, *others], o) for o in (1, 0)]
        peers = [peer(row)[0] for row in each]
        against = [relative(row[0], row[1]).item() for row in each]
        return np.dot([p, 1 - p], peers), np.dot([p, 1 - p], against)

    for honest, other in zip(expected(p), expected(f), strict=True):
        assert honest >= other - 1e-9


@given(rows=columns)
def test_calling_no_yes_changes_no_score(rows: list[tuple[float, int]]) -> None:
    p, y = (np.array(c) for c in zip(*rows, strict=True))
    for terms in (brier_terms, log_terms, spherical_terms):
        assert terms(1 - p, 1 - y) == pytest.approx(terms(p, y), abs=1e-12)


@given(rows=columns, reference=chances)
def test_skill_has_the_sign_of_the_difference_of_the_losses(
    rows: list[tuple[float, int]], reference: float
) -> None:
    p, y = zip(*rows, strict=True)
    loss, base = (brier_terms(f, y).mean() for f in (p, np.full(len(y), reference)))
    skill = present(brier_skill(p, y, reference).value)
    assert skill * base == pytest.approx(base - loss, abs=1e-12)


@settings(max_examples=size(20, 50))
@given(p=chances, low=chances)
def test_a_clip_leaves_forecasts_above_it_proper_and_never_rewards_going_below(
    p: float, low: float
) -> None:
    eps = 1e-6
    under = p * log_terms([low * eps], [1]) + (1 - p) * log_terms([low * eps], [0])
    at = p * log_terms([eps], [1]) + (1 - p) * log_terms([eps], [0])
    assert under.item() == pytest.approx(at.item(), abs=2 * eps)


def test_propriety_grid_of_true_probabilities() -> None:
    v = case("01_scores", "propriety_grid")
    grid = np.array(v["inputs"]["grid"])
    rows = np.column_stack([1 - grid, grid])
    ones, zeros = np.ones(grid.size, int), np.zeros(grid.size, int)
    two = ORDER[:2]
    rules = [
        (brier_terms(grid, ones), brier_terms(grid, zeros)),
        (log_terms(grid, ones), log_terms(grid, zeros)),
        (log_terms(grid, ones, clip=Clip.NONE), log_terms(grid, zeros, clip=Clip.NONE)),
        (rps_terms(rows, ones, order=two), rps_terms(rows, zeros, order=two)),
        (-spherical_terms(grid, ones), -spherical_terms(grid, zeros)),
        (-baseline(grid), -baseline(1 - grid)),
    ]
    for hit, miss in some(rules):
        found = [grid[np.argmin(p * hit + (1 - p) * miss)] for p in v["inputs"]["true"]]
        assert found == v["expected"]["argmin"]
    for p, at in some(zip(v["inputs"]["true"], v["expected"]["argmin"], strict=True)):
        assert grid[np.argmin(expected_brier(grid, p))] == at
