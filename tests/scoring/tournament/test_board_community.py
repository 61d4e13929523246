import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scoring.tournament.board import recency_weights, weighted_median
from tests.vectors import near, source


def test_meta_recency_weights() -> None:
    v = source("meta.recency_weights")
    three, five = (recency_weights(n).tolist() for n in v["input"]["N"])
    assert near({"w3": three, "w5": five}, v["expected"], v["tol"])


def test_up_to_two_forecasts_weigh_the_same() -> None:
    assert [recency_weights(n).tolist() for n in range(3)] == [[], [1], [1, 1]]


@given(
    values=st.lists(st.floats(-1, 1), min_size=1, max_size=12),
    times=st.lists(st.integers(0, 4), min_size=12, max_size=12),
)
def test_the_median_counts_a_value_as_often_as_its_weight_says(
    values: list[float], times: list[int]
) -> None:
    weights = [*times[: len(values) - 1], 1 + times[-1]]
    spelled = np.median(np.repeat(values, weights))
    assert weighted_median(values, weights).item() == pytest.approx(spelled, abs=1e-15)


def test_an_exact_tie_is_the_mean_of_both_neighbours() -> None:
    assert weighted_median([0.9, 0.1, 0.2], [0.3, 0.2, 0.1]).item() == pytest.approx(0.55)


@pytest.mark.parametrize(
    ("values", "weights", "why"),
    [
        ([], [], "needs values"),
        ([1.0], [1.0, 2.0], "a weight for each"),
        ([np.nan], [1.0], "a finite number"),
        ([1.0], [0.0], "some are positive"),
        ([1.0, 2.0], [-1.0, 2.0], "not negative"),
    ],
)
def test_there_is_no_median_of_nothing(
    values: list[float], weights: list[float], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        weighted_median(values, weights)


def test_a_community_has_forecasters() -> None:
    with pytest.raises(ValueError, match="no forecasts"):
        recency_weights(-1)
