import asyncio
from collections.abc import AsyncIterator

import pytest

from arena.errors import ArenaError
from arena.records.cohort import Cadence
from arena.records.market import Side
from arena.records.report import TickReport
from arena.steps.play import play, tick
from tests.build import ADA, BEN, COHORT, RAIN, at, spec
from tests.stage import Game, Script, ScriptedAgent, buys, playing, started

YES = Side.YES
BETS: Script = {n: buys((RAIN, YES, 100), rain=0.7) for n in range(1, 10)}


def nothing_but(report: TickReport) -> TickReport:
    return TickReport(at=report.at)


def test_a_tick_at_the_same_moment_does_nothing_again() -> None:
    with started({ADA: BETS, BEN: BETS}) as game:
        head = game.store.journal.head()
        report = game.tick(0)
        assert (report, game.store.journal.head()) == (nothing_but(report), head)


def test_a_tick_with_nothing_due_is_all_zero() -> None:
    with started({ADA: BETS}) as game:
        report = game.tick(0.2)
        assert report == nothing_but(report)


def test_an_arena_without_cohorts_has_nothing_to_do() -> None:
    with playing({ADA: {}}, spec(cadence=Cadence.ONCE)) as game:
        report = game.tick(-1)
        assert report == nothing_but(report)


def test_nobody_is_asked_twice_in_a_round() -> None:
    with playing({ADA: BETS}, spec(COHORT, days=2)) as game:
        for hours in (0, 0, 5, 23.9):
            game.tick(hours)
        assert len(game.agents[ADA].shown) == 1


def test_rounds_that_were_missed_leave_a_gap() -> None:
    with playing({ADA: BETS}, spec(COHORT, days=5)) as game:
        for day in (0, 3, 4):
            game.tick(24 * day)
        rows = game.store.db.rows("SELECT round FROM rounds ORDER BY round")
        assert [row["round"] for row in rows] == [1, 4, 5]


def test_a_round_that_is_played_late_is_played_at_the_prices_of_then() -> None:
    with playing({ADA: BETS}) as game:
        game.tick(7)
        (shown,) = game.agents[ADA].shown
        assert (shown.at, shown.offers[0].quote.at) == (at(7), at(7))


def test_the_past_cannot_be_played() -> None:
    with playing({ADA: BETS}) as game:
        game.tick(5)
        with pytest.raises(ArenaError, match="cannot go back to 2026-01-05 04:00:00") as caught:
            game.tick(4)
        assert (caught.value.code, caught.value.status) == ("tick.backwards", 2)


def test_a_moment_at_which_a_venue_failed_was_played_too() -> None:
    with playing({ADA: BETS}) as game:
        game.venue.trouble = ArenaError("venue.down", "down")
        game.tick(5)
        with pytest.raises(ArenaError, match="cannot go back"):
            game.tick(4)


def test_a_tick_in_another_zone_is_the_same_tick() -> None:
    with started({ADA: BETS}) as game:
        head = game.store.journal.head()
        asyncio.run(tick(game.doors, at(0).astimezone()))
        assert game.store.journal.head() == head


def test_a_part_of_a_second_makes_no_other_moment() -> None:
    with started({ADA: BETS}) as game:
        report = game.tick(0.9 / 3600)
        assert report == TickReport(at=at(0))


def interrupt(game: Game) -> None:
    """Tick, and let the process end while Ben is thinking."""
    whole = game.agents
    game.agents = {**whole, BEN: ScriptedAgent({1: KeyboardInterrupt()})}
    with pytest.raises(KeyboardInterrupt):
        game.tick(0)
    game.agents = whole


def test_a_round_that_was_interrupted_is_finished_by_the_next_tick() -> None:
    with playing({ADA: BETS, BEN: BETS}) as game:
        interrupt(game)
        report = game.tick(0.1)
        assert (report.rounds, report.turns, report.fills) == ((), 2, 2)


def test_a_moment_at_which_no_venue_was_polled_and_cohorts_were_valued_was_played_too() -> None:
    with playing({ADA: BETS, BEN: BETS}) as game:
        interrupt(game)
        report = game.tick(0.1)
        assert (report.polled, report.marked) == ((), 1)
        with pytest.raises(ArenaError, match="cannot go back"):
            game.tick(0.05)


async def reports(found: AsyncIterator[TickReport]) -> list[TickReport]:
    return [report async for report in found]


def test_a_play_moves_its_clock_and_ticks() -> None:
    with playing({ADA: BETS}, spec(COHORT, days=2)) as game:
        moments = [at(0), at(24), at(48)]
        told = asyncio.run(reports(play(game.doors, game.venue.clock, moments)))
        assert [r.at for r in told] == moments
        assert [r.fills for r in told] == [1, 1, 0]
        assert game.venue.clock.at == at(48)
