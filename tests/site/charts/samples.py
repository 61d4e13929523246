"""A figure of each kind, over made up numbers that are always the same."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np

from arena.metrics import figures
from arena.metrics.calibration import Bin
from arena.site.charts.plane import plane
from arena.site.charts.prices import prices, stated
from arena.site.charts.reliability import reliability
from arena.site.charts.spans import spans, splits
from arena.site.charts.subjects import (
    BetMark,
    Curve,
    Flag,
    LineWeight,
    Point,
    Scale,
    Span,
    Split,
    Spot,
    Stated,
    Tile,
    Words,
)
from arena.site.charts.tiles import tiles
from arena.site.charts.timed import curves
from arena.site.pages.parts import Figure
from tests.present import present

DAY = timedelta(days=1)
START = datetime(2026, 1, 5, tzinfo=UTC)
NAMES = (
    "Alder the First",
    "Birch",
    "Cedar Large Thinking",
    "Dogwood",
    "Elm 4.5 Preview",
    "Fir",
    "Ginkgo",
    "Hazel",
)
DOLLARS = Scale("Equity", lambda v: f"${v:,.0f}", base=10_000)
SCORE = Scale("Skill against the market", lambda v: figures.number(v, 3, signed=True), base=0)
PROFIT = Scale("P/L", lambda v: figures.dollars(Decimal(round(v)), 0))
COST = Scale("Cost a forecast, log", lambda v: f"${v:.4g}", log=True)


def words(key: str) -> Words:
    return Words(key, f"Sample of {key}", "What this shows, 812 of them, to 2026-08-31.")


def walk(seed: int, days: int, start: float = 10_000, step: float = 90) -> tuple[Point, ...]:
    moves = np.random.default_rng(seed).normal(step / 20, step, days)
    values = start + np.concatenate([[0.0], np.cumsum(moves)[:-1]])
    return tuple(Point(START + n * DAY, round(float(v), 2)) for n, v in enumerate(values))


def lines(many: int, days: int) -> list[Curve]:
    weights = [LineWeight.MAIN] * 5 + [LineWeight.REFERENCE] + [LineWeight.QUIET] * many
    until = START + (days - days // 6) * DAY
    return [
        Curve(NAMES[n % 8] + (f" {n}" if n > 7 else ""), walk(n, days), weights[n], until)
        for n in range(many)
    ]


def equity() -> Figure | None:
    flags = [Flag(START + 40 * DAY, "Birch 2"), Flag(START + 120 * DAY, "Rules v3")]
    return curves(words("equity"), lines(8, 200), DOLLARS, flags)


def drawdown() -> Figure | None:
    def falls(points: tuple[Point, ...]) -> tuple[Point, ...]:
        best, found = 0.0, []
        for point in points:
            assert point.value is not None
            best = max(best, point.value)
            found.append(Point(point.at, point.value / best - 1))
        return tuple(found)

    scale = Scale("Drawdown", lambda v: figures.percent(v, 1), base=0, high=0)
    return curves(words("drawdown"), [Curve("Alder the First", falls(walk(1, 90)))], scale)


def price() -> Figure | None:
    rng = np.random.default_rng(4)
    levels = np.clip(0.4 + np.cumsum(rng.normal(0, 0.02, 300)), 0.02, 0.98)
    points = tuple(
        Point(START + n * DAY / 5, None if 120 < n < 135 else round(float(v), 3))
        for n, v in enumerate(levels)
    )
    bets = [
        BetMark(
            START + 4 * n * DAY, n % 3 > 0, 0.3 + n / 40, 20.0 * n + 5, n < 11, NAMES[n % 8]
        )
        for n in range(14)
    ]
    ruled = Flag(START + 61 * DAY, "Resolved YES")
    return prices(words("price"), Curve("Price", points), bets, ruled)


def forecasts() -> Figure | None:
    said = [
        Stated(name, START + n * DAY, 0.15 + 0.09 * n, 0.41 if n != 3 else None)
        for n, name in enumerate(NAMES)
    ]
    said.append(Stated("Market follower", START, 0.41, 0.41, LineWeight.REFERENCE))
    return stated(words("forecasts"), said, 1)


def bins() -> list[Bin]:
    found = []
    for n in range(10):
        mid = (n + 0.5) / 10
        wide = 0.06 + 0.1 * abs(0.5 - mid)
        hit = min(1.0, max(0.0, mid + 0.12 * np.sin(n * 1.7)))
        low, high = max(0.0, mid - wide), min(1.0, mid + wide)
        found.append(Bin(0.0, 1.0, 12 + 17 * (n % 4), mid, round(float(hit), 3), low, high))
    return found


def calibration() -> Figure | None:
    return reliability(words("calibration"), bins())


def small_calibration() -> Figure | None:
    return reliability(words("calibration-alder"), bins(), small=True)


def cost_and_skill() -> Figure | None:
    spots = [
        Spot(
            name,
            0.002 * 2.6**n,
            0.012 * n - 0.03 + 0.02 * (n % 3),
            x_low=0.0016 * 2.6**n,
            x_high=0.0026 * 2.6**n,
            y_low=0.012 * n - 0.05 + 0.02 * (n % 3),
            y_high=0.012 * n - 0.01 + 0.02 * (n % 3),
        )
        for n, name in enumerate(NAMES)
    ]
    spots.append(Spot("Market follower", 0.0, 0.0, LineWeight.REFERENCE))
    return plane(words("plane"), spots, COST, SCORE)


def closing() -> Figure | None:
    columns = ("Politics", "Sports", "Crypto", "Weather", "Economics")
    squares = []
    for r, name in enumerate(NAMES[:6]):
        for c, column in enumerate(columns):
            value = None if (r, c) == (2, 3) else ((r * 7 + c * 5) % 13 - 6) / 100
            text = figures.percent(value, 1, signed=True)
            squares.append(Tile(name, column, value, text, f"n {r + c}"))
    return tiles(words("clv"), squares, Scale("CLV", lambda v: figures.percent(v, 1), base=0))


def parts() -> Figure | None:
    rows = []
    for n, name in enumerate(NAMES[:6]):
        bits = (
            ("Won on settled bets", 420.0 - 90 * n),
            ("Marked, not settled", -60.0 + 40 * n),
            ("Fees", -12.0 - 3 * n),
        )
        rows.append(Split(name, bits, sum(v for _, v in bits)))
    return splits(words("parts"), rows, PROFIT)


def intervals() -> Figure | None:
    rows = [
        Span(name, 0.05 - 0.012 * n, 0.02 - 0.014 * n, 0.08 - 0.009 * n, 812 - 90 * n)
        for n, name in enumerate(NAMES)
    ]
    rows.append(Span("Market follower", 0.0, None, None, 812, "", LineWeight.REFERENCE))
    rows.append(Span("Nobody", None, None, None, 0))
    return spans(words("spans"), rows, SCORE)


def chosen() -> Figure | None:
    """Lines of which a part, or a log axis, can be chosen."""
    found = [
        Curve(
            name, tuple(Point(p.at, present(p.value) - 10_000) for p in walk(n, 100, step=500))
        )
        for n, name in enumerate(NAMES[:2], 5)
    ]
    scale = replace(PROFIT, base=0, floor=-10_000)
    return curves(words("chosen"), found, scale, ranges=(90, 30, 7))


SAMPLES: dict[str, Callable[[], Figure | None]] = {
    "equity": equity,
    "drawdown": drawdown,
    "price": price,
    "forecasts": forecasts,
    "calibration": calibration,
    "small_calibration": small_calibration,
    "plane": cost_and_skill,
    "clv": closing,
    "parts": parts,
    "spans": intervals,
    "chosen": chosen,
}
