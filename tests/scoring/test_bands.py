from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from numpy.typing import ArrayLike

from arena.records.estimate import Sided, State
from arena.scoring.bands import (
    binomial_band,
    consistency_band,
    count_ends,
    miscalibration_test,
)
from arena.scoring.corp import CalibratedSamples, calibrated, corp
from arena.scoring.table import Whole
from tests.present import present

SAMPLES = 2000


def drawn(
    p: ArrayLike, samples: int = SAMPLES, event: Whole | None = None
) -> CalibratedSamples:
    forecasts = np.asarray(p, np.float64)
    events = len(forecasts) if event is None else int(event.max()) + 1
    chances = np.random.default_rng(11).random((events, samples), dtype=np.float32)
    return calibrated(forecasts, event, chances)


def test_events_that_share_their_draw_have_a_wider_band() -> None:
    event = np.repeat(np.arange(60), 4)
    p = np.repeat(np.linspace(0.1, 0.9, 60), 4) + np.tile([0, 0.001, 0.002, 0.003], 60)
    apart, shared = consistency_band(drawn(p, 400)), consistency_band(drawn(p, 400, event))
    assert np.mean(shared.high - shared.low) > 1.4 * np.mean(apart.high - apart.low)


def test_a_band_is_evaluated_where_asked_and_at_a_bounded_number_of_places() -> None:
    p = np.random.default_rng(4).random(500)
    assert consistency_band(drawn(p, 5), at=[0.25, 0.5]).x.tolist() == [0.25, 0.5]
    assert len(consistency_band(drawn(p, 5)).x) == 201


def test_between_levels_a_curve_is_straight_and_beyond_them_level() -> None:
    samples = drawn([0.2, 0.4], 50)
    found = consistency_band(samples, at=[0.1, 0.2, 0.3, 0.4, 0.9])
    ends = np.quantile(samples.fitted.mean(axis=1), 0.95)
    assert found.high[[0, 3]].tolist() == found.high[[1, 4]].tolist()
    assert found.high[2] == pytest.approx(ends)


def test_a_test_of_all_that_may_happen_rejects_nothing() -> None:
    p, y = np.full(3000, 0.5), np.tile([0, 1], 1500)
    assert miscalibration_test(y, drawn(p, 1500)).p == 1


def test_an_overconfident_contestant_is_found_out() -> None:
    rng = np.random.default_rng(5)
    p = rng.integers(1, 10, size=400) / 10
    y = rng.random(400) < 0.5 + 0.4 * (p - 0.5)
    found = miscalibration_test(y, drawn(p, 999))
    assert found.p == 0.001
    assert found.sided is Sided.GREATER
    assert found.estimate == pytest.approx(corp(p, y).terms.miscalibration)  # type: ignore[union-attr]


def test_a_calibrated_contestant_on_ladders_is_not_accused_for_its_events() -> None:
    rng = np.random.default_rng(6)
    rejected = {"events": 0, "rows": 0}
    for _ in range(60):
        p, event = np.tile([0.1, 0.3, 0.5, 0.7, 0.9], 20), np.repeat(np.arange(20), 5)
        y = rng.random(20)[event] < p
        by_event = miscalibration_test(y, drawn(p, 99, event))
        by_row = miscalibration_test(y, drawn(p, 99))
        rejected["events"] += present(by_event.p) <= 0.05
        rejected["rows"] += present(by_row.p) <= 0.05
    assert rejected["events"] <= 7
    assert rejected["rows"] > rejected["events"]


def test_a_test_without_forecasts_says_so() -> None:
    found = miscalibration_test([], drawn([], 9))
    assert (found.p, found.state) == (None, State.EMPTY)


def test_one_forecast_is_one_event() -> None:
    found = miscalibration_test([1], drawn([0.4], 99))
    assert (found.n, found.events, found.p, found.state) == (1, 1, None, State.SINGLE)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: consistency_band(drawn([], 9)), "no forecast"),
        (lambda: consistency_band(drawn([0.2], 0)), "one resample"),
        (lambda: consistency_band(drawn([0.2], 9, np.array([0, 1]))), "one code"),
        (lambda: consistency_band(drawn([0.2], 9), level=1.0), "level"),
        (lambda: binomial_band([1.2], [1]), "lies in"),
    ],
)
def test_what_has_no_band_is_refused(call: Callable[[], object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()


def test_ends_of_a_count_are_the_least_that_reach_the_probability() -> None:
    def below(count: int) -> float:
        return sum(comb(12, c) * 0.3**c * 0.7 ** (12 - c) for c in range(count + 1))

    low, high = (int(end) for end in count_ends(12, 0.3, 0.9))
    assert below(low - 1) < 0.05 <= below(low)
    assert below(high - 1) < 0.95 <= below(high)


def test_certain_counts_have_no_spread() -> None:
    low, high = count_ends([5, 5, 0], [0.0, 1.0, 0.4], 0.9)
    assert low.tolist() == high.tolist() == [0, 5, 0]


@pytest.mark.parametrize(("n", "p"), [(-1, 0.5), (1.5, 0.5), (3, 1.1), (3, np.nan)])
def test_what_is_no_binomial_is_refused(n: float, p: float) -> None:
    with pytest.raises(ValueError, match=r"whole|lies in"):
        count_ends(n, p)
