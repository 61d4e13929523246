from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct

from arena.records.estimate import State
from arena.stats.sharpe import (
    Moments,
    SharpeInterval,
    lo_error,
    max_drawdown_compounded,
    mertens_error,
    moments,
    noncentral_t_interval,
    normal_interval,
    sharpe,
    sharpe_ratio,
)
from tests.present import present
from tests.stats.intervals import ends
from tests.vectors import case, near, source

SERIES = st.lists(st.floats(-1, 1), min_size=5, max_size=40)


def _of(values: list[float]) -> Moments:
    return present(moments(values))


def test_standard_errors_of_lo_and_mertens() -> None:
    known = source("ext.lo_se")
    found = _of(known["input"]["x"])
    told = {
        "sr": found.sharpe,
        "se_iid_normal": lo_error(found.sharpe, found.n),
        "se_mertens": mertens_error(found),
    }
    assert near(told, known["expected"], known["tol"])


def test_the_exact_interval_solves_its_equations() -> None:
    for ratio, n in ((0.19, 60), (-0.3, 6), (1.5, 2), (0.0, 30), (0.05, 2000), (4.0, 12)):
        found = ends(noncentral_t_interval(ratio, n, 0.9))
        tails = [nct.cdf(ratio * sqrt(n), n - 1, end * sqrt(n)) for end in found]
        assert tails == pytest.approx([0.95, 0.05], abs=1e-9)


@given(values=SERIES)
@settings(max_examples=60)
def test_scale_does_not_matter_and_sign_turns_it(values: list[float]) -> None:
    found = moments(values)
    if found is None or found.sd < 1e-3:
        return
    assert np.isclose(_of([7 * v for v in values]).sharpe, found.sharpe)
    assert np.isclose(_of([-v for v in values]).sharpe, -found.sharpe)


@pytest.mark.parametrize("kind", list(SharpeInterval))
def test_every_interval_holds_the_ratio(kind: SharpeInterval) -> None:
    values = np.random.default_rng(1).standard_normal(50) + 0.2
    found = sharpe(values, 0.9, kind)
    between = present(found.interval)
    assert between.low < present(found.value) < between.high
    assert (between.method, between.level, found.state) == (kind, 0.9, State.OK)


@pytest.mark.parametrize("n", [10, 150])
def test_a_constant_series_has_no_ratio(n: int) -> None:
    found = sharpe([0.01] * n)
    assert (found.value, found.interval, found.state) == (None, None, State.DEGENERATE)


def test_too_few_values_have_no_ratio() -> None:
    assert sharpe([]).state is State.EMPTY
    assert sharpe([0.5]).state is State.SINGLE
    with pytest.raises(ValueError, match="two values"):
        lo_error(0.1, 1)


def test_small_samples_keep_their_plain_skewness() -> None:
    found = _of([0.1, 0.2, 0.4])
    assert mertens_error(found, unbiased=True) == mertens_error(found)


@pytest.mark.parametrize("name", ["clv_like_60", "first_loss"])
def test_ratios_errors_and_the_drawdown_of_a_series(name: str) -> None:
    known = case("10_sharpe_drawdown", name)
    r, expected = known["inputs"]["r"], dict(known["expected"])
    found = _of(r)
    se_t = lo_error(found.sharpe, found.n, small_sample=True)
    plain = normal_interval(found.sharpe, se_t)
    told: dict[str, Any] = {
        "sharpe": sharpe_ratio(r),
        "sharpe_rf": sharpe_ratio(r, known["inputs"]["rf"]),
        "max_drawdown_compounded": max_drawdown_compounded(r),
        "se_Lo": se_t,
        "se_Mertens": mertens_error(found, unbiased=True),
        "se_t": se_t,
        "ci95_t": ends(plain),
        "skew": found.skew,
        "kurtosis_raw": found.kurtosis,
    }
    assert near(told, {key: expected[key] for key in told}, known["tol"], relative=True)
    # R's SharpeR stops its search as soon as it is within 1.2e-4 of the parameter
    loose = np.finfo(float).eps ** 0.25 / sqrt(found.n)
    exact = ends(noncentral_t_interval(found.sharpe, found.n))
    assert near(exact, expected["ci95_exact_noncentral_t"], loose)


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
