"""Ticks and the places of values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics import figures
from arena.site.charts.parts.axis import LANE, axis
from arena.site.charts.subjects import Scale
from tests.present import some

PLAIN = Scale("v", lambda v: f"{v:g}")
VALUES = st.floats(allow_nan=True, allow_infinity=True)


def told(scale: Scale, *values: float | None, most: int = 6) -> list[str]:
    return [text for _, text in axis(scale, values, (0, 1000), most).ticks]


def test_ticks_are_round() -> None:
    assert told(PLAIN, 0, 97) == ["0", "20", "40", "60", "80", "100"]
    assert told(PLAIN, 3.1, 4.4) == ["3", "3.5", "4", "4.5"]


def test_one_value_has_room_on_both_sides() -> None:
    found = axis(PLAIN, [10_000.0, 10_000.0], (0, 1000))
    assert 300 < found.at(10_000.0) < 700


def test_nothing_at_all_has_an_axis_from_zero_to_one() -> None:
    assert told(PLAIN)[0] == "0"
    assert told(PLAIN)[-1] == "1"


def test_the_base_is_on_the_axis() -> None:
    found = axis(Scale("v", str, base=0.0), [40.0, 50.0], (0, 1000))
    assert found.at(0.0) == 0


def test_ends_that_are_set_stay() -> None:
    found = axis(Scale("v", str, low=0.0, high=1.0), [0.3], (0, 1000))
    assert (found.at(0.0), found.at(1.0)) == (0, 1000)


def test_values_beyond_the_ends_widen_the_axis() -> None:
    found = axis(Scale("v", str, low=0.0, high=1.0), [1.7], (0, 1000))
    assert found.at(1.7) < found.at(1.75) <= 1000


def test_no_two_ticks_read_alike() -> None:
    coarse = Scale("v", lambda v: figures.percent(v, 0))
    found = told(coarse, 0.001, 0.012)
    assert len(found) == len(set(found)) >= 1


def test_no_tick_is_minus_zero() -> None:
    found = axis(Scale("v", str), [-0.3, 0.3], (0, 1000)).ticks
    assert all(math.copysign(1, v) > 0 for v, _ in some(found) if v == 0)


def test_a_log_axis_keeps_ratios() -> None:
    found = axis(Scale("v", str, log=True), [0.01, 10.0], (0, 1000))
    assert found.at(1.0) - found.at(0.1) == pytest.approx(found.at(0.1) - found.at(0.01), abs=1)


def test_zero_has_a_lane_of_its_own_on_a_log_axis() -> None:
    found = axis(Scale("v", lambda v: f"{v:g}", log=True), [0.0, 0.01, 10.0], (0, 1000))
    assert found.at(0.0) == 0
    assert found.at(0.01) > LANE
    assert found.ticks[0][1] == "0"


def test_a_log_axis_of_nothing_above_zero_is_a_plain_one() -> None:
    assert not axis(Scale("v", str, log=True), [0.0, -1.0], (0, 1000)).log


@given(st.lists(st.one_of(st.none(), VALUES), max_size=8), st.booleans())
def test_every_value_stands_between_the_ends(values: list[float | None], log: bool) -> None:  # noqa: FBT001
    found = axis(Scale("v", lambda v: f"{v:g}", log=log), values, (900, 100))
    for value in values:
        if value is not None and math.isfinite(value):
            assert 100 <= found.at(value) <= 900


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=8), st.integers(2, 12))
def test_ticks_rise_are_few_and_stay_on_the_axis(values: list[float], most: int) -> None:
    ticks = [v for v, _ in axis(Scale("v", repr), values, (0, 1000), most).ticks]
    assert ticks == sorted(ticks)
    assert 1 <= len(ticks) <= most + 2


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_larger_value_stands_no_lower(one: float, other: float) -> None:
    found = axis(PLAIN, [one, other], (0, 1000))
    low, high = sorted((one, other))
    assert found.at(low) <= found.at(high)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_many_values_stand_where_each_would(values: list[float]) -> None:
    found = axis(PLAIN, values, (7, 993))
    assert found.all_at(np.array(values)).tolist() == pytest.approx(
        [found.at(v) for v in values], abs=1
    )
