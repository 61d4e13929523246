import asyncio
from datetime import timedelta
from decimal import Decimal
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.http import HttpReply, Manners, Pauses, PoliteReader, backoff, spread, wait_asked_for
from arena.http.limits import wait_in_body
from arena.http.reader import Pace
from tests.http.asking import T0, VENUE, Desk, NoTime, Noting, Says, page_of_a_guard, says, well


class Crowd(Desk):
    """Readers of the same venue that wait on one clock."""

    def joined_by(self, manners: Manners, noting: Noting) -> PoliteReader:
        return PoliteReader(
            VENUE, manners, self.clock, self.drawer, door=noting, pauses=self.pauses
        )

    def __post_init__(self) -> None:
        self.pauses = self.time.pauses()
        self.noting = Noting(self.time)
        self.reader = self.joined_by(self.manners, self.noting)


async def many(server: Says, *readers: PoliteReader, times: int) -> None:
    asked = [reader.get(f"{server.home}/rows") for _ in range(times) for reader in readers]
    await asyncio.gather(*asked)


def evenly(count: int, gap: float) -> list[float]:
    return [n * gap for n in range(count)]


def test_one_after_the_other_they_are_spaced_evenly() -> None:
    desk = Crowd(Manners(per_second=2))
    with Says(well()) as server:
        for _ in range(4):
            desk.get(server)
    assert desk.noting.starts == evenly(4, 0.5)
    assert desk.reader.waited == 1.5


def test_no_more_are_under_way_than_agreed() -> None:
    desk = Crowd(Manners(per_second=1e6, at_once=3))
    with Says(well()) as server:
        asyncio.run(many(server, desk.reader, times=30))
        assert server.most_at_once <= 3
    assert desk.noting.most_at_once == 3


def test_one_who_came_late_waits_for_nothing() -> None:
    desk = Crowd(Manners(per_second=2))
    with Says(well()) as server:
        desk.get(server)
        desk.time.at = 10.0
        desk.get(server)
    assert (desk.noting.starts, desk.time.slept) == ([0.0, 10.0], [])


def test_of_two_readers_of_one_host_the_stricter_manners_hold() -> None:
    desk = Crowd(Manners(per_second=4, at_once=4))
    other = desk.joined_by(Manners(per_second=2, at_once=1), desk.noting)
    with Says(well()) as server:
        asyncio.run(many(server, other, desk.reader, times=3))
    assert desk.noting.starts == evenly(6, 0.5)


def test_other_hosts_have_a_pace_of_their_own() -> None:
    desk = Crowd(Manners(per_second=2))
    with Says(well()) as one, Says(well()) as other:
        desk.get(one)
        desk.get(other)
    assert desk.time.slept == []


def test_the_wait_after_a_429_is_for_everybody() -> None:
    desk = Crowd(Manners(per_second=10, at_once=1))
    other = desk.joined_by(desk.manners, desk.noting)
    with Says(says(429, Retry_After="30"), well()) as server:
        asyncio.run(many(server, desk.reader, other, times=1))
    assert desk.noting.starts == pytest.approx([0.0, 30.0, 30.1])


def test_one_who_waits_for_its_turn_hears_that_everybody_is_to_wait() -> None:
    time = NoTime()

    async def sleep(seconds: float) -> None:
        await time.sleep(seconds)
        if len(time.slept) == 1:
            pace.leave_alone(30)

    pace = Pace(Pauses(sleep, time.now))
    pace.tighten(1, 2)

    async def play() -> list[float]:
        slept = []
        for _ in range(2):
            async with pace.turn() as seconds:
                slept.append(seconds)
        return slept

    assert asyncio.run(play()) == [0.0, 31.0]
    assert time.slept == [1.0, 30.0]


def test_the_wait_after_another_failure_is_its_own() -> None:
    desk = Crowd(Manners(per_second=10, at_once=1))
    other = desk.joined_by(desk.manners, desk.noting)
    with Says(says(500), well()) as server:
        asyncio.run(many(server, desk.reader, other, times=1))
    assert desk.reader.waited >= 1
    assert other.waited < 0.2


def test_who_is_in_line_when_a_guard_says_no_does_not_go() -> None:
    desk = Crowd(Manners(at_once=1, after_block=10))

    async def play(server: Says) -> list[object]:
        asked = [desk.reader.get(server.home) for _ in range(4)]
        return list(await asyncio.gather(*asked, return_exceptions=True))

    with Says(page_of_a_guard()) as server:
        errors = asyncio.run(play(server))
    assert [e.code for e in errors if isinstance(e, ArenaError)] == ["venue.blocked"] * 4
    assert desk.reader.requests <= 5


def test_a_pace_goes_on_from_loop_to_loop() -> None:
    desk = Crowd(Manners(per_second=4, at_once=2))
    with Says(well()) as server:
        for _ in range(3):
            asyncio.run(many(server, desk.reader, times=3))
    assert desk.noting.starts == evenly(9, 0.25)


def test_a_loop_that_was_given_up_leaves_no_place_taken() -> None:
    desk = Crowd(Manners(at_once=1))

    async def given_up(server: Says) -> None:
        asked = [asyncio.create_task(desk.reader.get(server.home)) for _ in range(3)]
        await desk.noting.started.wait()
        for one in asked:
            one.cancel()
        await asyncio.wait(asked)
        await desk.reader.get(server.home)

    with Says(well()) as server:
        asyncio.run(given_up(server))
        asyncio.run(many(server, desk.reader, times=2))


def test_another_clock_begins_anew() -> None:
    desk = Crowd(Manners(per_second=0.001))
    with Says(well()) as server:
        desk.time.at = 5_000.0
        desk.get(server)
        desk.time.at = 1.0
        desk.get(server)
    assert desk.time.slept == []


def test_without_pauses_it_really_waits() -> None:
    desk = Desk(Manners(per_second=50))
    readers = [PoliteReader(VENUE, desk.manners, desk.clock, desk.drawer) for _ in range(2)]

    async def timed(server: Says) -> float:
        start = asyncio.get_running_loop().time()
        await many(server, *readers, times=5)
        return asyncio.get_running_loop().time() - start

    with Says(well()) as server:
        assert asyncio.run(timed(server)) > 0.175
    assert sum(reader.requests for reader in readers) == 10


def test_pauses_that_are_not_the_same_share_nothing() -> None:
    one, other = NoTime(), NoTime()
    assert one.pauses() != other.pauses()
    assert Pauses() == Pauses()


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
