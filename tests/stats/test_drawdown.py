import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.series.sharpe import max_drawdown_compounded

RETURNS = st.lists(st.floats(-0.9, 2), min_size=1, max_size=30)


@given(returns=RETURNS)
def test_no_more_is_lost_than_all_and_no_less_than_the_worst(returns: list[float]) -> None:
    found = max_drawdown_compounded(returns)
    assert found is not None
    assert -1 <= found <= min(0.0, *returns, 0.0) + 1e-12


def test_a_first_loss_counts() -> None:
    assert max_drawdown_compounded([-0.5, 1.0]) == pytest.approx(-0.5)


def test_a_path_that_never_falls_has_no_drawdown() -> None:
    assert max_drawdown_compounded([0.1, 0.0, 0.2]) == 0
    assert max_drawdown_compounded([]) is None


def test_nobody_loses_more_than_all() -> None:
    with pytest.raises(ValueError, match="more than all"):
        max_drawdown_compounded([0.1, -1.1])
