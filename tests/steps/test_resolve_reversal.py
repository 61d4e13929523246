from dataclasses import replace
from decimal import Decimal

import pytest

from arena.cli.say import report_line
from arena.records.market import NO_WINS, VOIDED, YES_WINS, Side, State
from arena.records.money import shares, usd
from arena.records.settings import Schedule
from arena.records.trade import PositionState
from tests.build import ADA, COHORT, DAY, HAIL, PEERS, RAIN, SNOW, at_price, market, spec
from tests.stage import Game, Script, buys, playing, sells, started

YES = Side.YES
EVERYTHING = replace(PEERS, max_bet_fraction=Decimal(1))

BETS: Script = {1: buys((RAIN, YES, 500), rain=0.7)}
ON_ALL_CASH = spec(COHORT, rules=EVERYTHING, days=3)


def spent() -> Script:
    """Win $10,000 on rain, and put it all on snow."""
    return {1: buys((RAIN, YES, 10000)), 2: buys((SNOW, YES, 20000))}


def reversed_after_spending(game: Game) -> None:
    game.tick(0)
    game.hear(RAIN, YES_WINS, 1)
    game.tick(24)
    game.hear(RAIN, NO_WINS, 25)


def test_a_payout_that_was_spent_is_owed_when_it_is_taken_back() -> None:
    with playing({ADA: spent()}, ON_ALL_CASH) as game:
        reversed_after_spending(game)
        seat = game.seat(ADA)
        assert (seat.cash_micro, seat.owed_micro) == (0, 20_000 * 10**6)


def test_what_is_owed_lowers_the_total() -> None:
    with playing({ADA: spent()}, ON_ALL_CASH) as game:
        reversed_after_spending(game)
        assert game.standing(ADA).pnl == usd(-10000)


def test_the_next_payout_repays_what_is_owed() -> None:
    with playing({ADA: spent()}, ON_ALL_CASH) as game:
        reversed_after_spending(game)
        game.hear(SNOW, YES_WINS, 26)
        seat = game.seat(ADA)
        assert (seat.cash_micro, seat.owed_micro) == (20_000 * 10**6, 0)


def test_the_next_sale_repays_what_is_owed() -> None:
    script = {**spent(), 3: sells((SNOW, YES, 25))}
    with playing({ADA: script}, ON_ALL_CASH) as game:
        reversed_after_spending(game)
        game.tick(48)
        seat = game.seat(ADA)
        assert (seat.cash_micro, seat.owed_micro) == (0, 15_000 * 10**6)


def test_the_last_word_decides_what_became_of_a_position_and_its_score() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        for hours, word in ((1, YES_WINS), (2, NO_WINS), (3, YES_WINS), (4, NO_WINS)):
            game.hear(RAIN, word, hours)
        line = game.standing(ADA)
        assert (game.states(ADA), line.cash) == ([PositionState.LOST], usd(9500))
        assert (line.forecast.n, line.linear.n, line.win_rate.value) == (1, 1, 0)
        assert line.forecast.value == pytest.approx(0.49)


def test_a_word_taken_back_and_said_again_restores_everything() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        game.hear(RAIN, YES_WINS, 1)
        before = game.seat(ADA)
        game.hear(RAIN, State.DISPUTED, 2)
        game.hear(RAIN, YES_WINS, 3)
        assert game.seat(ADA) == before


def test_a_word_that_is_taken_back_opens_the_position_again() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        before = game.held(ADA)
        game.hear(RAIN, YES_WINS, 1)
        game.hear(RAIN, State.DISPUTED, 2)
        assert (game.held(ADA), game.standing(ADA).linear.n) == (before, 0)


def test_a_venue_that_cannot_be_read_takes_nothing_back() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        game.hear(RAIN, YES_WINS, 1)
        assert game.hear(RAIN, State.UNKNOWN, 2).resolved == ()


def test_a_change_from_void_to_an_outcome_is_heard() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        for hours, word in ((1, VOIDED), (2, YES_WINS)):
            game.hear(RAIN, word, hours)
        line = game.standing(ADA)
        assert (line.cash, line.excluded) == (usd(10500), 0)


def test_a_change_after_the_time_to_recheck_is_not_asked_about() -> None:
    soon = Schedule(recheck_for=DAY)
    with started({ADA: BETS}, spec(COHORT, days=9), schedule=soon) as game:
        game.hear(RAIN, YES_WINS, 1)
        assert game.hear(RAIN, NO_WINS, 26).resolved == ()


def test_what_is_taken_back_is_told_as_reopened_and_not_as_resolved() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        assert game.hear(RAIN, YES_WINS, 1).resolved == (RAIN,)
        report = game.hear(RAIN, State.OPEN, 2)
        assert (report.resolved, report.reopened) == ((), (RAIN,))
        assert "1 market reopened" in report_line(report)


def test_what_is_taken_back_as_a_round_is_laid_out_is_offered_from_the_next_one_on() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        game.hear(RAIN, YES_WINS, 12)
        game.say(RAIN, State.OPEN)
        game.venue.listed.append(market(RAIN))
        game.tick(24)
        game.tick(48)
        offered = [[o.market.id for o in shown.offers] for shown in game.agents[ADA].shown]
        assert [RAIN in names for names in offered] == [True, False, True]


def test_what_is_bought_after_a_word_was_taken_back_joins_the_old_position() -> None:
    script = {**BETS, 3: buys((RAIN, YES, 100))}
    with started({ADA: script}, spec(COHORT, days=3)) as game:
        game.hear(RAIN, YES_WINS, 12)
        game.say(RAIN, State.OPEN)
        game.venue.listed.append(market(RAIN))
        game.tick(24)
        game.tick(48)
        (position,) = game.held(ADA)
        assert (position.number, position.shares, position.cost) == (1, shares(1200), usd(600))


def test_two_sales_of_one_decision_repay_a_debt_once() -> None:
    script = {
        1: buys((RAIN, YES, 10000)),
        2: buys((SNOW, YES, 10000), (HAIL, YES, 10000)),
        3: sells((SNOW, YES, 100), (HAIL, YES, 100)),
    }
    with playing({ADA: script}, ON_ALL_CASH) as game:
        reversed_after_spending(game)
        game.quote(at_price("0.9", SNOW), at_price("0.9", HAIL))
        game.tick(48)
        seat = game.seat(ADA)
        assert (seat.cash_micro, seat.owed_micro) == (16_000 * 10**6, 0)
