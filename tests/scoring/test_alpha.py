import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from arena.records.estimate import Estimate, State
from arena.scoring.alpha import alpha_terms, market_slope
from arena.scoring.proper import brier_terms
from tests.present import present
from tests.vectors import near, source

V = source("ext.market_relative_slope")
F, M, TRUTH = (V["input"][k] for k in ("f", "m", "o"))
chances = st.floats(0, 1)


def slope(f: ArrayLike, o: ArrayLike, m: ArrayLike) -> Estimate:
    return market_slope(f, o, m, np.arange(np.size(f)))


def test_ext_market_relative_slope() -> None:
    b = present(slope(F, TRUTH, M).value)
    says = {
        "slope": b,
        "D": (deviation := float(np.mean((np.array(F) - M) ** 2))),
        "alpha_from_slope": (2 * b - 1) * deviation,
        "alpha_direct": float(alpha_terms(F, TRUTH, M).mean()),
    }
    assert near(says, {key: V["expected"][key] for key in says}, V["tol"])


@given(rows=st.lists(st.tuples(chances, chances, st.sampled_from((0, 1))), min_size=1))
def test_alpha_is_what_the_price_loses_more(rows: list[tuple[float, float, int]]) -> None:
    f, m, o = zip(*rows, strict=True)
    gap = brier_terms(m, o) - brier_terms(f, o)
    assert alpha_terms(f, o, m) == pytest.approx(gap, abs=1e-12)
    b, deviation = slope(f, o, m).value, np.mean((np.array(f) - m) ** 2)
    if b is not None:
        assert (2 * b - 1) * deviation == pytest.approx(gap.mean(), abs=1e-10)


def test_a_copy_of_the_price_has_no_slope() -> None:
    for found in (slope(M, TRUTH, M), slope([0.3], [1], [0.1 + 0.2])):
        assert (found.value, found.state) == (None, State.DEGENERATE)


def test_a_perfect_fit_has_a_slope_and_no_error() -> None:
    found = slope([1.0, 0.0], [1, 0], [0.6, 0.3])
    assert (found.value, found.se, found.state) == (1, None, State.DEGENERATE)


def test_who_departs_in_one_event_has_no_interval_though_others_copy_the_price() -> None:
    assert slope([], [], []) == Estimate(None, 0, 0, state=State.EMPTY)
    one = market_slope([0.5, 0.6, 0.3, 0.3], [1, 0, 1, 0], [0.4, 0.4, 0.3, 0.3], [0, 0, 1, 2])
    assert one.value == pytest.approx(-0.4)
    assert (one.n, one.events, one.interval, one.state) == (4, 1, None, State.SINGLE)


def test_the_interval_of_a_slope_of_nothing_holds_0_in_19_of_20_seasons() -> None:
    rng, held = np.random.default_rng(4), 0
    for _ in range(400):
        price = expit(rng.normal(0, 1.2, 20))
        said = expit(logit(price) + rng.normal(0, 0.5, 20))
        ends = present(slope(said, (rng.random(20) < price).astype(int), price).interval)
        held += ends.low <= 0 <= ends.high
    assert 366 <= held <= 392  # the sandwich without leverage holds it in 352


def test_rows_repeated_within_events_teach_nothing() -> None:
    once = slope(F, TRUTH, M)
    often = market_slope(F * 3, TRUTH * 3, M * 3, np.tile(np.arange(10), 3))
    assert often.se == pytest.approx(once.se, rel=1e-12)


def test_wrong_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="as many prices"):
        alpha_terms([0.5], [1], [0.5, 0.5])
    with pytest.raises(ValueError, match="lies in"):
        alpha_terms([0.5], [1], [np.nan])
    with pytest.raises(ValueError, match="one code for each"):
        market_slope([0.5], [1], [0.4], [1, 2])
