import numpy as np
import pytest

from arena.odds.staking import Brakes, Flat, FractionalKelly, StakeLimits
from arena.scoring.bets.book import PassReason
from arena.scoring.bets.shadow import OwnBets, Policy, replay, replay_own
from tests.scoring.markets import HOUR, NEVER, START, lines

FLAT = Policy(Flat(0.01), limits=None)
HALF = Policy(Flat(0.6), limits=None)


def test_a_bet_worked_by_hand() -> None:
    book = replay(lines(fee_yes=0.01), [0.5])
    fraction = 0.25 * (0.5 - 0.42) / 0.58
    assert book.stake[0] == pytest.approx(fraction * 10_000 * 0.41 / 0.42)
    assert book.shares[0] == pytest.approx(book.stake[0] / 0.41)
    assert book.fee[0] == pytest.approx(book.shares[0] * 0.01)
    assert book.stake[0] + book.fee[0] == pytest.approx(fraction * 10_000)
    assert book.profit == pytest.approx(book.shares[0] * (1 - 0.42))


def test_a_low_forecast_buys_no() -> None:
    book = replay(lines(payout=0.0), [0.3], FLAT)
    assert (book.yes.tolist(), book.price.tolist()) == ([False], [0.61])
    assert book.profit == pytest.approx(100 / 0.61 - 100)


def test_every_line_without_a_bet_has_its_first_reason() -> None:
    market = lines(
        bid=[0.39, 0.39, np.nan, 0.2, 0.39, 0.39, 0.39],
        ask=[0.41, 0.41, np.nan, 0.6, 0.41, 0.41, 0.41],
        gated=[False, True, False, False, False, False, False],
    )
    p = [np.nan, 0.9, 0.9, 0.5, 0.425, 0.4, 0.5]
    book = replay(market, p, FLAT)
    assert book.rows.tolist() == [6]
    assert book.passed == {
        PassReason.NO_FORECAST: 1,
        PassReason.GATE_FIRED: 1,
        PassReason.NO_PRICE: 1,
        PassReason.NO_EDGE: 2,
        PassReason.BELOW_THRESHOLD: 1,
    }


def test_what_can_win_nothing_after_its_fee_has_no_price_to_bet_at() -> None:
    dear = lines(bid=[0.88, 0.88], ask=[0.9, 0.9], fair=0.89, fee_yes=[0.0, 0.1])
    book = replay(dear, [1.0, 1.0], FLAT)
    assert (book.rows.tolist(), book.passed) == ([0], {PassReason.NO_PRICE: 1})


def test_an_edge_exactly_on_the_threshold_is_not_bet_on() -> None:
    thin = lines(bid=0.30, ask=0.30, fair=0.30)
    assert len(replay(thin, [0.33], Policy(Flat(), threshold=0.03))) == 0
    assert len(replay(thin, [0.3301], Policy(Flat(), threshold=0.03))) == 1


def test_bets_of_one_moment_share_a_bankroll_and_later_ones_what_came_of_them() -> None:
    at = [START, START, START + HOUR, START + 48 * HOUR]
    book = replay(lines(at=at, payout=[1.0, 0.0, 1.0, 1.0]), [0.5] * 4, FLAT)
    won = 100 / 0.41 - 100
    assert book.bankroll[:3].tolist() == [10_000] * 3
    assert book.bankroll[3] == pytest.approx(10_000 + 2 * won - 100)
    assert book.stake[3] == pytest.approx(book.bankroll[3] / 100)


def test_no_more_is_staked_than_the_cash_that_is_free() -> None:
    at = [START, START, START + HOUR]
    book = replay(lines(at=at), [0.5] * 3, HALF)
    assert book.stake.tolist() == pytest.approx([5000, 5000])
    assert book.passed == {PassReason.NO_STAKE: 1}


def test_an_event_s_cap_counts_what_was_bet_on_it_before() -> None:
    big = Policy(Flat(0.05), limits=StakeLimits())
    at = [START, START, START + 72 * HOUR]
    book = replay(lines(at=at, event=[0, 0, 0], payout=[np.nan] * 3), [0.5] * 3, big)
    assert book.stake.tolist() == pytest.approx([400, 400])
    assert book.passed == {PassReason.NO_STAKE: 1}


def test_a_day_s_cap_counts_the_whole_day() -> None:
    big = Policy(Flat(0.06), limits=StakeLimits())
    at = START + np.array([0, 1, 2, 24]) * HOUR
    book = replay(lines(at=at, settled=NEVER, payout=np.nan), [0.5] * 4, big)
    assert book.stake.tolist() == pytest.approx([600, 600, 300, 600])


def test_a_void_bet_costs_its_fee_and_an_open_one_nothing_yet() -> None:
    market = lines(payout=np.nan, settled=[START + HOUR, NEVER], fee_yes=0.01)
    book = replay(market, [0.5] * 2, FLAT)
    assert book.pnl[0] == pytest.approx(-book.fee[0])
    assert np.isnan(book.pnl[1])
    assert book.open == 1


def test_a_fraction_pays_the_fraction() -> None:
    book = replay(lines(payout=0.5), [0.5], FLAT)
    assert book.profit == pytest.approx(50 / 0.41 - 100)


def test_brakes_halve_what_follows_a_loss() -> None:
    lossy = Policy(Flat(0.25), limits=None, brakes=Brakes())
    at = START + np.array([0, 48]) * HOUR
    book = replay(lines(at=at, payout=0.0), [0.5] * 2, lossy)
    assert book.stake.tolist() == pytest.approx([2500, 0.125 * 7500])
    assert replay(lines(at=at, payout=0.0), [0.5] * 2, Policy(Flat(0.25), limits=None)).stake[
        1
    ] == pytest.approx(0.25 * 7500)


def test_nothing_that_comes_later_moves_a_bet() -> None:
    at = START + np.array([0, 5, 9]) * HOUR
    before = replay(lines(at=at), [0.5, 0.5, 0.6])
    changed = lines(
        at=at, payout=[0.0, 1.0, 1.0], ask=[0.41, 0.41, 0.45], close=[0.2, 0.4, 0.4]
    )
    after = replay(changed, [0.5, 0.5, 0.9])
    assert before.stake[:2].tolist() == after.stake[:2].tolist()


def test_own_stakes_are_taken_as_they_were_placed() -> None:
    market = lines(gated=True, payout=[1.0, 0.0, 1.0])
    own = OwnBets(np.array([True, False, True]), np.array([500.0, 9000.0, 0.0]))
    book = replay_own(market, own)
    assert book.stake.tolist() == [500, 9000]
    assert book.profit == pytest.approx(500 / 0.41 - 500 + 9000 / 0.61 - 9000)
    assert book.passed == {PassReason.NO_STAKE: 1}


def test_a_stricter_part_of_kelly_stakes_in_proportion() -> None:
    whole = Policy(FractionalKelly(StakeLimits(fraction=0.02)), limits=None)
    half = Policy(FractionalKelly(StakeLimits(fraction=0.01)), limits=None)
    assert replay(lines(), [0.5], half).stake == pytest.approx(
        replay(lines(), [0.5], whole).stake / 2
    )


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="forecasts for"):
        replay(lines(), [0.5, 0.5])
    with pytest.raises(ValueError, match="lies in"):
        replay(lines(), [1.5])
    with pytest.raises(ValueError, match="capital"):
        replay(lines(), [0.5], capital=0.0)
    with pytest.raises(ValueError, match="without a price"):
        replay_own(lines(ask=np.nan), OwnBets(np.ones(1, np.bool_), np.ones(1)))
    with pytest.raises(ValueError, match="none below"):
        replay_own(lines(), OwnBets(np.ones(1, np.bool_), -np.ones(1)))


@pytest.mark.parametrize("p", [0.02, 0.12, 0.2, 0.8])
def test_no_is_bet_on_as_yes_is_where_the_market_is_turned_round(p: float) -> None:
    policy = Policy(FractionalKelly(), threshold=0.03)
    one = replay(lines(bid=0.06, ask=0.08, fair=0.07, payout=0.0), [p], policy)
    other = replay(lines(bid=0.92, ask=0.94, fair=0.93, payout=1.0), [1 - p], policy)
    assert len(one) == 1
    assert one.passed == other.passed
    assert one.yes.tolist() == (~other.yes).tolist()
    assert one.stake == pytest.approx(other.stake)
    assert one.pnl == pytest.approx(other.pnl)
