import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.estimate import State
from arena.scoring.alpha import alpha_terms, market_slope
from arena.scoring.proper import brier_terms
from tests.present import present
from tests.vectors import near, source

V = source("ext.market_relative_slope")
F, M, TRUTH = (V["input"][k] for k in ("f", "m", "o"))
chances = st.floats(0, 1)


def test_ext_market_relative_slope() -> None:
    found = market_slope(F, TRUTH, M)
    b, deviation, se = present(found.b), present(found.deviation), present(found.se)
    says = {
        "slope": b,
        "D": deviation,
        "alpha_from_slope": (2 * b - 1) * deviation,
        "alpha_direct": found.alpha,
        "hc0_se": se,
        "t_vs_0": b / se,
        "t_vs_half": (b - 0.5) / se,
    }
    assert near(says, V["expected"], V["tol"])


@given(rows=st.lists(st.tuples(chances, chances, st.sampled_from((0, 1))), min_size=1))
def test_alpha_is_what_the_price_loses_more(rows: list[tuple[float, float, int]]) -> None:
    f, m, o = zip(*rows, strict=True)
    gap = brier_terms(m, o) - brier_terms(f, o)
    assert alpha_terms(f, o, m) == pytest.approx(gap, abs=1e-12)
    found = market_slope(f, o, m)
    assert found.alpha == pytest.approx(gap.mean(), abs=1e-12)
    if found.b is not None and found.deviation is not None:
        explained = (2 * found.b - 1) * found.deviation
        assert explained == pytest.approx(found.alpha, abs=1e-12)


def test_a_copy_of_the_price_has_no_slope() -> None:
    found = market_slope(M, TRUTH, M)
    assert (found.b, found.alpha, found.state) == (None, 0, State.DEGENERATE)
    close = market_slope([0.3], [1], [0.1 + 0.2])
    assert (close.b, close.state) == (None, State.DEGENERATE)


def test_a_perfect_fit_has_a_slope_and_no_error() -> None:
    found = market_slope([1.0, 0.0], [1, 0], [0.6, 0.3])
    assert (found.b, found.se, found.se_events) == (1, None, None)
    assert found.state is State.DEGENERATE


def test_nothing_has_no_slope_and_one_event_no_error_between_events() -> None:
    empty = market_slope([], [], [])
    assert (empty.b, empty.n, empty.state) == (None, 0, State.EMPTY)
    one = market_slope(F, TRUTH, M, event=["x"] * 10)
    assert (one.events, one.se_events, one.state) == (1, None, State.SINGLE)
    assert one.se is not None


def test_one_row_is_a_point_and_nothing_about_its_spread() -> None:
    found = market_slope([0.5], [1], [0.3])
    assert found.b == pytest.approx(3.5)
    assert (found.se, found.se_events, found.state) == (None, None, State.SINGLE)


def test_events_of_one_row_give_the_error_of_rows_but_for_the_small_sample_factor() -> None:
    found = market_slope(F, TRUTH, M, event=[f"e{i}" for i in range(10)])
    assert found.se_events == pytest.approx(present(found.se) * np.sqrt(10 / 9), rel=1e-12)


def test_rows_repeated_within_events_teach_nothing() -> None:
    once = market_slope(F, TRUTH, M, event=np.arange(10))
    often = market_slope(F * 3, TRUTH * 3, M * 3, event=np.tile(np.arange(10), 3))
    assert often.se_events == pytest.approx(once.se_events, rel=1e-12)
    assert present(often.se) < present(once.se)


def test_wrong_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="as many prices"):
        alpha_terms([0.5], [1], [0.5, 0.5])
    with pytest.raises(ValueError, match="lies in"):
        alpha_terms([0.5], [1], [np.nan])
    with pytest.raises(ValueError, match="as many events"):
        market_slope([0.5], [1], [0.4], event=[1, 2])
