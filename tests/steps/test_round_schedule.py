from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.cohort import Cadence, Cohort, CohortSpec, Start
from arena.steps.round_schedule import bucket, cohort_id, due_round, due_start, planned_rounds
from tests.build import COHORT, DAY, T0, at, spec

WEEK = 7 * DAY
SUNDAY = datetime(2026, 3, 1, tzinfo=UTC)

moments = st.integers(0, 10**10).map(lambda s: T0 + timedelta(seconds=s / 1000))


def weekly(decide_for: timedelta = 3 * DAY) -> CohortSpec:
    once = spec("weekly")
    return replace(once, start=Start(Cadence.WEEKLY, SUNDAY), decide_for=decide_for)


def daily(days: float = 1) -> CohortSpec:
    return spec("daily", cadence=Cadence.DAILY, days=days)


@pytest.mark.parametrize(
    ("when", "number"),
    [
        pytest.param("2026-03-07T23:59:59+00:00", 1, id="H6-week-1"),
        pytest.param("2026-03-08T00:00:00+00:00", 2, id="H6-week-2"),
        pytest.param("2026-03-15T00:05:00+00:00", 3, id="H6-week-3"),
    ],
)
def test_h6_a_weekly_decision_is_numbered_by_the_weeks_since_the_start(
    when: str, number: int
) -> None:
    agreed = replace(weekly(20 * WEEK), decide_every=WEEK)
    assert due_round(Cohort(COHORT, agreed, SUNDAY), 0, datetime.fromisoformat(when)) == number


def test_h8_on_a_wednesday_no_weekly_cohort_starts() -> None:
    assert due_start(weekly(), SUNDAY + 3 * DAY + DAY / 2) is None


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        pytest.param(600, "2026-03-05T11:50:00+00:00", id="H10-1D"),
        pytest.param(3_600, "2026-03-05T11:00:00+00:00", id="H10-1W"),
        pytest.param(21_600, "2026-03-05T06:00:00+00:00", id="H10-1M"),
        pytest.param(86_400, "2026-03-05T00:00:00+00:00", id="H10-3M"),
        pytest.param(604_800, "2026-03-05T00:00:00+00:00", id="H10-ALL"),
    ],
)
def test_h10_a_bucket_starts_at_a_multiple_of_its_width(width: int, expected: str) -> None:
    when = datetime(2026, 3, 5, 11, 55, tzinfo=UTC)
    assert bucket(when, timedelta(seconds=width)) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "when",
    [
        pytest.param("2026-03-05T12:17:59.999+00:00", id="G18-before"),
        pytest.param("2026-03-05T12:19:01+00:00", id="G18-after"),
    ],
)
def test_g18_a_snapshot_and_its_retry_share_a_bucket(when: str) -> None:
    floored = bucket(datetime.fromisoformat(when), timedelta(minutes=10))
    assert floored == datetime(2026, 3, 5, 12, 10, tzinfo=UTC)


@given(when=moments, minutes=st.integers(1, 10**5))
def test_a_moment_lies_in_its_bucket(when: datetime, minutes: int) -> None:
    width = timedelta(minutes=minutes)
    assert bucket(when, width) <= when < bucket(when, width) + width


def test_before_the_first_start_nothing_is_due() -> None:
    assert due_start(daily(), at(-0.01)) is None


@pytest.mark.parametrize(
    ("hours", "start"), [(0, 0), (23.99, 0), (24, 24), (24 * 9 + 1, 24 * 9)]
)
def test_the_newest_daily_start_is_due(hours: float, start: float) -> None:
    assert due_start(daily(), at(hours)) == at(start)


@pytest.mark.parametrize(("days", "start"), [(0, 0), (2.99, 0), (3, None), (7, 7)])
def test_a_weekly_start_is_due_until_its_window_is_over(days: float, start: int | None) -> None:
    expected = None if start is None else SUNDAY + start * DAY
    assert due_start(weekly(), SUNDAY + days * DAY) == expected


@pytest.mark.parametrize(("hours", "due"), [(0, True), (23.99, True), (24, False)])
def test_an_only_start_is_due_until_its_window_is_over(hours: float, *, due: bool) -> None:
    assert (due_start(spec(), at(hours)) is not None) is due


def test_an_only_cohort_bears_the_name_of_its_agreement() -> None:
    assert cohort_id(spec("cup"), T0) == "cup"


def test_a_cohort_is_named_by_its_day() -> None:
    assert cohort_id(daily(), T0) == "daily-2026-01-05"


def test_a_cohort_that_starts_at_another_hour_is_named_by_that_too() -> None:
    assert cohort_id(daily(), at(9.5)) == "daily-2026-01-05-0930"


def due(hours: float, last: int = 0) -> int | None:
    return due_round(Cohort(COHORT, spec(days=3), T0), last, at(hours))


@pytest.mark.parametrize(
    ("hours", "number"), [(-0.01, None), (0, 1), (23.99, 1), (24, 2), (71.99, 3), (72, None)]
)
def test_the_round_of_the_moment_is_due_while_the_window_is_open(
    hours: float, number: int | None
) -> None:
    assert due(hours) == number


def test_a_round_that_was_played_is_due_no_more() -> None:
    assert due(23, last=1) is None


def test_a_round_that_was_missed_is_never_due_again() -> None:
    assert due(50, last=1) == 3


@pytest.mark.parametrize(("days", "rounds"), [(1, 1), (3, 3), (2.5, 3), (0.1, 1)])
def test_a_window_is_half_open(days: float, rounds: int) -> None:
    assert planned_rounds(Cohort(COHORT, spec(days=days), T0)) == rounds
