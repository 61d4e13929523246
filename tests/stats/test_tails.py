import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.estimate import Sided
from arena.stats.columns import p_value


@given(t=st.floats(-8, 8), df=st.one_of(st.none(), st.floats(1, 100)))
def test_the_two_sides_add_up_to_one_and_the_smaller_is_half(
    t: float, df: float | None
) -> None:
    less, greater = p_value(t, Sided.LESS, df), p_value(t, Sided.GREATER, df)
    assert less + greater == pytest.approx(1)
    assert p_value(t, df=df) == pytest.approx(2 * min(less, greater))
