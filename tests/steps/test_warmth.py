"""The first of several questions that begin alike goes alone, and warms the cache."""

import asyncio
from dataclasses import replace

import pytest

from arena.records.cohort import ContestantId
from arena.steps.rounds.cached_llm import WARM, Warmth
from tests.build import ADA, BEN
from tests.llms.virtual_time import in_no_time
from tests.steps.asking import MODEL, BrokenError, Gated, board, question, settle
from tests.store.spending import caller


async def hold(warmth: Warmth, beginning: str, name: str, seen: list[str]) -> None:
    async with warmth.turn(beginning):
        seen.append(name)
        await asyncio.Event().wait()


async def go(warmth: Warmth, beginning: str, name: str, seen: list[str]) -> None:
    async with warmth.turn(beginning):
        seen.append(name)


def test_the_others_wait_for_the_first_and_then_go_together() -> None:
    async def play() -> None:
        llm = Gated()
        with board() as here:
            line = here.line(llm, replace(MODEL, warm=True))
            asked = [
                question(caller(contestant=who), f"shared {who}", len("shared "))
                for who in (ADA, BEN, ContestantId("c"))
            ]
            tasks = [asyncio.create_task(line.complete(one)) for one in asked]
            await settle()
            assert llm.started == ["shared ada"]
            llm.let("shared ada")
            await settle()
            assert llm.started == ["shared ada", "shared ben", "shared c"]
            llm.let("shared ben", "shared c")
            assert [one.text for one in await asyncio.gather(*tasks)] == ["words"] * 3

    asyncio.run(play())


@pytest.mark.parametrize(
    ("warm", "shared", "users"),
    [(False, 7, ("shared 1", "shared 2")), (True, 0, ("a", "b")), (True, 1, ("a1", "b1"))],
)
def test_nobody_waits_where_nothing_is_shared_or_nothing_is_warmed(
    warm: bool,  # noqa: FBT001
    shared: int,
    users: tuple[str, str],
) -> None:
    async def play() -> None:
        llm = Gated()
        with board() as here:
            line = here.line(llm, replace(MODEL, warm=warm))
            for n, user in enumerate(users):
                asked = question(caller(f"decide/{n}"), user, shared)
                asyncio.create_task(line.complete(asked)).add_done_callback(str)
            await settle()
            assert llm.started == list(users)
            llm.let(*users)
            await settle()

    asyncio.run(play())


def test_who_asks_another_model_does_not_wait() -> None:
    async def play() -> None:
        llm = Gated()
        with board() as here:
            exchange = here.exchange
            models = [replace(MODEL, name=name, warm=True) for name in ("one", "two")]
            lines = [exchange.line(llm, model) for model in models]
            for n, line in enumerate(lines):
                asked = question(caller(f"decide/{n}"), f"same {n}", 5)
                asyncio.create_task(line.complete(asked)).add_done_callback(str)
            await settle()
            assert llm.started == ["same 0", "same 1"]
            llm.let(*llm.started)
            await settle()

    asyncio.run(play())


def test_other_beginnings_do_not_wait() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()
        first = asyncio.create_task(hold(warmth, "a", "first", seen))
        await settle()
        await go(warmth, "b", "other", seen)
        first.cancel()
        return seen

    assert asyncio.run(play()) == ["first", "other"]


def test_where_the_first_fails_the_others_go_on() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()

        async def fail() -> None:
            async with warmth.turn("a"):
                await settle()
                raise BrokenError

        failing = asyncio.create_task(fail())
        others = [asyncio.create_task(go(warmth, "a", name, seen)) for name in "bc"]
        await settle()
        with pytest.raises(BrokenError):
            await failing
        await asyncio.gather(*others)
        return seen

    assert asyncio.run(play()) == ["b", "c"]


def test_where_the_first_is_cancelled_the_others_go_on() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()
        first = asyncio.create_task(hold(warmth, "a", "first", seen))
        others = [asyncio.create_task(go(warmth, "a", name, seen)) for name in "bc"]
        await settle()
        assert seen == ["first"]
        first.cancel()
        await asyncio.gather(*others)
        return seen

    assert asyncio.run(play()) == ["first", "b", "c"]


def test_the_others_wait_a_minute_at_most_counted_from_the_first() -> None:
    async def play() -> list[tuple[str, float]]:
        warmth, clock = Warmth(), asyncio.get_running_loop().time
        went = list[tuple[str, float]]()

        async def come(name: str, at: float, lasts: float) -> None:
            await asyncio.sleep(at)
            async with warmth.turn("a"):
                went.append((name, clock()))
                await asyncio.sleep(lasts)

        await asyncio.gather(
            come("1", 0, 500), come("2", 1, 0), come("3", 59, 0), come("4", 70, 0)
        )
        return went

    assert in_no_time(play()) == [("1", 0.0), ("2", 60.0), ("3", 60.0), ("4", 70.0)]


def test_one_who_is_cancelled_while_waiting_holds_nobody_up() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()
        first = asyncio.create_task(hold(warmth, "a", "first", seen))
        waits = asyncio.create_task(go(warmth, "a", "waits", seen))
        last = asyncio.create_task(go(warmth, "a", "last", seen))
        await settle()
        waits.cancel()
        first.cancel()
        await last
        return seen

    assert asyncio.run(play()) == ["first", "last"]


def test_what_is_warm_stays_warm_in_another_loop() -> None:
    warmth, seen = Warmth(), list[str]()
    for name in "abc":
        asyncio.run(go(warmth, "same", name, seen))
    assert seen == ["a", "b", "c"]


def test_what_was_long_ago_is_forgotten_and_its_next_one_goes_alone() -> None:
    async def play() -> None:
        warmth, seen = Warmth(), list[str]()
        await go(warmth, "old", "1", seen)
        for n in range(WARM):
            await go(warmth, f"new {n}", "", [])
        first = asyncio.create_task(hold(warmth, "old", "2", seen))
        waits = asyncio.create_task(go(warmth, "old", "3", seen))
        await settle()
        assert seen == ["1", "2"]
        first.cancel()
        await waits

    asyncio.run(play())
