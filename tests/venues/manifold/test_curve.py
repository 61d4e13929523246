"""The pool as a book: known numbers, and what must hold of every pool."""

import math
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.market import Level
from arena.records.money import price, shares
from arena.venues.manifold.curve import LEAST, LEVELS, ManifoldTrade, Pool, asks, bids

MICRO = 1e-6
EVEN = Pool(Decimal(100), Decimal(100), Decimal("0.5"))

amounts = st.decimals(min_value=1, max_value=10**7, places=6)
constants = st.decimals(min_value="0.03", max_value="0.97", places=12)
pools = st.builds(Pool, amounts, amounts, constants)

law = settings(max_examples=60, deadline=None)


def bought(before: Pool, after: Pool) -> ManifoldTrade:
    """What buying YES costs that moves a pool from one state to the other."""
    paid = after.no - before.no
    return ManifoldTrade(paid, before.yes - after.yes + paid)


def shares_for(pool: Pool, paid: float) -> float:
    """Shares of YES that a bet of mana buys: Manifold's own closed formula, in floats."""
    y, n, p = float(pool.yes), float(pool.no), float(pool.p)
    k = math.pow(y, p) * math.pow(n, 1 - p)
    return y + paid - math.pow(k * math.pow(n + paid, p - 1), 1 / p)


def cost(levels: tuple[Level, ...]) -> float:
    return sum(float(one.price) * float(one.shares) for one in levels)


def number(levels: tuple[Level, ...]) -> float:
    return sum(float(one.shares) for one in levels)


def holds(pool: Pool, paid: float, got: float) -> None:
    """Hold a purchase to the closed formula, but for prices and shares in whole millionths."""
    rounded_up, near = paid - MICRO * got, 1e-9 * got + LEVELS * MICRO
    assert shares_for(pool, rounded_up) - near <= got <= shares_for(pool, paid) + near


def level(at: str, number: str) -> Level:
    return Level(price(at), shares(number))


def test_the_probability_is_that_of_a_recorded_market() -> None:
    pool = Pool(Decimal("574.6700289866742"), Decimal("17.401290298074407"), Decimal("0.5"))
    assert float(pool.probability) == pytest.approx(0.029390530720346433, abs=1e-15)


def test_the_probability_follows_the_constant_of_a_recorded_market() -> None:
    pool = Pool(
        Decimal("1029.532029474366"),
        Decimal("14.841454884616837"),
        Decimal("0.4499999999999999"),
    )
    assert float(pool.probability) == pytest.approx(0.011657194517287568, abs=1e-15)


def test_a_bet_of_one_gives_the_shares_that_manifold_recorded() -> None:
    after = EVEN.moved(2 * (Decimal(101) / 100).ln())
    trade = bought(EVEN, after)
    assert float(trade.paid) == pytest.approx(1)
    assert float(trade.shares) == pytest.approx(1.9900990099009732)
    assert float(after.probability) == pytest.approx(0.5049750012375624)


def test_an_even_pool_asks_half_a_point_more_and_bids_half_a_point_less() -> None:
    assert asks(EVEN, 1) == (level("0.505", "4.000266"),)
    assert bids(EVEN, 1) == (level("0.495", "4.000266"),)


def test_the_first_level_is_a_percentage_point_wide_at_one_half() -> None:
    assert float(EVEN.moved(Decimal("0.04")).probability) == pytest.approx(0.51, abs=1e-4)


def test_twenty_levels_are_nearly_the_whole_pool() -> None:
    found = asks(EVEN)
    assert len(found) == LEVELS
    assert found[-1].price > Decimal("0.97")


def test_near_zero_the_levels_are_finer() -> None:
    pool = Pool(Decimal(900), Decimal(9), Decimal("0.5"))
    ask, bid = asks(pool, 1)[0].price, bids(pool, 1)[0].price
    assert float(ask - bid) == pytest.approx(0.04 * 0.01 * 0.99, rel=0.02)


def test_a_pool_that_is_nearly_empty_ends_where_a_trade_would_be_refused() -> None:
    pool = Pool(Decimal("0.0101"), Decimal(100), Decimal("0.5"))
    assert asks(pool) == ()
    assert bids(pool)


@pytest.mark.parametrize(
    "pool",
    [
        Pool(Decimal("0.009"), Decimal(100), Decimal("0.5")),
        Pool(Decimal(100), Decimal(0), Decimal("0.5")),
        Pool(Decimal(100), Decimal(100), Decimal("1e-30")),
        Pool(Decimal(100), Decimal(100), 1 - Decimal("1e-20")),
    ],
)
def test_a_pool_that_cannot_be_traded_with_offers_nothing(pool: Pool) -> None:
    assert asks(pool) == bids(pool) == ()


@law
@given(pools)
def test_the_probability_lies_between_bid_and_ask(pool: Pool) -> None:
    for one in asks(pool):
        assert one.price > pool.probability
    for one in bids(pool):
        assert one.price < pool.probability


@law
@given(pools)
def test_each_level_is_worse_than_the_one_before(pool: Pool) -> None:
    assert all(a.price < b.price for a, b in pairwise(asks(pool)))
    assert all(a.price > b.price for a, b in pairwise(bids(pool)))
    assert all(one.shares > 0 for one in (*asks(pool), *bids(pool)))


@law
@given(pools)
def test_walking_the_asks_costs_what_the_closed_formula_says(pool: Pool) -> None:
    found = asks(pool)
    if found:
        holds(pool, cost(found), number(found))


@law
@given(pools)
def test_walking_the_bids_brings_what_buying_the_other_claim_costs(pool: Pool) -> None:
    found = bids(pool)
    if found:
        sold = number(found)  # as many shares of NO make pairs, which are worth 1 each
        holds(pool.mirrored(), sold - cost(found), sold)


@law
@given(pools, st.decimals(min_value="-2", max_value="2", places=6))
def test_trading_there_and_back_ends_where_it_began(pool: Pool, by: Decimal) -> None:
    after = pool.moved(by).moved(-by)
    assert float(after.yes) == pytest.approx(float(pool.yes))
    assert float(after.no) == pytest.approx(float(pool.no))


@law
@given(pools, st.decimals(min_value="0.01", max_value="2", places=6))
def test_what_was_bought_is_sold_again_for_what_it_cost(pool: Pool, by: Decimal) -> None:
    after = pool.moved(by)
    there = bought(pool, after)
    back = bought(after.mirrored(), pool.mirrored())
    assert float(back.shares) == pytest.approx(float(there.shares))
    assert float(back.shares - back.paid) == pytest.approx(float(there.paid))


@law
@given(pools, st.decimals(min_value="-2", max_value="2", places=6))
def test_a_trade_leaves_the_constant_as_it_is(pool: Pool, by: Decimal) -> None:
    after, p = pool.moved(by), float(pool.p)

    def log_k(one: Pool) -> float:
        return p * math.log(one.yes) + (1 - p) * math.log(one.no)

    assert log_k(after) == pytest.approx(log_k(pool))


@law
@given(pools)
def test_prices_never_round_in_favour_of_who_trades(pool: Pool) -> None:
    exact = pool.moved(Decimal("0.04"))
    trade, found = bought(pool, exact), asks(pool, 1)
    if found:
        average = trade.paid / trade.shares
        assert 0 <= float(found[0].price - average) <= MICRO
        assert found[0].shares <= trade.shares


@law
@given(pools)
def test_no_level_takes_more_than_the_pool_holds(pool: Pool) -> None:
    sold = sum(one.shares for one in asks(pool))
    paid = sum(one.shares * one.price for one in asks(pool))
    assert pool.yes - sold + paid >= LEAST
