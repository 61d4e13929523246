"""The drawings of the front page: equity, and what skill costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.site import places
from arena.site.charts.curves import curves
from arena.site.charts.parts.plane import plane
from arena.site.charts.parts.thin import even
from arena.site.charts.subjects import Curve, LineWeight, Point, Scale, Spot, Words
from arena.site.overview import Worth
from arena.site.pages.leaderboard.leaderboard_columns import LeaderboardLine, estimate_of
from arena.site.pages.parts.parts import Figure
from arena.site.reading import Reading

COLOURED = 5  # contestants whose lines are coloured; the others stay grey until pointed at
MOMENTS = 16  # of each line, so that the front page does not grow with time
LINES = 12  # that are drawn, so that it does not grow with contestants


@dataclass(frozen=True, slots=True)
class Figures:
    """What the front page draws, None for what there is nothing to draw of."""

    equity: Figure | None
    plane: Figure | None


def front_figures(lines: Sequence[LeaderboardLine], reading: Reading) -> Figures:
    """Draw the first contestants, the very first of them in colour; baselines are not drawn."""
    playing = [
        line for line in lines if not reading.entrant(line.standing.contestant).reference
    ]
    names = [line.standing.contestant for line in playing]
    weights = dict.fromkeys(names, LineWeight.QUIET)
    weights |= dict.fromkeys(names[:COLOURED], LineWeight.MAIN)
    group = _Group(playing[:LINES], weights, len(playing))
    return Figures(_equity(group, reading), _cost(group, reading))


@dataclass(frozen=True, slots=True)
class _Group:
    """Who is drawn, how much of the eye each may claim, and how many there are in all."""

    lines: Sequence[LeaderboardLine]
    weights: Mapping[ContestantId, LineWeight]
    everybody: int

    def words(self, drawn: int) -> str:
        """How many of how many are drawn."""
        if self.everybody == len(self.lines):
            return figures.many(drawn, "contestant")
        return f"{figures.count(drawn)} of {figures.many(self.everybody, 'contestant')}"


def _equity(group: _Group, reading: Reading) -> Figure | None:
    lines, weights = group.lines, group.weights
    kept = thinned({day.at for line in lines for day in line.profile.days})
    drawn = [
        Curve(
            reading.label(line.standing.contestant),
            tuple(_worth_points(days)),
            weights[line.standing.contestant],
            days[-2].at,
            places.contestant(line.standing.contestant),
            reading.tone(line.standing.contestant),
        )
        for line in lines
        if len(days := [day for day in line.profile.days if day.at in kept]) > 1
    ]
    if not drawn:
        return None
    caption = (
        f"{group.words(len(drawn))}: equity less the capital put in so far, as a share of it, "
        f"day by day{_until(reading)}. {_how(lines)}"
    )
    scale = Scale("Return", METRICS["returned"].shown, base=0.0)
    return curves(Words("equity", "Equity over time", caption), drawn, scale)


def _how(lines: Sequence[LeaderboardLine]) -> str:
    """What is solid, and what is dashed where a position is open."""
    if not any(line.standing.open for line in lines):
        return "Realised: no position is open."
    return (
        "Solid: realised. The dashed step at the end adds open positions at what they could "
        "be sold for (mark-to-market)."
    )


def thinned(moments: set[datetime]) -> set[datetime]:
    """So many moments as a small drawing has room for: the last, and evenly in time before."""
    every = sorted(moments)
    return {*even(every[:-1], MOMENTS - 1), *every[-1:]}


def _worth_points(days: Sequence[Worth]) -> Sequence[Point]:
    """Settled returns, and last the one with open positions at their marks."""
    settled = [Point(day.at, _share(day.settled, day.capital)) for day in days[:-1]]
    last = days[-1]
    worth = None if last.worth is None else _share(last.worth, last.capital)
    return (*settled, Point(last.at, worth))


def _share(worth: float, capital: float) -> float | None:
    return worth / capital - 1 if capital else None


def _cost(group: _Group, reading: Reading) -> Figure | None:
    lines, weights = group.lines, group.weights
    headline = reading.overview.headline
    spots = []
    for line in lines:
        estimate, cost = estimate_of(headline, line), line.standing.cost
        if estimate is None or estimate.value is None or cost is None:
            continue
        who, interval = line.standing.contestant, estimate.interval
        spot = Spot(
            reading.label(who),
            float(cost),
            estimate.value,
            weights[who],
            y_low=interval.low if interval else None,
            y_high=interval.high if interval else None,
            href=places.contestant(who),
            tone=reading.tone(who),
        )
        spots.append(spot)
    if len(spots) < 2 or not any(spot.x for spot in spots):  # noqa: PLR2004  # it compares
        return None
    metric, left_out = METRICS[headline], len(lines) - len(spots)
    caption = (
        f"{group.words(len(spots))}: what their answers cost, and their {metric.spoken} with "
        f"intervals{_until(reading)}."
    )
    if left_out:
        without = figures.many(left_out, "contestant")
        caption += f" Left out: {without} without a score or a known cost."
    across = Scale("Cost", METRICS["cost"].shown, low=0.0)
    up = Scale(metric.name, metric.shown, base=0.0 if metric.signed else None)
    return plane(Words("cost-skill", "Cost against skill", caption), spots, across, up)


def _until(reading: Reading) -> str:
    as_of = reading.overview.as_of
    return f", data to {figures.moment(as_of)}" if as_of else ""
