from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.metrics.bets.shadow import fortune, ladders
from arena.odds.columns import Flags
from arena.scoring.bets.attribution import attribute, bought
from arena.scoring.bets.book import BetBook, MarketLines, Stakes
from arena.scoring.bets.luck import Joint, Luck, LuckMethod, luck
from arena.scoring.bets.shadow import OwnBets, replay_own
from tests.scoring.markets import HOUR, START, lines

seeds = st.integers(0, 10_000)


def on_yes(market: MarketLines, stake: float = 100.0) -> BetBook:
    n = len(market)
    return replay_own(market, OwnBets(np.ones(n, np.bool_), np.full(n, stake)))


def fortune_of(book: BetBook, market: MarketLines, exclusive: Flags | None = None) -> Luck:
    none = np.zeros(int(market.event.max()) + 1, np.bool_)
    at_most_one = none if exclusive is None else exclusive
    return fortune(book, market, at_most_one, np.random.default_rng(1))


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_right_prices_make_a_one_sided_bettor_lose_its_costs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 12
    code = rng.integers(0, 5, n)
    fair = rng.uniform(0.2, 0.8, n)
    market = lines(
        market=code,
        event=code,
        at=START + np.arange(n) * HOUR,
        fair=fair,
        bid=fair - 0.02,
        ask=fair + 0.02,
        payout=(rng.random(5) < 0.5).astype(np.float64)[code],
        settled=START + 99 * HOUR,
        fee_yes=0.01,
    )
    side = (rng.random(5) < 0.5)[code]
    book = replay_own(market, OwnBets(side, rng.uniform(10, 200, n)))
    found = fortune_of(book, market)
    assert found.mean == pytest.approx(attribute(bought(book, market)).costs)
    assert found.pnl == pytest.approx(book.profit)


def test_a_bettor_who_buys_more_after_a_fall_is_given_no_head_start() -> None:
    market = lines(
        market=[0, 0],
        event=[0, 0],
        at=[START, START + HOUR],
        fair=[0.5, 0.1],
        bid=[0.5, 0.1],
        ask=[0.5, 0.1],
        payout=1.0,
        settled=START + 9 * HOUR,
    )
    book = replay_own(market, OwnBets(np.array([True, True]), np.array([50.0, 1.0])))
    found = fortune_of(book, market)
    assert found.mean == pytest.approx(0)
    assert found.upper == pytest.approx(51 / 110)


def test_a_p_l_that_was_locked_in_is_taken_as_it_is() -> None:
    market = lines(
        market=[0, 0],
        event=[0, 0],
        at=[START, START + HOUR],
        fair=[0.3, 0.6],
        bid=[0.3, 0.6],
        ask=[0.3, 0.6],
        payout=0.0,
        settled=START + 9 * HOUR,
    )
    book = replay_own(market, OwnBets(np.array([True, False]), np.array([30.0, 40.0])))
    found = fortune_of(book, market)
    assert [found.pnl, found.mean] == pytest.approx([30, 30])
    assert found.upper == 1.0


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_ladders_have_the_distribution_of_exclusive_markets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    event = np.sort(rng.integers(0, 3, 7))
    sizes = np.bincount(event, minlength=3)
    q = rng.uniform(0.05, 0.9, 7) / np.maximum(sizes[event], 1)
    yes = np.zeros(7, np.bool_)
    for code in np.unique(event):
        if rng.random() < 0.7:
            yes[rng.choice(np.flatnonzero(event == code))] = True
    wins, loses = rng.uniform(0, 9, 7), rng.uniform(-9, 0, 7)
    turned = rng.random(7) < 0.5
    stakes = Stakes(q, np.where(turned, loses, wins), np.where(turned, wins, loses), event, yes)
    one = luck(stakes, rng, joint=Joint.EXCLUSIVE)
    other = luck(ladders(stakes, np.ones(7, np.bool_)), rng, joint=Joint.NESTED)
    assert one.how is other.how is LuckMethod.EXACT
    for name in ("pnl", "mean", "sd", "upper", "lower"):
        assert getattr(other, name) == pytest.approx(getattr(one, name))


def test_of_an_exclusive_event_one_market_alone_comes_true() -> None:
    market = lines(event=[0, 0], fair=0.4, bid=0.4, ask=0.4, payout=[1.0, 0.0])
    book = on_yes(market)
    apart, one = fortune_of(book, market), fortune_of(book, market, np.array([True]))
    assert one.upper == pytest.approx(0.8)
    assert one.sd < apart.sd


@pytest.mark.parametrize(
    "broken",
    [{"payout": [1.0, 1.0], "fair": 0.3}, {"payout": [1.0, 0.0], "fair": 0.6}],
    ids=["two came true", "chances above 1"],
)
def test_what_cannot_be_exclusive_is_not_taken_for_it(broken: dict[str, float]) -> None:
    market = lines(event=[0, 0], bid=broken["fair"], ask=broken["fair"], **broken)
    book = on_yes(market)
    assert fortune_of(book, market, np.array([True])) == fortune_of(book, market)


def test_markets_of_one_event_are_given_the_less_surprising_of_two_ways() -> None:
    market = lines(event=[0, 0, 0], fair=0.4, bid=0.4, ask=0.4, payout=1.0)
    book = on_yes(market)
    assert fortune_of(book, market).upper == pytest.approx(0.4)
    split = replace(market, event=np.array([0, 1, 2]))
    assert fortune_of(on_yes(split), split).upper == pytest.approx(0.4**3)


def test_without_bets_there_is_no_p() -> None:
    market = lines(event=[0, 1], payout=np.nan)
    found = fortune_of(replay_own(market, OwnBets(np.ones(2, np.bool_), np.zeros(2))), market)
    assert (found.upper, found.markets) == (None, 0)
