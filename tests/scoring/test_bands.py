from collections.abc import Callable

import numpy as np
import pytest

from arena.records.estimate import Sided, State
from arena.scoring.bands import (
    asymptotic_band,
    binomial_band,
    confidence_band,
    consistency_band,
    miscalibration_test,
)
from arena.scoring.corp import Loss, corp
from arena.scoring.pav import levels
from arena.scoring.resampled import RESAMPLES, Resampling, Within
from tests.vectors import case, near


def drawing(resamples: int = RESAMPLES, event: object = None) -> Resampling:
    return Resampling(
        np.random.default_rng(11), None if event is None else np.asarray(event), resamples
    )


def test_consistency_band_discrete_asymptotics_is_that_of_reliabilitydiag() -> None:
    known = case("03_corp", "consistency_band_discrete_asymptotics")
    given = known["inputs"]
    counted = levels(given["p"], given["y"])
    found = asymptotic_band(counted.value, counted.number, given["level"])
    ours = {
        "x": found.x.tolist(),
        "lower": found.low.tolist(),
        "upper": found.high.tolist(),
        "n": counted.number.tolist(),
    }
    assert near(ours, known["expected"], known["tol"], relative=True)


def test_a_band_may_be_drawn_around_the_curve() -> None:
    found = asymptotic_band([0.5], [100], 0.95, around=[0.2])
    assert (float(found.low[0]), float(found.high[0])) == pytest.approx(
        (0.2 - 0.0784, 0.2 + 0.0784), abs=1e-4
    )


def test_the_exact_band_holds_the_asymptotic_one_for_many_forecasts() -> None:
    exact, limit = binomial_band([0.3], [10**6], 0.9), asymptotic_band([0.3], [10**6], 0.9)
    assert exact.low == pytest.approx(limit.low, abs=2e-6)
    assert exact.high == pytest.approx(limit.high, abs=2e-6)


def test_resampling_agrees_with_the_closed_form_where_prices_are_few() -> None:
    p = np.repeat([0.2, 0.5, 0.8], 400)
    found = consistency_band(p, drawing())
    expected = asymptotic_band([0.2, 0.5, 0.8], [400] * 3)
    assert found.low == pytest.approx(expected.low, abs=0.008)
    assert found.high == pytest.approx(expected.high, abs=0.008)


def test_events_that_share_their_draw_have_a_wider_band() -> None:
    event = np.repeat(np.arange(60), 4)
    p = np.repeat(np.linspace(0.1, 0.9, 60), 4) + np.tile([0, 0.001, 0.002, 0.003], 60)
    apart = consistency_band(p, drawing(400))
    shared = consistency_band(p, drawing(400, event))
    independent = consistency_band(
        p, Resampling(np.random.default_rng(1), event, 400, Within.INDEPENDENT)
    )
    width = [float(np.mean(b.high - b.low)) for b in (apart, shared, independent)]
    assert width[1] > 1.4 * width[0]
    assert width[2] == pytest.approx(width[0], rel=0.1)


def test_a_confidence_band_holds_the_curve() -> None:
    rng = np.random.default_rng(3)
    p = rng.integers(1, 10, size=500) / 10
    y = rng.random(500) < p**2
    found = confidence_band(p, y, drawing(500, np.arange(500) // 2))
    curve = corp(p, y).curve.interpolated(found.x)
    assert np.all((found.low <= curve) & (curve <= found.high))


def test_a_band_is_evaluated_where_asked_and_at_a_bounded_number_of_places() -> None:
    p = np.random.default_rng(4).random(500)
    assert consistency_band(p, drawing(5), at=[0.25, 0.5]).x.tolist() == [0.25, 0.5]
    assert len(consistency_band(p, drawing(5)).x) == 201


def test_the_same_generator_gives_the_same_band() -> None:
    p = [0.2, 0.4, 0.9]
    first, second = consistency_band(p, drawing(50)), consistency_band(p, drawing(50))
    assert first.low.tolist() == second.low.tolist()


def test_resamples_come_in_batches_that_change_no_number_of_them() -> None:
    p, y = np.full(3000, 0.5), np.tile([0, 1], 1500)
    found = miscalibration_test(p, y, drawing(1500))
    assert found.p == 1


@pytest.mark.parametrize("loss", list(Loss))
def test_an_overconfident_contestant_is_found_out(loss: Loss) -> None:
    rng = np.random.default_rng(5)
    p = rng.integers(1, 10, size=400) / 10
    y = rng.random(400) < 0.5 + 0.4 * (p - 0.5)
    found = miscalibration_test(p, y, drawing(999), loss)
    assert found.p == 0.001
    assert found.sided is Sided.GREATER
    assert found.estimate == pytest.approx(corp(p, y, loss).terms.miscalibration)  # type: ignore[union-attr]


def test_a_calibrated_contestant_on_ladders_is_not_accused_for_its_events() -> None:
    rng = np.random.default_rng(6)
    rejected = {"events": 0, "rows": 0}
    for _ in range(60):
        p, event = np.tile([0.1, 0.3, 0.5, 0.7, 0.9], 20), np.repeat(np.arange(20), 5)
        y = rng.random(20)[event] < p
        by_event = miscalibration_test(p, y, Resampling(rng, event, 99))
        by_row = miscalibration_test(p, y, Resampling(rng, None, 99))
        assert by_event.p is not None
        assert by_row.p is not None
        rejected["events"] += by_event.p <= 0.05
        rejected["rows"] += by_row.p <= 0.05
    assert rejected["events"] <= 7
    assert rejected["rows"] > rejected["events"]


def test_a_test_without_forecasts_says_so() -> None:
    found = miscalibration_test([], [], drawing())
    assert (found.p, found.state) == (None, State.EMPTY)


def test_one_forecast_is_one_event() -> None:
    found = miscalibration_test([0.4], [1], drawing(99))
    assert (found.n, found.events, found.p, found.state) == (1, 1, None, State.SINGLE)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: consistency_band([], drawing()), "no forecast"),
        (lambda: consistency_band([0.2], drawing(0)), "one resample"),
        (lambda: consistency_band([0.2], drawing(9, [0, 1])), "one code"),
        (lambda: consistency_band([0.2], drawing(9), level=1.0), "level"),
        (lambda: asymptotic_band([0.2], [0]), "one forecast"),
        (lambda: asymptotic_band([0.2], [1, 2]), "as many counts"),
        (lambda: asymptotic_band([0.2], [1], around=[0.2, 0.3]), "as many points"),
        (lambda: binomial_band([1.2], [1]), "lies in"),
    ],
)
def test_what_has_no_band_is_refused(call: Callable[[], object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()
