import numpy as np
import pytest
from numpy.typing import ArrayLike

from arena.scoring.table import checked


def test_integers_are_not_copied() -> None:
    p, outcome = np.array([0.2, 0.7]), np.array([0, 1])
    found = checked(p, outcome)
    assert found[0] is p
    assert found[1] is outcome


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint64, np.float32, np.float64])
def test_an_outcome_of_any_type_becomes_a_signed_integer(dtype: type) -> None:
    _, outcome = checked([0.2, 0.7], np.array([0, 1], dtype=dtype))
    assert outcome.dtype.kind == "i"
    assert outcome.tolist() == [0, 1]


def test_no_rows_are_in_order() -> None:
    assert [len(column) for column in checked([], [])] == [0, 0]


@pytest.mark.parametrize(
    ("p", "outcome", "why"),
    [
        pytest.param([0.2, np.nan], [0, 1], "lies in", id="nan"),
        pytest.param([0.2, np.inf], [0, 1], "lies in", id="infinite"),
        pytest.param([-1e-9, 0.2], [0, 1], "lies in", id="below-0"),
        pytest.param([0.2, 1 + 1e-9], [0, 1], "lies in", id="above-1"),
        pytest.param([0.2], [0, 1], "1 forecasts, but 2", id="lengths"),
        pytest.param([[0.2]], [0], "one column", id="table"),
        pytest.param([0.2], [[0]], "one column", id="outcomes-table"),
        pytest.param([0.2], [2], "0 or 1", id="two"),
        pytest.param([0.2], [-1], "0 or 1", id="negative"),
        pytest.param([0.2], [0.5], "0 or 1", id="half"),
        pytest.param([0.2], [np.nan], "0 or 1", id="outcome-nan"),
        pytest.param([0.2], ["1"], "0 or 1", id="text"),
    ],
)
def test_a_bad_row_refuses_the_column(p: ArrayLike, outcome: ArrayLike, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        checked(p, outcome)
