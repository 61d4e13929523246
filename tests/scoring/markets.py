"""Lines to bet on, for the tests of books."""

import numpy as np
from numpy.typing import ArrayLike

from arena.odds import Floats
from arena.scoring.bets.book import MarketLines

START = np.datetime64("2026-06-01T12:00", "s")
HOUR = np.timedelta64(3600, "s")
NEVER = np.datetime64("NaT", "s")

USUAL: dict[str, ArrayLike] = {
    "bid": 0.39,
    "ask": 0.41,
    "fair": 0.40,
    "close": 0.45,
    "payout": 1.0,
    "fee_yes": 0.0,
    "fee_no": 0.0,
}


def lines(**columns: ArrayLike) -> MarketLines:
    """Lines of one event each, an hour apart, at 0.39 to 0.41, that settle a day later."""
    n = max(np.size(column) for column in columns.values()) if columns else 1
    at = np.full(n, columns.pop("at", START), "datetime64[s]")
    numbers = {"market": np.arange(n), "event": np.arange(n)}
    given: dict[str, ArrayLike] = {**numbers, **USUAL, **columns}
    settled = np.full(n, given.pop("settled", at + 24 * HOUR), "datetime64[s]")
    gated = np.full(n, given.pop("gated", False), np.bool_)
    market = np.full(n, given.pop("market"), np.intp)
    event = np.full(n, given.pop("event"), np.intp)
    floats = {name: np.full(n, value, np.float64) for name, value in given.items()}
    return MarketLines(
        market=market, event=event, at=at, settled=settled, gated=gated, **floats
    )


def season(rng: np.random.Generator, n: int) -> tuple[MarketLines, Floats]:
    """Random lines of a few events and moments, some void or open, with somebody's p."""
    fair = rng.uniform(0.08, 0.92, n)
    half = rng.uniform(0.002, 0.02, n)
    at = START + rng.integers(0, 12, n) * 7 * HOUR
    settled = at + rng.integers(1, 60, n) * HOUR
    settled[rng.random(n) < 0.1] = NEVER
    payout = (rng.random(n) < fair).astype(np.float64)
    payout[rng.random(n) < 0.1] = np.nan
    close = np.clip(fair + rng.normal(0, 0.05, n), 0.01, 0.99)
    close[rng.random(n) < 0.1] = np.nan
    p = np.clip(fair + rng.normal(0, 0.15, n), 0, 1)
    p[rng.random(n) < 0.1] = np.nan
    market = lines(
        event=rng.integers(0, max(n // 3, 1), n),
        at=at,
        settled=settled,
        bid=fair - half,
        ask=fair + half,
        fair=fair,
        close=close,
        payout=payout,
        fee_yes=0.02 * fair * (1 - fair),
        fee_no=0.02 * fair * (1 - fair),
        gated=rng.random(n) < 0.1,
    )
    return market, p
