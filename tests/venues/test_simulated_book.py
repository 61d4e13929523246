"""Quotes of the simulated world stand around the fair price, on a grid, inside [0, 1]."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from arena.records.market import MarketId
from arena.venues.simulated.book import CENT, HALF_CENT, SimulatedBook, quote

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


def test_a_pause_holds_the_book_at_its_first_hour() -> None:
    book = SimulatedBook(CENT, 2, (1,), (1,), 0, 10, pause=(3, 6))
    assert [book.stopped(step) for step in (2, 3, 5, 6)] == [None, 3, 3, None]
