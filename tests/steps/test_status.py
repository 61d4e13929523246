"""How things stand, from the books and the calendar."""

from dataclasses import replace
from datetime import timedelta

import pytest

from arena.records.answer import Answer, Completion, Trouble
from arena.records.cohort import Cadence, Universe
from arena.records.market import YES_WINS, MarketId, Side, State
from arena.records.report import Status
from arena.records.settings import ModelSettings
from arena.steps.status import status
from tests.build import (
    ADA,
    BEN,
    COHORT,
    HOUR,
    MARKETS,
    PEERS,
    RAIN,
    T0,
    at,
    at_price,
    market,
    spec,
)
from tests.stage import Game, buys, playing, started

BETS = {1: buys((RAIN, Side.YES, 500))}


def looked_at(game: Game, hours: float) -> Status:
    return status(game.store, game.specs, game.schedule, at(hours))


def test_a_held_market_long_past_its_close_is_stuck() -> None:
    with playing({ADA: BETS}) as game:
        game.venue.listed = [replace(market(RAIN), closes_at=at(24))]
        game.tick(0)
        game.tick(24 * 9)
        (stuck,) = looked_at(game, 24 * 9).stuck
        assert stuck.startswith("market rain was to close on ")
        assert stuck.endswith("is OPEN and has no outcome")


def test_a_market_is_given_time_after_its_close() -> None:
    with playing({ADA: BETS}) as game:
        game.venue.listed = [replace(market(RAIN), closes_at=at(24))]
        game.tick(0)
        game.tick(48)
        assert looked_at(game, 48).stuck == ()


def test_a_market_that_is_closed_for_long_without_an_outcome_is_stuck() -> None:
    with started({ADA: {}}) as game:
        game.hear(RAIN, State.CLOSED_PENDING, 5)
        game.hear(RAIN, State.DISPUTED, 24 * 2)
        game.tick(24 * 4)
        assert looked_at(game, 24 * 4).stuck == (
            "market rain is closed since 2026-01-05 05:00 UTC, is DISPUTED, has no outcome",
        )


def test_a_market_that_opened_again_is_not_stuck() -> None:
    with started({ADA: {}}) as game:
        game.hear(RAIN, State.CLOSED_PENDING, 5)
        game.hear(RAIN, State.OPEN, 24 * 4)
        assert looked_at(game, 24 * 4).stuck == ()


def test_a_market_that_its_venue_has_lost_is_stuck() -> None:
    with started({ADA: {}}) as game:
        game.hear(RAIN, State.UNKNOWN, 5)
        game.tick(24 * 4)
        assert looked_at(game, 24 * 4).stuck == (
            "market rain is not known to its venue since 2026-01-05 05:00 UTC",
        )


def test_many_late_markets_are_counted_and_not_all_named() -> None:
    with playing({ADA: {}}, replace(spec(), universe=Universe(top=30))) as game:
        names = [MarketId(f"m{n}") for n in range(25)]
        game.venue.listed = [market(name) for name in names]
        game.quote(*(at_price("0.5", name) for name in names))
        game.tick(0)
        for name in names:
            game.say(name, State.CLOSED_PENDING)
        game.tick(5)
        game.tick(24 * 4)
        stuck = looked_at(game, 24 * 4).stuck
        assert len(stuck) == 21
        assert stuck[-1] == "5 more markets have closed without an outcome"


def test_who_was_added_to_a_file_joins_its_next_cohort() -> None:
    daily = spec(cadence=Cadence.DAILY)
    with started({ADA: {}, BEN: {}}, daily) as game:
        later = replace(daily, contestants=(ADA, BEN))
        due = status(game.store, (later,), game.schedule, at(1)).due
        assert "contestant ben joins daily when its next cohort starts" in due


def test_before_the_last_round_nothing_is_missed_and_the_next_is_named() -> None:
    with started({ADA: {}}, spec(days=3)) as game:
        game.tick(24)
        (cohort,) = looked_at(game, 1).cohorts
        assert (cohort.rounds_missed, cohort.next_round) == (0, at(48))


def test_a_cohort_that_ended_without_an_answer_is_told_of_for_a_week() -> None:
    with playing({ADA: {1: ValueError("no")}}) as game:
        told = {}
        for day in (0, 1, 7, 8):
            game.tick(24 * day)
            lines = looked_at(game, 24 * day).stuck
            told[day] = any(line.endswith("no decision of it ever succeeded") for line in lines)
        assert told == {0: False, 1: True, 7: True, 8: False}


def test_an_arena_that_has_nothing_left_to_do_is_not_stuck() -> None:
    with started({ADA: BETS}, spec(COHORT, (ADA,), days=1)) as game:
        for name in MARKETS:
            game.say(name, YES_WINS)
        for day in range(1, 40):
            game.tick(24 * day)
        assert game.store.books.running() == []
        assert looked_at(game, 24 * 400).stuck == ()


def test_a_cohort_whose_seal_is_broken_is_stuck() -> None:
    with playing({ADA: {}}) as game:
        game.seal(game.specs[0])  # by what grades in this game, which is not the arena's own
        game.tick(0)
        (stuck,) = looked_at(game, 1).stuck
        assert stuck.startswith("cohort c will not be graded: the seal is broken (sealed as ")


LATER = Answer(Completion(None, trouble=Trouble.PENDING))
PATIENT = spec(COHORT, (ADA, BEN), replace(PEERS, answer_within=12 * HOUR))


def test_a_round_that_may_rightly_wait_is_waiting_and_not_stuck() -> None:
    with started({ADA: {1: LATER}, BEN: {}}, PATIENT) as game:
        found = looked_at(game, 11.99)
        assert found.stuck == ()
        assert found.waiting == ("round 1 of c waits for 1 answer until 2026-01-05 12:00 UTC",)


def test_a_round_that_has_waited_long_enough_is_stuck() -> None:
    with started({ADA: {1: LATER}, BEN: {}}, PATIENT) as game:
        found = looked_at(game, 12)
        assert found.waiting == ()
        (stuck,) = found.stuck
        assert stuck.startswith("round 1 of c is half played: 1 answers so far; ")


def test_a_round_in_which_everybody_has_answered_waits_for_nobody() -> None:
    with started({ADA: {}, BEN: {}}, PATIENT) as game:
        found = looked_at(game, 1)
        assert (found.waiting, found.stuck) == ((), ())


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (None, ()),
        (61, ()),
        (60, ("model m is retired on 2026-03-06: it will not be asked after that",)),
        (1, ("model m is retired on 2026-01-06: it will not be asked after that",)),
        (0, ("model m was retired on 2026-01-05: it is not asked any more",)),
        (-9, ("model m was retired on 2025-12-27: it is not asked any more",)),
    ],
)
def test_a_model_that_its_provider_ends_soon_is_named(
    days: int | None, told: tuple[str, ...]
) -> None:
    ends = None if days is None else T0.date() + timedelta(days=days)
    model = ModelSettings("m", "openai_chat", "http://here", "m-1", retires_on=ends)
    with playing({ADA: {}}) as game:
        found = status(game.store, game.specs, game.schedule, at(), [model])
        assert found.retiring == told
