"""The certain profit of an arbitrageur: none of coherent numbers, and the least there is."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.insights.consistency import divergence, exclusive_arbitrage, ladder_arbitrage

ONE = np.zeros(2, np.intp)
inside = st.floats(0.002, 0.998)


def exclusive(*p: float) -> float:
    return float(exclusive_arbitrage(np.array(p), np.zeros(len(p), np.intp))[0][0])


def ladder(*p: float) -> float:
    rungs = np.arange(len(p), dtype=np.float64)
    return float(ladder_arbitrage(np.array(p), np.zeros(len(p), np.intp), rungs)[0][0])


def test_the_paper_s_negation_of_a_half_and_six_tenths_is_a_hundredth() -> None:
    known = -2 * log(sqrt(0.5 * 0.4) + sqrt(0.5 * 0.6))
    assert exclusive(0.5, 0.6) == pytest.approx(known)
    assert known == pytest.approx(0.0101, abs=1e-4)


def test_the_paper_s_consequence_pools_log_odds() -> None:
    known = -2 * log(sqrt(0.8 * 0.3) + sqrt(0.2 * 0.7))
    assert ladder(0.8, 0.3) == pytest.approx(known)


@given(st.lists(inside, min_size=2, max_size=8))
def test_what_adds_up_to_one_at_most_earns_nothing(p: list[float]) -> None:
    whole = max(1.0, sum(p))
    assert exclusive(*(part / whole for part in p)) == 0.0


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_what_never_falls_earns_nothing(p: list[float]) -> None:
    assert ladder(*sorted(p)) == 0.0


@given(st.lists(inside, min_size=2, max_size=6), st.integers(0, 2**32 - 1))
def test_no_coherent_probabilities_are_nearer(p: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    said = np.array(p)
    for shares in rng.dirichlet(np.ones(len(p)), 20):
        assert divergence(shares, said).sum() >= exclusive(*p) - 1e-9
    for steps in np.sort(rng.uniform(size=(20, len(p))), axis=1):
        assert divergence(steps, said).sum() >= ladder(*p) - 1e-9


@given(st.lists(st.tuples(inside, st.integers(0, 3), inside), min_size=1, max_size=20))
def test_groups_are_checked_as_if_each_stood_alone(
    rows: list[tuple[float, int, float]],
) -> None:
    p, group = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    rung = np.arange(len(rows), dtype=np.float64)
    excluded, there = exclusive_arbitrage(p, group)
    implied, ladders = ladder_arbitrage(p, group, rung)
    assert there.tolist() == ladders.tolist()
    for code, by_sum, by_order in zip(there, excluded, implied, strict=True):
        assert by_sum == pytest.approx(exclusive(*p[group == code]))
        assert by_order == pytest.approx(ladder(*p[group == code]))


def test_certainty_is_held_to_a_thousandth() -> None:
    assert 0 < exclusive(1.0, 1.0) < 20
    assert 0 < ladder(1.0, 0.0) < 20
    assert exclusive(1.0, 0.0, 0.0) == 0.0


def test_many_impossible_outcomes_beside_a_certain_one_are_coherent() -> None:
    assert exclusive(1.0, *[0.0] * 2000) == 0.0


def test_one_outcome_alone_is_no_check() -> None:
    profit, there = exclusive_arbitrage(np.array([0.9]), ONE[:1])
    assert (profit.tolist(), there.tolist()) == ([], [])
    assert ladder_arbitrage(np.array([0.9]), ONE[:1], np.zeros(1))[1].tolist() == []


def test_without_rows_there_is_no_check() -> None:
    assert exclusive_arbitrage(np.zeros(0), ONE[:0])[0].tolist() == []
    assert ladder_arbitrage(np.zeros(0), ONE[:0], np.zeros(0))[0].tolist() == []
