import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.estimate import Sided
from arena.stats.tails import critical, p_value


@given(t=st.floats(-8, 8), df=st.one_of(st.none(), st.floats(1, 100)))
def test_the_two_sides_add_up_to_one_and_the_smaller_is_half(
    t: float, df: float | None
) -> None:
    less, greater = p_value(t, Sided.LESS, df), p_value(t, Sided.GREATER, df)
    assert less + greater == pytest.approx(1)
    assert p_value(t, df=df) == pytest.approx(2 * min(less, greater))


@given(level=st.floats(1e-6, 0.999), df=st.one_of(st.none(), st.floats(1, 100)))
def test_a_critical_value_has_its_level_as_p(level: float, df: float | None) -> None:
    for sided in (Sided.TWO, Sided.GREATER):
        assert p_value(critical(level, sided, df), sided, df) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_level_without_a_critical_value_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        critical(level)
