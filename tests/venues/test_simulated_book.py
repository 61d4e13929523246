"""Quotes of the simulated world stand around the fair price, on a grid, inside [0, 1]."""

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.records.market import FeeKind, MarketId, Quote
from arena.venues.simulated.book import (
    CENT,
    HALF_CENT,
    LEVELS,
    SimulatedBook,
    draw_book,
    draw_fee,
    quote,
)

AT = datetime(2026, 1, 5, tzinfo=UTC)
BOOKS = st.builds(
    SimulatedBook,
    tick=st.sampled_from([CENT, HALF_CENT]),
    spread=st.integers(1, 40),
    bid_depth=st.just((500, 600, 700)),
    ask_depth=st.just((800, 900, 1000)),
    volume=st.integers(0, 10**6),
    hours=st.integers(1, 400),
)


def of(value: float, spread: int = 2, tick: int = CENT, step: int = 5) -> Quote:
    book = SimulatedBook(tick, spread, (500, 600, 700), (800, 900, 1000), 10_000, 99)
    return quote(MarketId("m"), book, value, step, AT)


@given(BOOKS, st.floats(0, 1))
def test_the_fair_price_lies_between_bid_and_ask(book: SimulatedBook, value: float) -> None:
    seen = quote(MarketId("m"), book, value, 0, AT)
    assert seen.bid is None or 0 < float(seen.bid) <= value + 1e-12
    assert seen.ask is None or value - 1e-12 <= float(seen.ask) < 1


@given(BOOKS, st.floats(0, 1))
def test_a_book_is_never_crossed_and_never_empty(book: SimulatedBook, value: float) -> None:
    seen = quote(MarketId("m"), book, value, 0, AT)
    assert seen.bid is not None or seen.ask is not None
    if seen.bid is not None and seen.ask is not None:
        assert seen.bid <= seen.ask


@given(BOOKS, st.floats(0, 1))
def test_every_price_is_on_the_grid(book: SimulatedBook, value: float) -> None:
    seen = quote(MarketId("m"), book, value, 0, AT)
    prices = [level.price for level in (*seen.bids, *seen.asks)]
    assert all(int(p.scaleb(6)) % book.tick == 0 for p in prices)


@given(BOOKS, st.floats(0, 1))
def test_depth_starts_at_the_best_price_and_gets_worse(
    book: SimulatedBook, value: float
) -> None:
    seen = quote(MarketId("m"), book, value, 0, AT)
    bids, asks = [level.price for level in seen.bids], [level.price for level in seen.asks]
    assert bids[:1] == ([] if seen.bid is None else [seen.bid])
    assert asks[:1] == ([] if seen.ask is None else [seen.ask])
    assert bids == sorted(set(bids), reverse=True)
    assert asks == sorted(set(asks))


def test_the_spread_is_the_books_own() -> None:
    seen = of(0.4237, spread=3)
    assert seen.bid is not None
    assert seen.ask is not None
    assert seen.ask - seen.bid == Decimal("0.03")


def test_away_from_the_ends_both_sides_are_three_levels_deep() -> None:
    seen = of(0.4237)
    assert (len(seen.bids), len(seen.asks)) == (LEVELS, LEVELS)


def test_nobody_bids_for_what_is_worth_less_than_a_tick() -> None:
    assert of(0.004).bid is None
    assert of(0.004).ask is not None


def test_nobody_asks_for_what_is_worth_a_dollar_but_a_tick() -> None:
    assert of(0.996).ask is None
    assert of(0.996).bid is not None


def test_volume_grows_over_a_life() -> None:
    volumes = [of(0.5, step=step).volume for step in (0, 5, 98)]
    assert volumes == [100, 600, 9_900]


def test_a_pause_holds_the_book_at_its_first_hour() -> None:
    book = SimulatedBook(CENT, 2, (1,), (1,), 0, 10, pause=(3, 6))
    assert [book.stopped(step) for step in (2, 3, 5, 6)] == [None, 3, 3, None]


def test_a_halt_is_a_pause_of_the_book() -> None:
    assert draw_book(24, 24, (4, 9), np.random.default_rng(1)).pause == (4, 9)


@given(st.integers(0, 2**32))
def test_a_drawn_book_is_one_to_twenty_cents_wide(seed: int) -> None:
    book = draw_book(48, 40, None, np.random.default_rng(seed))
    assert CENT <= book.spread * book.tick <= 20 * CENT
    assert book.pause is None or 0 <= book.pause[0] < book.pause[1] <= 40


def test_fees_are_of_every_kind() -> None:
    rng = np.random.default_rng(1)
    fees = [draw_fee(rng) for _ in range(200)]
    assert {fee.kind for fee in fees} == set(FeeKind) - {FeeKind.UNKNOWN}
    quadratic = [fee.rate for fee in fees if fee.kind is FeeKind.QUADRATIC]
    assert Decimal("0.02") <= min(quadratic) <= max(quadratic) <= Decimal("0.07")
