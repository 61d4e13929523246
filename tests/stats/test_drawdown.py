import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.drawdown import (
    annual_return,
    calmar,
    downside_deviation,
    max_drawdown_additive,
    max_drawdown_compounded,
    sortino,
)

RETURNS = st.lists(st.floats(-0.9, 2), min_size=1, max_size=30)


def test_a_first_loss_counts() -> None:
    assert max_drawdown_compounded([-0.5, 1.0]) == pytest.approx(-0.5)
    assert max_drawdown_additive([-0.5, 1.0]) == pytest.approx(0.5)


def test_a_path_that_never_falls_has_no_drawdown_and_no_ratio_over_it() -> None:
    rising = [0.1, 0.0, 0.2]
    assert max_drawdown_compounded(rising) == 0
    assert max_drawdown_additive(rising) == 0
    assert calmar(rising) is None
    assert sortino(rising) is None
    assert downside_deviation(rising) == 0


@given(returns=RETURNS)
def test_no_more_is_lost_than_all_and_no_less_than_the_worst(returns: list[float]) -> None:
    found = max_drawdown_compounded(returns)
    assert found is not None
    assert -1 <= found <= min(0.0, *returns, 0.0) + 1e-12


@given(returns=RETURNS)
def test_the_deepest_fall_is_among_all_pairs_of_times(returns: list[float]) -> None:
    path = np.concatenate([[0.0], np.cumsum(returns)])
    falls = [path[i] - path[j] for i in range(path.size) for j in range(i, path.size)]
    assert max_drawdown_additive(returns) == pytest.approx(max(falls), abs=1e-12)


def test_shortfall_is_from_the_target_over_all_returns() -> None:
    assert downside_deviation([0.0, 0.2, 0.4], 0.1) == pytest.approx(0.1 / np.sqrt(3))
    assert sortino([0.0, 0.2, 0.4], 0.1) == pytest.approx(np.sqrt(3))


def test_a_year_compounds() -> None:
    assert annual_return([0.1], 2) == pytest.approx(0.21)
    assert calmar([0.5, -0.1], 2) == pytest.approx(0.35 / 0.1)


def test_nothing_has_no_figures() -> None:
    for found in (
        downside_deviation([]),
        sortino([]),
        max_drawdown_compounded([]),
        max_drawdown_additive([]),
        annual_return([], 252),
        calmar([]),
    ):
        assert found is None


def test_nobody_loses_more_than_all() -> None:
    for call in (max_drawdown_compounded, calmar, lambda r: annual_return(r, 252)):
        with pytest.raises(ValueError, match="more than all"):
            call([0.1, -1.1])
