"""What the pages ask about seats: bounded, by index, and what the books say."""

import re
from decimal import Decimal

import pytest

from arena.records.cohort import CohortId
from arena.records.market import Side
from arena.records.trade import PositionState
from arena.store.pages.seat_pages import SqliteSeating
from arena.store.pages.showcase import Showcase
from tests.build import ADA, BEN, COHORT, RAIN, SNOW
from tests.plans import listening, plans
from tests.stage import Game, buys, started

# What the caller named, an entry's own forecasts, and so many of the newest turns.
BOUNDED = {"named", "listed", "json_each"}


@pytest.fixture(scope="module")
def seating(game: Game) -> SqliteSeating:
    return SqliteSeating(game.store.db)


def test_no_question_about_seats_reads_a_table_whole(
    game: Game, seating: SqliteSeating
) -> None:
    with listening(game.store) as said:
        for ask in (
            seating.marks, seating.positions, seating.dealt, seating.turns, seating.said,
        ):  # fmt: skip
            ask(COHORT)
        seating.newest_turns(ADA, 5)
        seating.fortunes(ADA, [COHORT], 5)
        seating.progress([COHORT])
    scans = [re.match(r"SCAN (\w+)", plan) for plan, _ in plans(game.store, said)]
    assert len(said) == 9
    assert {found[1] for found in scans if found} <= BOUNDED


def test_marks_are_thinned_to_as_many_as_there_is_room_for(seating: SqliteSeating) -> None:
    every = seating.marks(COHORT)[ADA]
    few = seating.marks(COHORT, 3)[ADA]
    assert len(every) > 3
    assert len(few) <= 3
    assert set(few) <= set(every)
    assert (few[0], few[-1]) == (every[0], every[-1])


def test_a_mark_is_the_cash_and_what_positions_were_worth(
    game: Game, seating: SqliteSeating
) -> None:
    last, seat = seating.marks(COHORT)[ADA][-1], game.seat(ADA)
    assert last.bid == Decimal(seat.cash_micro - seat.owed_micro + seat.bid_micro).scaleb(-6)


def test_positions_have_what_became_of_them(game: Game, seating: SqliteSeating) -> None:
    held = seating.positions(COHORT)
    assert [one.state for one in held[ADA]] == game.states(ADA)
    assert {one.state for one in held[ADA]} == {PositionState.LOST, PositionState.CANCELLED}
    realised = sum(one.realised for one in held[ADA])
    assert realised == Decimal(game.seat(ADA).realised_micro).scaleb(-6)


def test_deals_of_a_cohort_are_its_own_alone(seating: SqliteSeating) -> None:
    deals = seating.dealt(COHORT)
    assert [(one.market, one.side) for one in deals[ADA]] == [
        (RAIN, Side.YES), (SNOW, Side.NO), (RAIN, Side.YES),
    ]  # fmt: skip
    assert [bool(one.gain) for one in deals[ADA]] == [False, False, True]
    assert seating.dealt(CohortId("nowhere")) == {}


def test_turns_say_what_was_done_or_why_not(seating: SqliteSeating) -> None:
    turns = seating.turns(COHORT)[BEN]
    assert [(one.round, one.action, bool(one.failure)) for one in turns] == [
        (1, "", True), (2, "BET", False), (3, "BET", False),
    ]  # fmt: skip
    assert [one.refused for one in turns] == [0, 1, 0]


def test_the_newest_turns_stand_first(seating: SqliteSeating) -> None:
    turns = seating.newest_turns(BEN, 3)
    assert len(turns) == 3
    assert [one.at for one in turns] == sorted((one.at for one in turns), reverse=True)


def test_forecasts_of_a_market_are_added_up_and_scored(seating: SqliteSeating) -> None:
    """Ada said 0.7 for rain, which is NO in the end, and 0.2 for snow, which is void."""
    said = {one.market: one for one in seating.said(COHORT)[ADA]}
    assert (said[RAIN].n, said[RAIN].last) == (1, 0.7)
    assert said[RAIN].brier == pytest.approx(0.49)
    assert said[SNOW].brier is None


def test_best_bets_made_something_and_worst_ones_lost(seating: SqliteSeating) -> None:
    best, worst = seating.fortunes(ADA, [COHORT], 5)
    assert best == []
    assert [one.market for one in worst] == [RAIN]
    assert seating.fortunes(ADA, [], 5) == ([], [])


def test_progress_counts_what_has_come_out(game: Game, seating: SqliteSeating) -> None:
    found = seating.progress([COHORT])[COHORT]
    seats = [game.seat(ADA), game.seat(BEN)]
    assert found.said == sum(one.forecasts for one in seats)
    assert found.scored == found.said  # void ones have come out, too
    assert (found.bought, found.settled, found.open) == (3, 3, 0)


def test_a_contestant_s_open_positions_are_those_of_its_books() -> None:
    with started({ADA: {1: buys((RAIN, Side.YES, 500))}}) as running:
        (found,) = Showcase(running.store.db).open_positions(ADA, 10)
        assert [found.position] == list(running.held(ADA))
