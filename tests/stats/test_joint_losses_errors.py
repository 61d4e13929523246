"""The share of a model in what its copies say is found as it was planted."""

import numpy as np
import pytest

from arena.records.estimate import Estimate, Interval, State
from arena.stats.comparisons.joint_losses import copies_needed, intraclass
from tests.present import present

MODEL = np.array([0, 0, 0, 1, 1, 2])


def planted(seed: int, share: float, m: int = 400) -> Estimate:
    """Six contestants of three models, of whose variance `share` lies between models."""
    rng = np.random.default_rng(seed)
    question = rng.normal(0, 1, m)
    model = rng.normal(0, np.sqrt(share), (3, m))
    noise = rng.normal(0, np.sqrt(1 - share), (6, m))
    return intraclass(
        question + model[MODEL] + noise, MODEL, np.arange(m) // 2, np.arange(m) // 2 % 20
    )


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_the_planted_share_is_in_most_intervals(share: float) -> None:
    bounds = [present(planted(seed, share).interval) for seed in range(100)]
    assert sum(b.low <= share <= b.high for b in bounds) >= 90


def test_copies_that_say_the_same_share_everything() -> None:
    said = np.array([[0.2, 0.5, 0.9], [0.2, 0.5, 0.9], [0.3, 0.1, 0.4]])
    shared = intraclass(said, np.array([0, 0, 1]), np.arange(3), np.arange(3))
    assert shared.value == pytest.approx(1.0)


def test_two_copies_and_one_other_by_hand() -> None:
    said = np.array([[0.4], [0.6], [0.8]])
    shared = intraclass(said, np.array([0, 0, 1]), np.zeros(1, np.intp), np.zeros(1, np.intp))
    within = 0.02
    between = 2 * 0.15**2 - within * (1 + 1 / 2) / 2
    assert shared.value == pytest.approx(between / (between + within))
    assert shared.state is State.NOT_ESTIMABLE


def test_what_nobody_said_is_in_no_variance() -> None:
    m = 60
    rng = np.random.default_rng(1)
    said = rng.uniform(size=(6, m))
    apart = np.column_stack([said, np.full((6, 5), np.nan)])
    one = intraclass(said, MODEL, np.arange(m), np.arange(m) % 20)
    other = intraclass(apart, MODEL, np.arange(m + 5), np.arange(m + 5) % 20)
    assert one.value == other.value
    assert other.n == m


@pytest.mark.parametrize("model", [[0, 1, 2], [0, 0, 0]])
def test_without_copies_or_without_another_model_there_is_no_share(model: list[int]) -> None:
    said = np.random.default_rng(1).uniform(size=(3, 40))
    shared = intraclass(said, np.array(model), np.arange(40), np.arange(40) % 20)
    assert (shared.value, shared.state) == (None, State.EMPTY)


def test_nobody_has_no_share() -> None:
    nothing = np.zeros(0, np.intp)
    assert intraclass(np.zeros((0, 0)), nothing, nothing, nothing).state is State.EMPTY


@pytest.mark.parametrize(("share", "copies"), [(1.0, 1), (0.9, 2), (0.8, 3), (0.5, 10)])
def test_copies_are_needed_as_the_share_says(share: float, copies: int) -> None:
    assert copies_needed(Estimate(share, 9, 9)).value == copies


def test_where_copies_differ_as_much_as_models_no_number_is_enough() -> None:
    assert copies_needed(Estimate(-0.1, 9, 9)).state is State.NOT_ESTIMABLE


def test_the_copies_needed_have_the_interval_of_the_share() -> None:
    share = Estimate(0.8, 9, 9, interval=Interval(0.5, 0.9, 0.95, "jackknife"))
    bounds = present(copies_needed(share).interval)
    assert (bounds.low, bounds.high) == (2, 10)
