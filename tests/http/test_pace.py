import asyncio

import pytest

from arena.errors import ArenaError
from arena.http import Manners, Pauses, PoliteReader
from arena.http.reader import Pace
from tests.http.asking import VENUE, Desk, NoTime, Noting, Says, page_of_a_guard, says, well


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


def test_together_they_are_spaced_evenly() -> None:
    desk = Crowd(Manners(per_second=4, at_once=3))
    with Says(well()) as server:
        asyncio.run(many(server, desk.reader, times=10))
    assert desk.noting.starts == evenly(10, 0.25)
    assert desk.noting.most_at_once <= 3


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


def test_readers_of_one_host_share_its_pace() -> None:
    desk = Crowd(Manners(per_second=4, at_once=2))
    other = desk.joined_by(desk.manners, desk.noting)
    with Says(well()) as server:
        asyncio.run(many(server, desk.reader, other, times=4))
    assert desk.noting.starts == evenly(8, 0.25)
    assert desk.noting.most_at_once <= 2


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
