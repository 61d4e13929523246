"""What a market's order book looks like around its fair price."""

import math
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import numpy as np

from arena.records.market import FeeKind, FeeModel, Level, MarketId, Quote
from arena.records.money import price_from_micro, shares, usd

MICRO = 1_000_000  # prices are counted in whole millionths here
CENT, HALF_CENT = 10_000, 5_000  # the grids, in millionths of a dollar
LEVELS = 3

HALF_CENT_RATE = 0.3  # of markets
SPREAD_CENTS = (1, 6)
WIDE_RATE = 0.05  # of markets
WIDE_CENTS = (12, 20)
STALE_RATE = 0.08  # of markets whose book stops for hours, once
STALE_HOURS = (4, 24)
QUADRATIC_RATE, NOTIONAL_RATE = 0.35, 0.08  # of markets; the others charge nothing
QUADRATIC_CENTS = (2, 7)
NOTIONAL_FEE = Decimal("0.01")
VOLUME_MEDIAN, VOLUME_SPREAD = 20_000.0, 1.2  # dollars, sd of the logarithm
DEPTH = (400, 9_000)  # shares at one price


@dataclass(frozen=True, slots=True)
class SimulatedBook:
    """A market's habits: its grid (in millionths), spread (in ticks), depth, and pauses.

    `volume` is what it trades until the close hint, in dollars, and `hours` the time until
    then. In `pause`, from its first hour to past its last, nobody touches the book.
    """

    tick: int
    spread: int
    bid_depth: tuple[int, ...]
    ask_depth: tuple[int, ...]
    volume: int
    hours: int
    pause: tuple[int, int] | None = None

    def stopped(self, step: int) -> int | None:
        """Give the hour since which nobody has touched the book; None while it is alive."""
        if self.pause is not None and self.pause[0] <= step < self.pause[1]:
            return self.pause[0]
        return None


def draw_book(
    hours: int, close: int, halt: tuple[int, int] | None, rng: np.random.Generator
) -> SimulatedBook:
    """Draw a market's habits; a `halt` of trading is a pause of the book."""
    tick = HALF_CENT if rng.random() < HALF_CENT_RATE else CENT
    width = WIDE_CENTS if rng.random() < WIDE_RATE else SPREAD_CENTS
    cents = int(rng.integers(*width, endpoint=True))
    start = int(rng.integers(0, close))
    stale = (start, min(start + int(rng.integers(*STALE_HOURS, endpoint=True)), close))
    stops = rng.random() < STALE_RATE
    depth = [int(n) for n in rng.integers(*DEPTH, size=2 * LEVELS)]
    return SimulatedBook(
        tick=tick,
        spread=cents * CENT // tick,
        bid_depth=tuple(depth[:LEVELS]),
        ask_depth=tuple(depth[LEVELS:]),
        volume=int(VOLUME_MEDIAN * np.exp(VOLUME_SPREAD * rng.standard_normal())),
        hours=hours,
        pause=halt or (stale if stops else None),
    )


def draw_fee(rng: np.random.Generator) -> FeeModel:
    """Draw a market's own taker fee."""
    u, cents = rng.random(), int(rng.integers(*QUADRATIC_CENTS, endpoint=True))
    if u < QUADRATIC_RATE:
        return FeeModel(FeeKind.QUADRATIC, Decimal(cents) / 100)
    if u < QUADRATIC_RATE + NOTIONAL_RATE:
        return FeeModel(FeeKind.NOTIONAL, NOTIONAL_FEE)
    return FeeModel()


def quote(
    market: MarketId, book: SimulatedBook, value: float, step: int, at: datetime
) -> Quote:
    """Quote a market around its fair price.

    The fair price lies between bid and ask, on no side of them in particular. Below one tick
    nobody bids, and above one minus a tick nobody asks.

    Args:
        market: Whose quote it is.
        book: Its habits.
        value: The fair price of YES, in [0, 1].
        step: The hour of its life that the book is from.
        at: The moment that the book is from.
    """
    bids, asks = _bids(book, value), _asks(book, value)
    traded = book.volume * (step + 1) // (book.hours + 1)
    return Quote(
        market,
        bid=bids[0].price if bids else None,
        ask=asks[0].price if asks else None,
        at=at,
        volume=usd(traded),
        bids=bids,
        asks=asks,
    )


def _bids(book: SimulatedBook, value: float) -> tuple[Level, ...]:
    ticks, last = value * MICRO / book.tick, MICRO // book.tick - 1
    best = min(max(math.floor(ticks - (book.spread - 1) / 2), 1), last)
    if best > ticks:
        return ()
    prices = range(best, max(best - LEVELS, 0), -1)
    return _levels(book, prices, book.bid_depth)


def _asks(book: SimulatedBook, value: float) -> tuple[Level, ...]:
    ticks, last = value * MICRO / book.tick, MICRO // book.tick - 1
    best = max(min(math.ceil(ticks + (book.spread - 1) / 2), last), 1)
    if best < ticks:
        return ()
    prices = range(best, min(best + LEVELS, last + 1))
    return _levels(book, prices, book.ask_depth)


def _levels(book: SimulatedBook, prices: range, depth: tuple[int, ...]) -> tuple[Level, ...]:
    pairs = zip(prices, depth, strict=False)
    return tuple(Level(price_from_micro(n * book.tick), shares(many)) for n, many in pairs)
