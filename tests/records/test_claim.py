"""Seasons, the dates of their looks, and what there must be before anything is claimed."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from arena.records.claim import Minimum, Scope, Season

START = date(2026, 1, 5)
DAY = timedelta(days=1)


def lasting(days: float, every: float = 30) -> Season:
    return Season(START, timedelta(days=days), timedelta(days=every))


def test_looks_come_at_even_distances_and_at_the_end() -> None:
    assert lasting(100).looks() == tuple(START + n * DAY for n in (30, 60, 90, 100))
    assert lasting(90).looks() == tuple(START + n * DAY for n in (30, 60, 90))
    assert lasting(30).looks() == (START + 30 * DAY,)


def test_a_season_of_a_year_has_thirteen_looks() -> None:
    assert len(Season(START).looks()) == 13
    assert Season(START).end == START + 364 * DAY


@pytest.mark.parametrize(
    ("days", "every", "why"),
    [
        (0, 30, "1 to 366 days"),
        (-1, 30, "1 to 366 days"),
        (367, 30, "1 to 366 days"),
        (30.5, 30, "whole days"),
        (30, 0.5, "whole days"),
        (30, 31, "not further than the season is long"),
        (30, 0, "at least a day apart"),
    ],
)
def test_a_season_that_cannot_be_is_refused(days: float, every: float, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        lasting(days, every)


@pytest.mark.parametrize(
    ("passed", "begun"), [(-3, 0), (0, 0), (89, 0), (90, 90), (179, 90), (180, 180)]
)
def test_seasons_follow_each_other_without_a_gap(passed: int, begun: int) -> None:
    found = lasting(90).on(START + passed * DAY)
    assert found == replace(lasting(90), start=START + begun * DAY)


def test_on_its_end_a_season_is_read_a_last_time() -> None:
    assert Scope(START + 90 * DAY, lasting(90)).current == lasting(90)
    later = Scope(START + 91 * DAY, lasting(90)).current
    assert later == replace(lasting(90), start=START + 90 * DAY)
    assert Scope(START).current is None


@pytest.mark.parametrize(
    ("events", "weeks", "cohorts", "met"),
    [(10, 6, 6, True), (9, 6, 6, False), (10, 5, 6, False), (10, 6, 5, False)],
)
def test_enough_is_ten_events_six_weeks_and_what_else_is_needed(
    *, events: int, weeks: int, cohorts: int, met: bool
) -> None:
    assert Minimum(events, weeks, cohorts, cohorts_needed=6).met is met
