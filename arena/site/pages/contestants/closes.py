"""The value of bets at the close: one contestant's by price, and everybody's beside."""

from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate
from arena.site.charts.subjects import Scale, Tile, Words
from arena.site.charts.tiles import tiles
from arena.site.estimates import counted_n
from arena.site.overview import ContestantProfile
from arena.site.pages.contestants.contestant_charts import parts_figure
from arena.site.pages.parts.parts import Figure
from arena.site.reading import Reading
from arena.store.scores.evidence import BANDS

KEY: Final = "ev_clv"
MOST: Final = 20  # contestants in the grid
REACH: Final = 0.5  # where the tint is at its deepest, so that one long shot is not all of it
ROUND: Final = 0  # decimals where there is no room for more
EVERY: Final = "all"
DASH: Final = "\N{EN DASH}"
COLUMNS: Final = ("to 10", f"10{DASH}30", f"30{DASH}70", f"70{DASH}90", "from 90")  # cents


def by_price(profile: ContestantProfile) -> Figure | None:
    """One contestant's expected value at the close by the price it paid; None for no bet."""
    return parts_figure("price-paid", "At the close, by the price paid", profile.closes, KEY)


def closes_figure(reading: Reading) -> Figure | None:
    """Everybody's expected value at the close in a grid, by the price paid."""
    profiles = [reading.profile(name) for name in reading.overview.order]
    bet = [profile for profile in profiles if profile.closes and profile.money][:MOST]
    squares = [
        square for profile in bet for square in _row(reading.label(profile.contestant), profile)
    ]
    metric = METRICS[KEY]
    words = Words(
        "closes",
        "Bets at the close, by the price paid",
        f"{metric.name} of a dollar bet, {metric.better.value}: what the last price before the "
        "market closed said of bets, whatever the outcome. Columns are cents paid a share. The "
        "table has how many bets each is of, and an interval where there are events enough.",
    )
    shown = Scale(metric.short, metric.shown, low=-REACH, high=REACH, base=0.0)
    return tiles(words, squares, shown)


def _row(name: str, profile: ContestantProfile) -> list[Tile]:
    overall = profile.money.ev_clv if profile.money else None
    estimates = [(EVERY, overall)] if overall else []
    estimates += [
        (COLUMNS[BANDS.index(part.name)], part.scores[KEY]) for part in profile.closes
    ]
    return [_tile(name, column, estimate) for column, estimate in estimates]


def _tile(name: str, column: str, estimate: Estimate) -> Tile:
    metric, note = METRICS[KEY], counted_n(estimate.n)
    if estimate.interval:
        low, high = metric.shown(estimate.interval.low), metric.shown(estimate.interval.high)
        note = f"{low} to {high}, {note}"
    short = figures.percent(estimate.value, ROUND, signed=True)
    return Tile(name, column, estimate.value, metric.shown(estimate.value), note, short)
