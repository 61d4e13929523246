"""What Kalshi keeps of the past: candles.

Source: https://docs.kalshi.com/api-reference/market/get-market-candlesticks and
https://docs.kalshi.com/api-reference/historical/get-historical-market-candlesticks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from arena.records.money import Price
from tests.standins.venues.dialect import EPOCH, draw, seconds
from tests.standins.venues.kalshi_rows import Row, money
from tests.standins.venues.world import WorldMarket, WorldView

PERIODS = (1, 60, 1440)  # minutes
MOST_PERIODS = 5_000
DAY_BREAKS = 4 * 3600  # seconds after midnight in UTC: midnight in New York's summer
LEAST, MOST = Decimal(0), Decimal(1)
TRADED_RATE = 0.7  # of candles in which somebody traded


@dataclass(frozen=True, slots=True)
class Span:
    """The candles that are asked for: their ends lie between two moments, both counting."""

    start: int
    end: int
    minutes: int

    @property
    def periods(self) -> int:
        """How many candles that may be."""
        return max(self.end - self.start, 0) // (self.minutes * 60)


def candles(
    market: WorldMarket, view: WorldView, span: Span, *, archive: bool = False
) -> list[Row]:
    """Give the candles of a market that have ended, oldest first.

    The world moves at whole hours, so there are minutes only at their ends. The archive's
    candles write the same dollars under other names.
    """
    ended = min(span.end, seconds(view.at))
    since = span.start - span.minutes * 60 - 3600
    points = view.history(market.number, _at(since), _at(ended))
    buckets: dict[int, list[Price]] = {}
    for at, value in points:
        buckets.setdefault(_end(seconds(at), span.minutes), []).append(value)
    rows: list[Row] = []
    before: Price | None = None
    for end, values in sorted(buckets.items()):
        if span.start <= end <= ended:
            rows.append(_candle(market, end, values, before))
        before = values[-1]
    return [_archived(row) for row in rows] if archive else rows


def _at(since_epoch: int) -> datetime:
    return EPOCH + timedelta(seconds=since_epoch)


def _end(at: int, minutes: int) -> int:
    """Give the end of the candle that a moment falls into; an end belongs to its own."""
    length, shift = minutes * 60, DAY_BREAKS if minutes == PERIODS[-1] else 0
    return -(-(at - shift) // length) * length + shift


def _candle(
    market: WorldMarket, end: int, values: Sequence[Price], before: Price | None
) -> Row:
    opened = values[0] if before is None else before
    path = (opened, *values)
    traded = draw("candle", market.number, end) < TRADED_RATE
    told: Row = {} if before is None else {"previous_dollars": money(before)}
    return {
        "end_period_ts": end,
        "open_interest_fp": "10.00",
        "price": _distribution(path) | {"mean_dollars": money(path[-1])} if traded else told,
        "volume_fp": f"{draw('volume', market.number, end) * 900:.2f}" if traded else "0.00",
        "yes_ask": _distribution([min(value + market.tick, MOST) for value in path]),
        "yes_bid": _distribution([max(value - market.tick, LEAST) for value in path]),
    }


def _distribution(path: Sequence[Decimal]) -> Row:
    return {
        "close_dollars": money(path[-1]),
        "high_dollars": money(max(path)),
        "low_dollars": money(min(path)),
        "open_dollars": money(path[0]),
    }


def _archived(row: Row) -> Row:
    names = ("close", "high", "low", "mean", "open", "previous")
    found: Row = {}
    for key, value in row.items():
        if not isinstance(value, dict):
            found[key.removesuffix("_fp")] = value
            continue
        plain = {name.removesuffix("_dollars"): said for name, said in value.items()}
        missing = dict.fromkeys(names) if key == "price" else {}
        found[key] = missing | plain
    return found
