from itertools import product
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.metrics.shadow import ladders
from arena.odds import Floats
from arena.odds.devig import DevigMethod, devig
from arena.odds.staking import Wager, cap_wagers, kelly
from arena.scoring.bets.book import BetBook, MarketLines, Stakes, stakes_of_book
from arena.scoring.bets.luck import SettledBets, attribute, bought, luck
from arena.scoring.bets.shadow import POLICIES, OwnBets, replay, replay_own
from tests.scoring.markets import season
from tests.sizes import size

law = settings(max_examples=size(20, 60))
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 9)
margins = st.floats(-0.08, 0.15)
inner = st.floats(0.02, 0.98)


def book_of(seed: int, size: int, margin: float) -> Floats:
    shares = np.random.default_rng(seed).dirichlet(np.full(size, 4.0))
    raw = (shares + 0.02) / (1 + 0.02 * size) * (1 + margin)
    return np.asarray(1 / np.minimum(raw, 0.98))


@law
@given(seed=seeds, size=sizes, margin=margins)
def test_fair_probabilities_add_up_to_one_and_keep_their_order(
    seed: int, size: int, margin: float
) -> None:
    odds = book_of(seed, size, margin)
    for method in (DevigMethod.MULTIPLICATIVE, DevigMethod.POWER):
        q = devig(odds, method).q
        assert abs(fsum(q) - 1) < 1e-12
        assert (np.diff(q[np.argsort(-odds)]) >= -1e-12).all()


@law
@given(seed=seeds, size=sizes, margin=margins)
def test_taking_the_margin_out_twice_is_taking_it_out_once(
    seed: int, size: int, margin: float
) -> None:
    odds = book_of(seed, size, margin)
    for method in (DevigMethod.MULTIPLICATIVE, DevigMethod.POWER):
        once = devig(odds, method).q
        assert devig(1 / once, method).q == pytest.approx(once, abs=1e-12)


@law
@given(seed=seeds, size=sizes, margin=st.floats(0.0, 0.15))
def test_shin_solves_its_own_equation(seed: int, size: int, margin: float) -> None:
    odds = book_of(seed, size, margin)
    if (1 / odds).sum() < 1:
        return
    fair = devig(odds, DevigMethod.SHIN)
    z, raw = float(fair.parameter), 1 / odds
    assert abs(fsum(fair.q) - 1) < 1e-12
    assert 0 <= z < 1
    price = np.sqrt(z * fair.q + (1 - z) * fair.q**2)
    assert price / price.sum() == pytest.approx(raw / raw.sum(), abs=1e-10)


@law
@given(p=inner, net=st.floats(0.05, 20.0))
def test_kelly_is_worth_taking_exactly_where_the_bet_is(p: float, net: float) -> None:
    assert bool(kelly(p, net) > 1e-12) == (p * (1 + net) > 1 + 1e-12 * net)


@law
@given(seed=seeds, size=st.integers(1, 12))
def test_no_event_and_no_day_is_over_its_cap(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    bets = [
        Wager(str(i), str(i), str(rng.integers(3)), str(rng.integers(2)), rng.uniform(0, 0.1))
        for i in range(size)
    ]
    found = cap_wagers(bets)
    for name, cap in (("event", 0.08), ("day", 0.15)):
        for key in {getattr(bet, name) for bet in bets}:
            pairs = zip(bets, found.fractions, strict=True)
            assert fsum(f for bet, f in pairs if getattr(bet, name) == key) <= cap + 1e-12
    assert all(f <= bet.fraction for bet, f in zip(bets, found.fractions, strict=True))


@law
@given(seed=seeds, policy=st.sampled_from(sorted(POLICIES)))
def test_a_champion_s_replay_is_the_champion_s_book(seed: int, policy: str) -> None:
    lines, p = season(np.random.default_rng(seed), 30)
    champion = replay(lines, p, POLICIES[policy])
    yes, stake = np.ones(30, np.bool_), np.zeros(30)
    yes[champion.rows], stake[champion.rows] = champion.yes, champion.stake
    same(replay_own(lines, OwnBets(yes, stake)), champion)
    same(replay(lines, p.copy(), POLICIES[policy]), champion)


def same(one: BetBook, other: BetBook) -> None:
    for name in ("rows", "yes", "price", "stake", "shares", "fee", "bankroll", "pnl"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True), name
    assert (one.profit, one.lowest) == (other.profit, other.lowest)


@law
@given(seed=seeds, policy=st.sampled_from(sorted(POLICIES)))
def test_the_order_of_lines_changes_no_book(seed: int, policy: str) -> None:
    rng = np.random.default_rng(seed)
    lines, p = season(rng, 30)
    order = rng.permutation(30)
    columns = {name: getattr(lines, name)[order] for name in MarketLines.__slots__}
    book = replay(lines, p, POLICIES[policy])
    mixed = replay(MarketLines(**columns), p[order], POLICIES[policy])
    back = np.argsort(order[mixed.rows])
    assert (order[mixed.rows][back] == book.rows).all()
    assert mixed.stake[back] == pytest.approx(book.stake, rel=1e-9)
    assert mixed.profit == pytest.approx(book.profit, abs=1e-6)


@law
@given(seed=seeds, policy=st.sampled_from(sorted(POLICIES)))
def test_a_book_never_stakes_more_than_it_has(seed: int, policy: str) -> None:
    lines, p = season(np.random.default_rng(seed), 30)
    book = replay(lines, p, POLICIES[policy])
    assert book.lowest >= 0
    assert (book.stake > 0).all()
    assert len(book) + sum(book.passed.values()) == 30


@law
@given(seed=seeds, size=st.integers(0, 12))
def test_forecast_sizing_luck_and_costs_add_up_to_the_profit(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    bets = SettledBets(
        shares=rng.uniform(1, 5000, size),
        price=rng.uniform(0.01, 1, size),
        fee=rng.uniform(0, 20, size),
        fair=rng.random(size),
        reference=rng.random(size),
        payout=rng.integers(0, 2, size).astype(np.float64),
    )
    found = attribute(bets)
    parts = (found.forecast, found.sizing, found.luck, found.spread, found.fees)
    assert fsum(parts) == pytest.approx(found.pnl, abs=1e-9)
    assert found.skill + found.luck + found.costs == pytest.approx(found.pnl, abs=1e-9)


@law
@given(seed=seeds, policy=st.sampled_from(sorted(POLICIES)))
def test_a_book_s_split_adds_up_to_its_profit(seed: int, policy: str) -> None:
    lines, p = season(np.random.default_rng(seed), 30)
    book = replay(lines, p, POLICIES[policy])
    found = attribute(bought(book, lines))
    assert found.skill + found.luck + found.costs == pytest.approx(book.profit, abs=1e-9)
    assert found.pnl == pytest.approx(book.profit, abs=1e-9)


@law
@given(seed=seeds)
def test_a_book_s_luck_starts_from_its_profit_on_what_came_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines, p = season(rng, 20)
    book = replay(lines, p)
    whole = np.isin(lines.payout[book.rows], (0, 1)) & ~np.isnan(book.pnl)
    found = luck(stakes_of_book(book, lines), rng)
    assert found.pnl == pytest.approx(fsum(book.pnl[whole]), abs=1e-6)
    assert found.mean <= 1e-9


@law
@given(seed=seeds, size=st.integers(1, 5))
def test_exclusive_luck_is_what_counting_every_winner_gives(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.ones(2 * size + 2))[: 2 * size].reshape(2, size) * 1.0
    win, lose = rng.uniform(-9, 9, (2, size)), rng.uniform(-9, 9, (2, size))
    chosen = rng.integers(0, size + 1, 2)
    yes = np.arange(size) == chosen[:, np.newaxis]
    event = np.repeat([4, 2], size)
    stakes = Stakes(q.ravel(), win.ravel(), lose.ravel(), event, yes.ravel())
    found = luck(ladders(stakes, np.ones(2 * size, np.bool_)), rng)
    chance = np.column_stack([q, 1 - q.sum(axis=1)])
    total = np.column_stack([lose.sum(axis=1, keepdims=True) + win - lose, lose.sum(axis=1)])
    seen = fsum(total[e, chosen[e]] for e in range(2))
    upper = fsum(
        chance[0, i] * chance[1, j]
        for i, j in product(range(size + 1), repeat=2)
        if total[0, i] + total[1, j] >= seen - 1e-9
    )
    assert found.pnl == pytest.approx(seen)
    assert found.upper == pytest.approx(upper, abs=1e-12)
