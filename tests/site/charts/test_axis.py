"""Ticks and the places of values.

Dates on an axis.
Fewer points that look the same.
Labels that cover nothing.
"""

import math
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics import figures
from arena.site.charts.axis import (
    LANE,
    apart,
    axis,
    date_axis,
    even,
    extremes,
    free,
    telling,
)
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


START = datetime(2026, 1, 5, 7, 30, tzinfo=UTC)


def dates_told(length: timedelta, most: int = 6) -> list[str]:
    return [text for _, text in date_axis([START, START + length], (0, 1000), most).ticks]


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (timedelta(hours=5), ["08:00", "09:00", "10:00", "11:00", "12:00"]),
        (timedelta(days=1), ["12:00", "18:00", "6 Jan", "06:00"]),
        (timedelta(days=5), ["6 Jan", "7 Jan", "8 Jan", "9 Jan", "10 Jan"]),
        (timedelta(days=30), ["12 Jan", "19 Jan", "26 Jan", "2 Feb"]),
        (timedelta(days=170), ["Feb", "Mar", "Apr", "May", "Jun"]),
        (timedelta(days=800), ["Jul", "2027", "Jul", "2028"]),
        (timedelta(days=1900), ["2027", "2028", "2029", "2030", "2031"]),
    ],
)
def test_dates_are_as_fine_as_there_is_room(length: timedelta, expected: list[str]) -> None:
    assert dates_told(length) == expected


@pytest.mark.parametrize(
    ("first", "length", "expected"),
    [
        (datetime(2026, 12, 5, tzinfo=UTC), 30, ["7 Dec", "21 Dec", "4 Jan 2027"]),
        (datetime(2026, 12, 29, tzinfo=UTC), 7, ["29 Dec", "31 Dec", "2 Jan 2027", "4 Jan"]),
        (
            datetime(2026, 12, 31, 12, tzinfo=UTC),
            1,
            ["12:00", "18:00", "1 Jan 2027", "06:00", "12:00"],
        ),
    ],
)
def test_where_two_years_meet_the_later_one_is_named(
    first: datetime, length: int, expected: list[str]
) -> None:
    ends = [first, first + timedelta(days=length)]
    assert [text for _, text in date_axis(ends, (0, 1000)).ticks] == expected


def test_dates_are_those_of_utc() -> None:
    east = timezone(timedelta(hours=9))
    here = date_axis([START, START + timedelta(days=5)], (0, 1000))
    there = [START.astimezone(east), (START + timedelta(days=5)).astimezone(east)]
    assert date_axis(there, (0, 1000)) == here


def test_one_moment_stands_in_the_middle() -> None:
    assert date_axis([START], (0, 1000)).at(START.timestamp()) == 500


def test_no_moment_has_an_axis_too() -> None:
    assert date_axis([], (0, 1000)).low < 1


@given(st.integers(1, 40_000), st.integers(2, 12))
def test_dates_are_few_rise_and_lie_inside(hours: int, most: int) -> None:
    found = date_axis([START, START + timedelta(hours=hours)], (0, 1000), most)
    stamps = [stamp for stamp, _ in found.ticks]
    assert stamps == sorted(stamps)
    assert len(stamps) <= most + 2
    assert all(found.low <= stamp <= found.high for stamp in stamps)


PLACES = st.lists(
    st.tuples(st.integers(0, 999), st.integers(0, 999)), min_size=1, max_size=200
).map(sorted)


def kept_of(places: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    return [(x, y) for x, y in extremes(np.array(places), most).tolist()]


def test_a_line_with_room_for_it_is_left_alone() -> None:
    assert kept_of([(0, 1), (1, 5), (2, 3)], 4) == [(0, 1), (1, 5), (2, 3)]


def test_a_spike_stays_either_way() -> None:
    flat = [(n, {321: 500, 322: 0}.get(n, 10)) for n in range(1000)]
    assert {(321, 500), (322, 0)} <= set(kept_of(flat, 30))


@given(PLACES, st.integers(4, 60))
def test_what_is_kept_was_there_in_order_with_both_ends(
    places: list[tuple[int, int]], most: int
) -> None:
    kept = kept_of(places, most)
    assert len(kept) <= most
    assert kept == sorted(kept)
    assert set(kept) <= set(places)
    assert kept[:1] == places[:1]
    assert kept[-1:] == places[-1:]


def test_moments_keep_every_extreme_of_every_line() -> None:
    one = [float(n == 777) for n in range(10_000)]
    other = [None if n < 5000 else -float(n == 9001) for n in range(10_000)]
    kept = telling([one, other], 200)
    assert len(kept) <= 200
    assert {0, 777, 9001, 9999} <= set(kept)


def test_moments_with_room_for_them_are_all_kept() -> None:
    assert telling([[1.0, None, 2.0]], 3) == [0, 1, 2]
    assert telling([], 3) == []


@given(st.sets(st.integers(0, 500), min_size=1), st.integers(2, 40))
def test_even_moments_are_few_with_both_ends(hours: set[int], most: int) -> None:
    moments = [datetime(2026, 1, 5, tzinfo=UTC) + timedelta(hours=n) for n in sorted(hours)]
    kept = even(moments, most)
    assert kept <= set(moments)
    assert len(kept) <= most
    assert {moments[0], moments[-1]} <= kept


def test_even_moments_are_even_in_time_and_not_in_number() -> None:
    first = datetime(2026, 1, 5, tzinfo=UTC)
    dense = [first + timedelta(hours=n) for n in [*range(90), *range(90, 191, 10)]]
    assert len([at for at in even(dense, 21) if at < dense[90]]) == 10


HEIGHTS = st.lists(st.integers(0, 500), max_size=30)


def test_labels_with_room_stay_where_they_are() -> None:
    assert apart([10, 100, 50], 20, (0, 200)) == [10, 100, 50]


def test_labels_that_would_cover_one_another_move_the_same_way() -> None:
    assert apart([100, 100], 20, (0, 200)) == [90, 110]


def test_a_box_is_free_where_nothing_else_is() -> None:
    within = (0, 0, 100, 100)
    assert free((10, 10, 20, 20), [(20, 10, 30, 20)], within)
    assert not free((10, 10, 21, 20), [(20, 10, 30, 20)], within)
    assert not free((90, 10, 110, 20), [], within)


@given(HEIGHTS, st.integers(1, 40))
def test_labels_are_apart_in_order_and_inside(wanted: list[int], gap: int) -> None:
    found = apart(wanted, gap, (0, 500))
    room = min(gap, 500 // max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    steps = [found[b] - found[a] for a, b in pairwise(order)]
    assert all(step >= room - 1 for step in steps)
    assert all(0 <= place <= 500 for place in found)
