"""A live venue's word on which money moves is believed when it was read twice."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from arena.errors import ArenaError
from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, Side, State
from arena.records.money import price
from arena.records.settings import Schedule
from arena.records.trade import PositionState, Resolved
from tests.build import ADA, COHORT, DAY, HERE, HOUR, RAIN, at, market, spec
from tests.stage import Game, buys, started

OFTEN = Schedule(poll_every=timedelta(minutes=15))
BETS = {ADA: {1: buys((RAIN, Side.YES, 500), rain=0.7)}}


def say(game: Game, word: Outcome | State) -> None:
    """Let the venue say something that it may take back at the next read."""
    game.say(RAIN, word)
    game.venue.said[RAIN] = replace(game.venue.said[RAIN], unconfirmed=True)


def hear(game: Game, hours: float, word: Outcome | State) -> None:
    """Let the venue say something, and read it so many hours after the start."""
    game.venue.clock.at = at(hours)
    say(game, word)
    game.tick(hours)


def rulings(game: Game) -> list[Outcome | None]:
    return [e.event.outcome for e in game.entries if isinstance(e.event, Resolved)]


Words = list[Outcome | State]

HALF, QUARTER = Outcome(price(Decimal("0.5"))), Outcome(price(Decimal("0.25")))
DOUBTS: Words = [NO_WINS, State.OPEN, State.DISPUTED, State.UNKNOWN]
FLICKERS: Words = [NO_WINS, VOIDED, State.OPEN, State.CLOSED_PENDING]
SURE: Words = [YES_WINS, YES_WINS]
WON: list[Outcome | None] = [YES_WINS]
READS: list[tuple[str, Words, list[Outcome | None]]] = [
    ("read once", [YES_WINS], []),
    ("read again an hour later", SURE, WON),
    *((f"{x} between", [YES_WINS, x, YES_WINS], []) for x in DOUBTS),
    *((f"{x} between, then twice", [YES_WINS, x, *SURE], WON) for x in DOUBTS),
    *((f"flickers to {x}", [*SURE, x, *SURE], WON) for x in FLICKERS),
    ("changed its mind", [*SURE, NO_WINS, NO_WINS], [YES_WINS, NO_WINS]),
    ("taken back", [*SURE, State.DISPUTED, State.DISPUTED], [YES_WINS, None]),
    ("disputed however often", [State.DISPUTED] * 38, []),
    ("another fraction each time", [HALF, QUARTER], []),
]
STANDS = {None: PositionState.OPEN, YES_WINS: PositionState.WON, NO_WINS: PositionState.LOST}


@pytest.mark.parametrize(("words", "ruled"), [x[1:] for x in READS], ids=[x[0] for x in READS])
def test_a_word_counts_once_it_was_read_twice_an_hour_apart(
    words: Words, ruled: list[Outcome | None]
) -> None:
    with started(BETS) as game:
        for hours, word in enumerate(words, 2):
            hear(game, hours, word)
        assert rulings(game) == ruled
        assert game.states(ADA) == [STANDS[ruled[-1] if ruled else None]]


def test_a_second_read_too_soon_is_not_enough() -> None:
    with started(BETS, schedule=OFTEN) as game:
        for hours in (2, 2.25, 2.5, 2.75):
            hear(game, hours, YES_WINS)
            assert rulings(game) == []
        hear(game, 3, YES_WINS)
        assert rulings(game) == [YES_WINS]


def test_an_answer_that_a_cache_repeats_confirms_nothing() -> None:
    with started(BETS) as game:
        hear(game, 2, YES_WINS)
        game.venue.lag = HOUR
        hear(game, 3, YES_WINS)
        assert rulings(game) == []
        game.venue.lag = timedelta()
        hear(game, 4, YES_WINS)
        assert rulings(game) == [YES_WINS]


def test_a_second_read_counts_however_many_polls_failed_in_between() -> None:
    with started(BETS) as game:
        hear(game, 2, YES_WINS)
        game.venue.trouble = ArenaError("venue.silent", "here does not answer")
        for hours in (3, 4, 30):
            game.tick(hours)
        game.venue.trouble = None
        hear(game, 50, YES_WINS)
        assert rulings(game) == [YES_WINS]


def test_a_change_that_was_read_in_time_is_followed_until_it_is_confirmed() -> None:
    soon = Schedule(recheck_for=DAY)
    with started(BETS, spec(COHORT, days=9), schedule=soon) as game:
        for hours in (2.0, 3.0):  # settled at 3: asked about again until 27
            hear(game, hours, YES_WINS)
        for hours in (26.5, 27.5):
            hear(game, hours, NO_WINS)
        assert rulings(game) == [YES_WINS, NO_WINS]


def test_a_change_that_was_taken_back_is_followed_no_longer() -> None:
    soon = Schedule(recheck_for=DAY)
    with started(BETS, spec(COHORT, days=9), schedule=soon) as game:
        for hours in (2.0, 3.0):
            hear(game, hours, YES_WINS)
        hear(game, 26.5, NO_WINS)
        for hours in (27.5, 28.5):
            hear(game, hours, YES_WINS)
        watched = game.store.books.watched(HERE, at(28.5), DAY)
        assert (rulings(game), RAIN in watched) == ([YES_WINS], False)


def test_a_venue_that_forgets_a_market_and_changes_its_mind_twice_is_followed() -> None:
    words: list[Outcome | State] = [YES_WINS, YES_WINS, *[State.UNKNOWN] * 3]
    words += [YES_WINS, YES_WINS, NO_WINS, NO_WINS, YES_WINS, YES_WINS]
    with started(BETS) as game:
        before = game.seat(ADA).cash_micro
        for hours, word in enumerate(words, 2):
            hear(game, hours, word)
        assert rulings(game) == [YES_WINS, NO_WINS, YES_WINS]
        assert game.states(ADA) == [PositionState.WON]
        assert game.seat(ADA).cash_micro == before + 1_000 * 10**6


def test_a_market_whose_outcome_was_read_once_is_offered_no_more() -> None:
    with started(BETS, spec(days=2)) as game:
        say(game, YES_WINS)
        game.venue.listed.append(market(RAIN))
        game.tick(24)
        assert len(game.agents[ADA].shown) == 2
        assert RAIN not in {o.market.id for o in game.agents[ADA].shown[-1].offers}


def test_an_outcome_that_was_read_once_counts_while_its_venue_says_nothing_of_it() -> None:
    with started(BETS, spec(days=2)) as game:
        hear(game, 23.5, YES_WINS)
        del game.venue.said[RAIN]
        game.venue.listed.append(market(RAIN))
        game.tick(24)
        assert RAIN not in {o.market.id for o in game.agents[ADA].shown[-1].offers}
