from dataclasses import replace
from datetime import timedelta
from sqlite3 import IntegrityError

import pytest

from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, Side, State, Status
from arena.records.money import price, usd
from arena.records.trade import PositionState
from tests.build import ADA, BEN, COHORT, RAIN, SNOW, T0, at_price, spec
from tests.stage import Script, buys, playing, sells, started

YES, NO = Side.YES, Side.NO
HALF_PAID = Outcome(price("0.5"))

BETS: Script = {1: buys((RAIN, YES, 500), rain=0.7)}


def test_b7_a_bet_is_scored_when_its_market_resolves() -> None:
    with started({ADA: {1: buys((RAIN, YES, 1250))}}) as game:
        (stored,) = game.store.db.rows("SELECT linear FROM fills")
        game.hear(RAIN, YES_WINS, 1)
        line = game.standing(ADA)
        assert (stored["linear"], line.linear.value, line.linear.n) == (0.5, 0.25, 1)
        assert line.win_rate.value == 1


def test_b21_a_fill_that_was_sold_before_is_scored_all_the_same() -> None:
    script = {1: buys((RAIN, YES, 1250)), 2: sells((RAIN, YES, 100))}
    with started({ADA: script}, spec(COHORT, days=3)) as game:
        game.tick(24)
        assert game.hear(RAIN, YES_WINS, 25).settled == 0
        assert game.standing(ADA).linear.value == pytest.approx(0.25)


def test_f1_a_win_is_paid_into_cash_in_the_tick_that_hears_of_it() -> None:
    with started({ADA: BETS}) as game:
        report = game.hear(RAIN, YES_WINS, 1)
        assert (report.resolved, report.settled) == ((RAIN,), 1)
        assert game.standing(ADA).cash == usd(10500)


def test_f4_ours_has_no_resolution_without_an_outcome() -> None:
    with pytest.raises(ValueError, match="an outcome belongs to RESOLVED"):
        Status(RAIN, State.RESOLVED, T0)


@pytest.mark.parametrize("state", [s for s in State if s is not State.RESOLVED])
def test_f3_ours_settles_on_nothing_but_a_resolution(state: State) -> None:
    with started({ADA: BETS}) as game:
        report = game.hear(RAIN, state, 48)
        assert (report.settled, report.completed) == (0, ())
        assert game.states(ADA) == [PositionState.OPEN]


def test_a_proposal_and_a_dispute_are_waited_for() -> None:
    with started({ADA: BETS}) as game:
        for hours, word in ((1, State.PROPOSED), (2, State.DISPUTED), (3, State.PROPOSED)):
            assert game.hear(RAIN, word, hours).settled == 0
        assert game.hear(RAIN, YES_WINS, 4).settled == 1


def test_a_market_that_resolves_before_its_close_is_settled_then() -> None:
    with playing({ADA: BETS}) as game:
        game.venue.listed = [
            replace(m, closes_at=T0 + timedelta(days=300)) for m in game.venue.listed
        ]
        game.tick(0)
        game.hear(RAIN, NO_WINS, 1)
        assert game.standing(ADA).realised == usd(-500)


def test_settling_twice_is_settling_once() -> None:
    with started({ADA: BETS}) as game:
        game.hear(RAIN, YES_WINS, 1)
        head = game.store.journal.head()
        report = game.hear(RAIN, YES_WINS, 1)
        assert (report.settled, game.store.journal.head()) == (0, head)


def test_the_same_word_at_a_later_poll_settles_nothing_more() -> None:
    with started({ADA: BETS}, spec(COHORT, days=3)) as game:
        game.hear(RAIN, YES_WINS, 1)
        report = game.hear(RAIN, YES_WINS, 3)
        assert (report.polled, report.resolved, report.settled) == (("here",), (), 0)


def test_c18_a_void_after_a_partial_sale_returns_the_cost_of_the_rest() -> None:
    script = {1: buys((RAIN, YES, 600)), 2: sells((RAIN, YES, 40))}
    quotes = [at_price("0.6")]
    with started({ADA: script}, spec(COHORT, days=2), quotes=quotes) as game:
        game.quote(at_price("0.75"))
        game.tick(24)
        game.hear(RAIN, VOIDED, 25)
        line = game.standing(ADA)
        assert (line.cash, line.realised) == (usd(10060), usd(60))


def test_a_void_scores_nothing_and_is_counted() -> None:
    with started({ADA: BETS}) as game:
        game.hear(RAIN, VOIDED, 1)
        line = game.standing(ADA)
        assert line.linear.value is None
        assert line.forecast.value is None
        assert line.win_rate.value is None
        assert line.excluded == 2  # the fill and the forecast


def test_a_fraction_pays_and_is_counted_but_not_scored() -> None:
    with started({ADA: BETS}, quotes=[at_price("0.4")]) as game:
        game.hear(RAIN, HALF_PAID, 1)
        line = game.standing(ADA)
        assert (line.cash, line.linear.n, line.excluded) == (usd(10125), 0, 2)
        assert game.states(ADA) == [PositionState.PAID]


@pytest.mark.parametrize("outcome", [YES_WINS, NO_WINS, HALF_PAID, Outcome(price("0.3"))])
def test_one_yes_and_one_no_are_paid_a_dollar_together(outcome: Outcome) -> None:
    script = {1: buys((RAIN, YES, 400), (RAIN, NO, 600))}  # 1,000 shares of each
    with started({ADA: script}, quotes=[at_price("0.4")]) as game:
        game.hear(RAIN, outcome, 1)
        assert game.standing(ADA).cash == usd(10000)


def test_everybody_who_holds_is_paid() -> None:
    with started({ADA: BETS, BEN: {1: buys((RAIN, NO, 100))}}) as game:
        assert game.hear(RAIN, NO_WINS, 1).settled == 2
        assert (game.standing(ADA).cash, game.standing(BEN).cash) == (usd(9500), usd(10100))


def test_a_forecast_is_scored_though_nothing_was_bet_on_it() -> None:
    with started({ADA: {1: buys((SNOW, YES, 100), rain=0.7)}}) as game:
        game.hear(RAIN, YES_WINS, 1)
        assert game.standing(ADA).forecast.value == pytest.approx(0.09)


BENS_PAYOUT_FAILS = """
CREATE TRIGGER fails BEFORE INSERT ON journal_lines
WHEN new.head LIKE '["settle:c:ben:%' BEGIN SELECT RAISE(ABORT, 'no'); END
"""


def test_f2_ours_settles_and_scores_a_market_whole_or_not_at_all() -> None:
    with started({ADA: BETS, BEN: BETS}) as game:
        game.say(RAIN, YES_WINS)
        game.store.db.run(BENS_PAYOUT_FAILS)
        with pytest.raises(IntegrityError):
            game.tick(1)
        seats = [game.seat(who) for who in (ADA, BEN)]
        assert [(s.fills_resolved, s.realised_micro) for s in seats] == [(0, 0)] * 2


def test_f2_f4_what_was_not_settled_is_settled_by_the_next_tick() -> None:
    with started({ADA: BETS, BEN: BETS}) as game:
        game.say(RAIN, YES_WINS)
        game.store.db.run(BENS_PAYOUT_FAILS)
        with pytest.raises(IntegrityError):
            game.tick(1)
        game.store.db.run("DROP TRIGGER fails")
        assert game.tick(1.1).settled == 2
        assert game.standing(BEN).total == usd(10500)
