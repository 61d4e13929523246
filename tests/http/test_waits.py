from datetime import timedelta
from decimal import Decimal
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import HandClock
from arena.http import HttpReply, backoff, spread, wait_asked_for
from arena.http.manners import wait_in_body
from tests.http.asking import T0


def waiting(word: str) -> HttpReply:
    return HttpReply(429, (("retry-after", word),), b"")


def test_waits_double_up_to_half_a_minute() -> None:
    assert [backoff(n, 1.0) for n in range(8)] == [1, 2, 4, 8, 16, 30, 30, 30]


def test_jitter_is_a_half_to_one_and_follows_from_its_seed() -> None:
    first, second, other = spread("a"), spread("a"), spread("b")
    drawn = [first() for _ in range(100)]
    assert drawn == [second() for _ in range(100)]
    assert drawn != [other() for _ in range(100)]
    assert all(0.5 <= jitter < 1 for jitter in drawn)
    assert max(drawn) - min(drawn) > 0.4


@pytest.mark.parametrize("word", ["-5", "nan", "inf", "1e9", "\u0667", "", "9" * 50, "5 s"])
def test_a_wait_that_is_no_number_is_none(word: str) -> None:
    reply = HttpReply(429, (("retry-after", word), ("retry-after-ms", word)), b"")
    assert wait_asked_for(reply, HandClock(T0)) is None


def test_a_date_without_a_zone_is_utc() -> None:
    asked = waiting("Mon, 05 Jan 2026 09:01:00 -0000")
    assert wait_asked_for(asked, HandClock(T0)) == 60


def test_a_date_is_measured_from_the_server_s_own_clock() -> None:
    until, now = (format_datetime(T0 + timedelta(seconds=s)) for s in (100, 80))
    reply = HttpReply(429, (("retry-after", until), ("date", now)), b"")
    assert wait_asked_for(reply, HandClock(T0)) == 20


def test_a_date_that_is_past_asks_for_nothing() -> None:
    asked = waiting(format_datetime(T0 - timedelta(seconds=1)))
    assert wait_asked_for(asked, HandClock(T0)) is None


def test_a_wait_of_no_milliseconds_leaves_the_one_in_seconds() -> None:
    reply = HttpReply(429, (("retry-after", "7"), ("retry-after-ms", "0")), b"")
    assert wait_asked_for(reply, HandClock(T0)) == 7


def test_of_several_waits_the_longest_counts() -> None:
    assert wait_asked_for(waiting("3, 9"), HandClock(T0)) == 9
    assert wait_asked_for(waiting("999999999999"), HandClock(T0)) == 999999999999


@pytest.mark.parametrize("told", [7, Decimal("7.0"), "7", " 7 "])
def test_a_body_may_say_it_in_a_field(told: object) -> None:
    assert wait_in_body({"retry_after_seconds": told}, "") == 7


@pytest.mark.parametrize("told", [True, None, -7, 0, "soon", [], {}, Decimal("NaN"), 10**30])
def test_a_field_that_is_no_time_says_nothing(told: object) -> None:
    assert wait_in_body({"retry_after_seconds": told}, "") is None


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Too many requests. Please wait 12 seconds", 12),
        ("please wait for 1.5 s.", 1.5),
        ("Please wait 1 second before you try again", 1),
        ("Please wait 30sec", 30),
        ("Please wait 0 seconds", None),
        ("Please wait 3 minutes", None),
        ("I await 3 seconds", None),
        ("wait", None),
        ("", None),
    ],
)
def test_a_body_may_say_it_in_words(words: str, seconds: float | None) -> None:
    assert wait_in_body(None, words) == seconds


@given(st.text(), st.text())
def test_no_header_and_no_words_are_too_odd(header: str, words: str) -> None:
    for found in (wait_asked_for(waiting(header), HandClock(T0)), wait_in_body(words, words)):
        assert found is None or found > 0
