"""Markets as rounds offered them, for the tests of shadow books."""

from collections.abc import Mapping

import numpy as np

from arena.metrics.shadow import Gate, OfferedMarket, Paths, PlacedBets, some
from arena.odds import Floats
from arena.scoring.bets.book import MarketLines
from arena.scoring.bets.shadow import OwnBets
from tests.scoring.markets import HOUR, season

Forecasts = Mapping[str, Floats]


def paths(lines: MarketLines) -> Paths:
    """Prices that stay where they were until the close, a day after the last line."""
    moments = np.append(np.unique(lines.at), lines.at.max() + 100 * HOUR)
    mids = np.full((int(lines.market.max()) + 1, len(moments)), np.nan)
    for row, market in enumerate(lines.market.tolist()):
        first = int(np.searchsorted(moments, lines.at[row]))
        mids[market, first:] = lines.fair[row]
        if not np.isnan(lines.close[row]):
            mids[market, -1] = lines.close[row]
    return Paths(moments, mids, np.full(len(mids), len(moments) - 1))


def placed(lines: MarketLines, rows: list[int], *, stake: float = 100.0) -> PlacedBets:
    """Equal bets on YES, on some of the lines."""
    where = np.array(rows, np.intp)
    own = OwnBets(np.ones(len(rows), np.bool_), np.full(len(rows), stake))
    fills = some(lines, where)
    return PlacedBets(fills, own, fills, own, where, np.zeros(len(rows), np.bool_), 10_000.0)


def offered(
    lines: MarketLines,
    forecasts: Forecasts,
    bets: Mapping[str, PlacedBets] | None = None,
    *,
    held: Floats | None = None,
) -> OfferedMarket:
    """A market with these lines, forecasts and bets."""
    n = len(lines)
    events = int(lines.event.max()) + 1
    return OfferedMarket(
        lines=lines,
        markets=tuple(f"m{code}" for code in range(int(lines.market.max()) + 1)),
        events=tuple(f"e{code}" for code in range(events)),
        exclusive=np.zeros(events, np.bool_),
        close_bid=np.clip(lines.close - 0.01, 0, 1),
        close_ask=np.clip(lines.close + 0.01, 0, 1),
        gate=Gate(np.zeros(n, np.bool_) if held is None else held.astype(np.bool_)),
        paths=paths(lines),
        forecasts=forecasts,
        repeated={},
        placed=bets or {},
        capital=dict.fromkeys([*forecasts, *(bets or {})], 10_000.0),
    )


def drawn(seed: int, n: int = 120, names: tuple[str, ...] = ("ada", "ben")) -> OfferedMarket:
    """Random lines with a gate, and forecasters who each see some of them."""
    rng = np.random.default_rng(seed)
    lines, p = season(rng, n)
    lines = some(lines, np.arange(n), gated=np.zeros(n, np.bool_))
    said = {}
    for name in names:
        said[name] = np.where(rng.random(n) < 0.2, np.nan, np.clip(p + 0.05, 0, 1))
        p = rng.permutation(p)
    return offered(lines, said, held=(rng.random(n) < 0.15).astype(np.float64))
