"""The drawings of the front page: worth, ranks, and what skill costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.site import places
from arena.site.charts.curves import curves
from arena.site.charts.plane import plane
from arena.site.charts.ranks import ranks
from arena.site.charts.subjects import Curve, Point, Scale, Spot, Weight, Words
from arena.site.charts.thin import even
from arena.site.overview import Place, Worth
from arena.site.pages.glances import Line, estimate_of
from arena.site.reading import Reading
from arena.site.views.parts import Figure

COLOURED = 5  # contestants whose lines are coloured; the others stay grey until pointed at
MOMENTS = 16  # of each line, so that the front page does not grow with time
LINES = 12  # that are drawn, and the market, so that it does not grow with contestants


@dataclass(frozen=True, slots=True)
class Figures:
    """What the front page draws, None for what there is nothing to draw of."""

    equity: Figure | None
    ranks: Figure | None
    plane: Figure | None


def front_figures(lines: Sequence[Line], reading: Reading) -> Figures:
    """Draw the first, the very first of them and the market apart from the rest."""
    weights = _weights(lines, reading)
    below = [one for one in lines[LINES:] if _is_market(one, weights)]
    group = _Group([*lines[:LINES], *below[:1]], weights, len(lines))
    return Figures(_equity(group, reading), _history(group, reading), _cost(group, reading))


@dataclass(frozen=True, slots=True)
class _Group:
    """Who is drawn, how much of the eye each may claim, and how many there are in all."""

    lines: Sequence[Line]
    weights: Mapping[ContestantId, Weight]
    everybody: int

    def words(self, drawn: int) -> str:
        """How many of how many are drawn."""
        if self.everybody == len(self.lines):
            return figures.many(drawn, "contestant")
        return f"{figures.count(drawn)} of {figures.many(self.everybody, 'contestant')}"


def _weights(lines: Sequence[Line], reading: Reading) -> Mapping[ContestantId, Weight]:
    names = [line.standing.contestant for line in lines]
    entered = [name for name in names if not reading.entrant(name).reference]
    market = [name for name in names if reading.entrant(name).agent == "market"]
    weights = dict.fromkeys(names, Weight.QUIET)
    weights |= dict.fromkeys(entered[:COLOURED], Weight.MAIN)
    return weights | dict.fromkeys(market, Weight.REFERENCE)


def _is_market(line: Line, weights: Mapping[ContestantId, Weight]) -> bool:
    return weights[line.standing.contestant] is Weight.REFERENCE


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
        )
        for line in lines
        if len(days := [day for day in line.profile.days if day.at in kept]) > 1
    ]
    if not drawn:
        return None
    caption = (
        f"{group.words(len(drawn))}, return on the capital put in so far, day "
        f"by day{_until(reading)}. {_how(lines)}"
    )
    scale = Scale("Return", METRICS["returned"].shown, base=0.0)
    return curves(Words("equity", "Return over time", caption), drawn, scale)


def _how(lines: Sequence[Line]) -> str:
    """What is solid, and what is dashed where a position is open."""
    if not any(line.standing.open for line in lines):
        return "From sales and settlements alone: no position is open."
    return (
        "Solid: from sales and settlements alone. The dashed step at the end adds what open "
        "positions would bring now; it is not settled."
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


def _history(group: _Group, reading: Reading) -> Figure | None:
    lines, weights = group.lines, group.weights
    kept = thinned({one.at for one in reading.overview.ranks})
    history = [one for one in reading.overview.ranks if one.at in kept]
    if len(history) < 2 or len(lines) < 2:  # noqa: PLR2004  # a line has two ends, a rank two
        return None
    drawn = []
    for n, line in enumerate(lines):
        who = line.standing.contestant
        found = [(one.at, one.places.get(who)) for one in history]
        points = [_rank_point(at, place, banded=n == 0) for at, place in found]
        if any(point.value is not None for point in points):
            href = places.contestant(who)
            drawn.append(Curve(reading.label(who), tuple(points), weights[who], href=href))
    if not drawn:
        return None
    name = METRICS[reading.overview.headline].spoken
    caption = (
        f"{group.words(len(drawn))} by {name}, as forecasts came "
        f"out{_until(reading)}. The band is the ranks that tests of all pairs left open to "
        f"{reading.label(lines[0].standing.contestant)}, who stands first."
    )
    return ranks(Words("ranks", "Ranks over time", caption), drawn, len(drawn))


def _rank_point(at: datetime, place: Place | None, *, banded: bool) -> Point:
    if place is None or place.rank is None:
        return Point(at, None)
    if not banded:
        return Point(at, float(place.rank))
    return Point(at, float(place.rank), float(place.low), float(place.high))


def _cost(group: _Group, reading: Reading) -> Figure | None:
    lines, weights = group.lines, group.weights
    headline = reading.overview.headline
    spots = []
    for line in lines:
        found, cost = estimate_of(headline, line), line.standing.cost
        if found is None or found.value is None or cost is None:
            continue
        who, interval = line.standing.contestant, found.interval
        spot = Spot(
            reading.label(who),
            float(cost),
            found.value,
            weights[who],
            y_low=interval.low if interval else None,
            y_high=interval.high if interval else None,
            href=places.contestant(who),
        )
        spots.append(spot)
    if len(spots) < 2 or not any(spot.x for spot in spots):  # noqa: PLR2004  # it compares
        return None
    metric, left_out = METRICS[headline], len(lines) - len(spots)
    caption = (
        f"{group.words(len(spots))}: what their answers cost, and their "
        f"{metric.spoken} with intervals{_until(reading)}."
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
