from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.estimate import State
from arena.stats.sharpe import (
    Moments,
    max_drawdown_compounded,
    mertens_error,
    moments,
    sharpe,
    sharpe_ratio,
)
from tests.present import present
from tests.vectors import case, near, source

SERIES = st.lists(st.floats(-1, 1), min_size=5, max_size=40)


def _of(values: list[float]) -> Moments:
    return present(moments(values))


def test_the_standard_error_of_mertens() -> None:
    known = source("ext.lo_se")
    expected = known["expected"]
    found = _of(known["input"]["x"])
    told = {"sr": found.sharpe, "se_mertens": mertens_error(found)}
    assert near(told, {key: expected[key] for key in told}, known["tol"])


@given(values=SERIES)
@settings(max_examples=60)
def test_scale_does_not_matter_and_sign_turns_it(values: list[float]) -> None:
    found = moments(values)
    if found is None or found.sd < 1e-3:
        return
    assert np.isclose(_of([7 * v for v in values]).sharpe, found.sharpe)
    assert np.isclose(_of([-v for v in values]).sharpe, -found.sharpe)


def test_the_interval_holds_the_ratio() -> None:
    values = np.random.default_rng(1).standard_normal(50) + 0.2
    found = sharpe(values, 0.9)
    between = present(found.interval)
    assert between.low < present(found.value) < between.high
    assert (between.method, between.level, found.state) == ("Mertens", 0.9, State.OK)


@pytest.mark.parametrize("n", [10, 150])
def test_a_constant_series_has_no_ratio(n: int) -> None:
    found = sharpe([0.01] * n)
    assert (found.value, found.interval, found.state) == (None, None, State.DEGENERATE)


def test_too_few_values_have_no_ratio() -> None:
    assert sharpe([]).state is State.EMPTY
    assert sharpe([0.5]).state is State.SINGLE


@pytest.mark.parametrize("name", ["clv_like_60", "first_loss"])
def test_the_ratio_the_moments_and_the_drawdown_of_a_series(name: str) -> None:
    known = case("10_sharpe_drawdown", name)
    r, expected = known["inputs"]["r"], known["expected"]
    found = _of(r)
    told: dict[str, Any] = {
        "sharpe": sharpe_ratio(r),
        "max_drawdown_compounded": max_drawdown_compounded(r),
        "skew": found.skew,
        "kurtosis_raw": found.kurtosis,
    }
    assert near(told, {key: expected[key] for key in told}, known["tol"], relative=True)


RETURNS = st.lists(st.floats(-0.9, 2), min_size=1, max_size=30)


@given(returns=RETURNS)
def test_no_more_is_lost_than_all_and_no_less_than_the_worst(returns: list[float]) -> None:
    found = present(max_drawdown_compounded(returns))
    assert -1 <= found <= min(0.0, *returns, 0.0) + 1e-12


def test_a_first_loss_counts() -> None:
    assert max_drawdown_compounded([-0.5, 1.0]) == pytest.approx(-0.5)


def test_a_path_that_never_falls_has_no_drawdown() -> None:
    assert max_drawdown_compounded([0.1, 0.0, 0.2]) == 0
    assert max_drawdown_compounded([]) is None


def test_nobody_loses_more_than_all() -> None:
    with pytest.raises(ValueError, match="more than all"):
        max_drawdown_compounded([0.1, -1.1])
