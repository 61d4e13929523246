"""The Rasch model by conditional likelihood."""

from itertools import combinations

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.rasch import rasch
from tests.vectors import case, near


def test_rasch_cml_120x7() -> None:
    known = case("11_bradley_terry", "rasch_cml_120x7")
    fit = rasch(np.array(known["inputs"]["Y"]))
    assert fit.difficulty is not None
    assert fit.se is not None
    found = {
        "difficulty_sum0": fit.difficulty.tolist(),
        "se": fit.se.tolist(),
        "cond_loglik": fit.log_likelihood,
    }
    assert near(found, known["expected"], known["tol"], relative=True)


def test_two_items_differ_by_their_log_odds() -> None:
    answers = np.array([[1, 0]] * 12 + [[0, 1]] * 4 + [[1, 1], [0, 0]])
    fit = rasch(answers)
    assert fit.difficulty is not None
    assert fit.difficulty[1] - fit.difficulty[0] == pytest.approx(np.log(3))
    assert fit.persons == 16


def test_the_likelihood_is_the_chance_of_each_answer_given_their_number() -> None:
    answers = np.random.default_rng(1).integers(0, 2, (40, 5))
    asked = np.random.default_rng(2).random((40, 5)) < 0.8
    fit = rasch(answers, asked)
    assert fit.difficulty is not None
    ease = np.exp(-fit.difficulty)
    total = 0.0
    for row, there in zip(answers, asked, strict=True):
        items = np.flatnonzero(there)
        right = [i for i in items if row[i]]
        ways = sum(np.prod(ease[list(c)]) for c in combinations(items, len(right)))
        total += np.log(np.prod(ease[right]) / ways)
    assert fit.log_likelihood == pytest.approx(total)


def test_abilities_do_not_move_difficulties() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([-1.0, 0.0, 1.0])
    for shift in (-1.0, 1.5):
        ability = rng.normal(shift, 1, (6000, 1))
        answers = (rng.random((6000, 3)) < 1 / (1 + np.exp(truth - ability))).astype(int)
        fit = rasch(answers)
        assert fit.difficulty == pytest.approx(truth, abs=0.15)


def test_items_that_nobody_tells_apart_have_no_estimate() -> None:
    assert rasch(np.array([[1, 0], [1, 0]])).state is State.NOT_ESTIMABLE
    apart = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 1]])
    assert rasch(apart).state is State.NOT_ESTIMABLE
    assert rasch(np.array([[1, 1], [0, 0]])).persons == 0


def test_none_and_one_have_nothing_to_compare() -> None:
    assert rasch(np.empty((0, 3), int)).state is State.EMPTY
    assert rasch(np.array([[1], [0]])).state is State.SINGLE
    assert rasch(np.array([[1], [0]])).se is None


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or 1"):
        rasch(np.array([[2, 0]]))
    with pytest.raises(ValueError, match="person"):
        rasch(np.array([1, 0]))
    with pytest.raises(ValueError, match="at most"):
        rasch(np.zeros((1, 201), int))
