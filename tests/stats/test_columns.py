import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.estimate import Sided
from arena.stats.columns import codes, finite, level_of, tally
from arena.stats.mean_intervals import p_value


@pytest.mark.parametrize("bad", [[np.nan], [np.inf], [[1.0]], 1.0])
def test_a_column_is_one_row_of_finite_numbers(bad: object) -> None:
    with pytest.raises(ValueError, match="values"):
        finite(np.asarray(bad))


@pytest.mark.parametrize("bad", [[0], [0, -1], [0.0, 1.0], [[0, 1]]])
def test_codes_are_one_whole_number_from_0_a_row(bad: object) -> None:
    with pytest.raises(ValueError, match="events"):
        codes(np.asarray(bad), 2)


def test_far_codes_are_numbered_anew() -> None:
    assert codes([10**12, 7, 10**12], 3).tolist() == [1, 0, 1]


def test_no_row_needs_no_code() -> None:
    assert codes([], 0).size == 0


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, np.nan])
def test_a_level_is_strictly_between_0_and_1(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        level_of(level)


def test_codes_without_rows_are_left_out() -> None:
    sums, counts = tally(np.array([1.0, 2.0, 3.0]), np.array([4, 1, 4]))
    assert sums.tolist() == [2.0, 4.0]
    assert counts.tolist() == [1.0, 2.0]


@given(t=st.floats(-8, 8), df=st.one_of(st.none(), st.floats(1, 100)))
def test_the_two_sides_add_up_to_one_and_the_smaller_is_half(
    t: float, df: float | None
) -> None:
    less, greater = p_value(t, Sided.LESS, df), p_value(t, Sided.GREATER, df)
    assert less + greater == pytest.approx(1)
    assert p_value(t, df=df) == pytest.approx(2 * min(less, greater))
