from datetime import timedelta

import pytest

from arena.records.market import YES_WINS, MarketId, Side, State
from arena.records.money import usd
from arena.records.settings import Schedule
from arena.records.trade import PositionState
from tests.build import ADA, COHORT, DAY, HAIL, RAIN, at_price, spec
from tests.stage import Script, buys, started

YES = Side.YES

BETS: Script = {1: buys((RAIN, YES, 500), rain=0.7)}


def test_a_market_that_closes_without_an_outcome_stays_open() -> None:
    with started({ADA: BETS}) as game:
        game.say(RAIN, State.CLOSED_PENDING)
        del game.venue.quoted[RAIN]
        game.tick(24 * 30)
        assert game.states(ADA) == [PositionState.OPEN]


@pytest.mark.parametrize(
    ("hours", "unpriced"),
    [pytest.param(72, 0, id="young-enough"), pytest.param(73, 1, id="past-its-age")],
)
def test_its_last_quote_prices_it_until_it_is_too_old(hours: float, unpriced: int) -> None:
    with started({ADA: BETS}) as game:
        game.say(RAIN, State.CLOSED_PENDING)
        del game.venue.quoted[RAIN]
        game.tick(hours)
        assert game.standing(ADA).unpriced == unpriced


def test_while_it_is_unpriced_the_total_is_not_known_but_bounded() -> None:
    with started({ADA: BETS}) as game:
        del game.venue.quoted[RAIN]
        game.tick(73)
        line = game.standing(ADA)
        assert (line.total, line.pnl) == (None, None)
        assert (line.pnl_low, line.pnl_high) == (usd(-500), usd(500))


def test_while_it_is_unpriced_its_last_price_gives_a_return_and_an_age() -> None:
    with started({ADA: BETS}) as game:
        game.quote(at_price("0.7"))
        game.tick(1)
        del game.venue.quoted[RAIN]
        game.tick(74)
        line = game.standing(ADA)
        assert (line.returned, line.returned_last) == (None, 0.02)
        assert line.price_age == timedelta(hours=73)
        (pooled,) = game.store.boards.overall().standings
        assert (pooled.returned_last, pooled.price_age) == (0.02, line.price_age)


@pytest.mark.parametrize("gone", [HAIL, RAIN])
def test_the_priced_count_at_their_marks_and_the_others_at_their_last_prices(
    gone: MarketId,
) -> None:
    both = buys((RAIN, YES, 500), (HAIL, YES, 500))
    with started({ADA: {1: both}}) as game:
        del game.venue.quoted[gone]
        game.quote(at_price("0.6", HAIL if gone is RAIN else RAIN))
        game.tick(73)
        line = game.standing(ADA)
        assert (line.unpriced, line.returned_last) == (1, 0.01)


def test_g19_a_mark_follows_the_price() -> None:
    script = {1: buys((RAIN, YES, 1000))}  # 2,000 shares
    with started({ADA: script}) as game:
        totals = []
        for hours, of_yes in ((1, "0.8"), (2, "0.2")):
            game.quote(at_price(of_yes))
            game.tick(hours)
            totals.append(game.standing(ADA).total)
        assert totals == [usd(10600), usd(9400)]


def test_g19_marking_again_at_the_same_moment_changes_nothing() -> None:
    with started({ADA: BETS}) as game:
        head = game.store.journal.head()
        game.quote(at_price("0.2"))
        assert (game.tick(0).marked, game.store.journal.head()) == (0, head)


def test_a_trade_between_two_marks_leaves_no_loss_that_nobody_made() -> None:
    script = {1: buys((RAIN, YES, 500)), 2: buys((HAIL, YES, 500))}
    seldom = Schedule(mark_every=9 * DAY)
    with started({ADA: script}, spec(COHORT, days=2), schedule=seldom) as game:
        game.tick(24)
        assert game.standing(ADA).total == usd(10000)


def test_a_payout_between_two_marks_is_not_counted_twice() -> None:
    seldom = Schedule(mark_every=9 * DAY)
    with started({ADA: BETS}, spec(COHORT, days=2), schedule=seldom) as game:
        game.hear(RAIN, YES_WINS, 2)
        assert game.standing(ADA).total == usd(10500)
