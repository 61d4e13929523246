"""How things stand, from the books and the calendar."""

from dataclasses import replace

from arena.records.cohort import Cadence
from arena.records.health import Status
from arena.records.market import Side
from arena.steps.status import status
from tests.build import ADA, BEN, RAIN, at, market, spec
from tests.stage import Game, buys, playing

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


def test_who_was_added_to_a_file_joins_its_next_cohort() -> None:
    daily = spec(cadence=Cadence.DAILY)
    with playing({ADA: {}, BEN: {}}, daily) as game:
        game.tick(0)
        later = replace(daily, contestants=(ADA, BEN))
        due = status(game.store, (later,), game.schedule, at(1)).due
        assert "contestant ben joins daily when its next cohort starts" in due


def test_before_the_last_round_nothing_is_missed_and_the_next_is_named() -> None:
    with playing({ADA: {}}, spec(days=3)) as game:
        game.tick(0)
        game.tick(24)
        (cohort,) = looked_at(game, 1).cohorts
        assert (cohort.rounds_missed, cohort.next_round) == (0, at(48))


def test_a_cohort_whose_seal_is_broken_is_stuck() -> None:
    with playing({ADA: {}}) as game:
        game.seal(game.specs[0])  # by what grades in this game, which is not the arena's own
        game.tick(0)
        (stuck,) = looked_at(game, 1).stuck
        assert stuck.startswith("cohort c will not be graded: the seal is broken (sealed as ")
