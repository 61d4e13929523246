"""Dates on an axis."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.site.charts.parts.axis import date_axis

START = datetime(2026, 1, 5, 7, 30, tzinfo=UTC)


def told(length: timedelta, most: int = 6) -> list[str]:
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
    assert told(length) == expected


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
