"""A price over time between its bid and its ask, with bets on it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from arena.metrics.registry import METRICS
from arena.site.charts import drawing
from arena.site.charts.axis import (
    Axis,
    Box,
    Rows,
    axis,
    date_axis,
    dated,
    gutter,
    laid_out,
    row,
    table,
    upright,
)
from arena.site.charts.drawing import (
    Drawn,
    Room,
    figure,
    finite,
    group,
    mark,
    path,
    series_class,
    stairs,
)
from arena.site.charts.subjects import BetMark, Curve, Flag, LineWeight, Scale, Stated, Words
from arena.site.charts.timed import Course, PlotField, course, flagged, strands
from arena.site.pages.parts import Figure, Grid, Key, Strip, Value
from arena.site.sanitize import one_line

HEIGHT = 560
LARGEST, SMALLEST = 26, 9  # half the width of a triangle
MOST_BETS = 400

_Pair = tuple[str, Value]
_Row = tuple[tuple[datetime, int, str], _Pair, _Pair, _Pair, _Pair]  # by moment, kind, name

LEAST_SPAN = 0.1  # of prices on the axis, so that a cent is no mountain

_SCALE = Scale("Price of YES", lambda v: f"{v:.3f}".removesuffix("0"))


def prices(
    words: Words, price: Curve, bets: Sequence[BetMark], ruled: Flag | None = None
) -> Figure | None:
    """Draw the price of YES as steps, its bid and ask as a band, and bets where they traded.

    The axis holds what is drawn and no more, unless that is less than `LEAST_SPAN`. A
    triangle points up for YES and down for NO; its area is the stake, of the largest
    `MOST_BETS` bets; it is hollow while it is not settled. None where there is nothing to
    draw.
    """
    series = course([replace(price, weight=LineWeight.QUIET)])
    if series is None:
        return None
    series = Course(series.moments, (replace(series.tracks[0], kind="ch-n"),))
    sound = [bet for bet in bets if math.isfinite(bet.price) and math.isfinite(bet.stake)]
    kept = sorted(sound, key=lambda bet: (-bet.stake, bet.at, bet.who))[:MOST_BETS]

    def draw(room: Room) -> Drawn:
        field = _field(series, kept, ruled, room)
        inside = upright(field.y, field.box, room, _SCALE.label)
        inside += dated(field.x, field.box, room)
        inside += flagged([ruled] if ruled else [], field)
        inside += strands(series, field, stairs) + _triangles(kept, field)
        return Drawn(inside, HEIGHT, field.data)

    return figure(words, draw, _grid(series, kept, ruled), _keys(series, kept))


def _field(
    series: Course, bets: Sequence[BetMark], ruled: Flag | None, room: Room
) -> PlotField:
    top, bottom = room.line + room.size, HEIGHT - room.line - 14
    y = axis(_SCALE, _reach(series, bets), (bottom, top), 5)
    left, right = gutter(y, room), room.width - 16
    moments = [*series.span, *(bet.at for bet in bets), *([ruled.at] if ruled else [])]
    x = date_axis(moments, (left, right), max(2, (right - left) // 112))
    return PlotField(room, Box(left, top, right, bottom), x, y)


def _reach(series: Course, bets: Sequence[BetMark]) -> tuple[float, float]:
    """The least and the most that the axis must hold."""
    values = [*series.reach(), *(bet.price for bet in bets)]
    low, high = min(values), max(values)
    lacking = max(0.0, LEAST_SPAN - (high - low)) / 2
    low, high = max(0.0, low - lacking), min(1.0, high + lacking)
    return min(low, 1.0 - LEAST_SPAN), max(high, LEAST_SPAN)


def _triangles(bets: Sequence[BetMark], field: PlotField) -> str:
    """Large ones first, so that small ones lie on top."""
    most = max((bet.stake for bet in bets), default=0.0)
    drawn: dict[str, list[str]] = {}
    for bet in bets:
        share = max(bet.stake, 0.0) / most if most > 0 else 0.0
        half = max(SMALLEST, round(LARGEST * math.sqrt(share)))
        x, y = field.x.at(bet.at.timestamp()), field.y.at(bet.price)
        side = "ch-yes" if bet.yes else "ch-no"
        fill = "ch-f" if bet.settled else "ch-o"
        drawn.setdefault(f"{side} {fill}", []).append(_triangle(x, y, half, up=bet.yes))
    return "".join(
        group(None, kind, path("".join(parts), kind.split()[1]))
        for kind, parts in sorted(drawn.items())
    )


def _triangle(x: int, y: int, half: int, *, up: bool) -> str:
    high = round(half * 1.7)
    tip = -high if up else high
    return f"M{x} {y + (high // 2 if up else -(high // 2))}m{-half} 0h{2 * half}l{-half} {tip}z"


def _grid(series: Course, bets: Sequence[BetMark], ruled: Flag | None) -> Grid:
    """A row a price and a row a bet, in the order of time."""
    shown = METRICS["price"].shown
    dollars = METRICS["amount"].shown
    none = ("", None)
    rows: list[_Row] = [
        ((point.at, 0, ""), (shown(point.value), point.value), none, none, none)
        for point in series.tracks[0].curve.points
    ]
    quoted = {
        point.at: f"{shown(point.low)} to {shown(point.high)}"
        for point in series.tracks[0].curve.points
        if point.low is not None and point.high is not None
    }
    for bet in bets:
        side = "YES" if bet.yes else "NO"
        side_cell = (side if bet.settled else f"{side}, not settled", side)
        price, stake = (shown(bet.price), bet.price), (dollars(bet.stake), bet.stake)
        rows.append(((bet.at, 1, bet.who), price, _named(bet.who), side_cell, stake))
    if ruled:
        rows.append(((ruled.at, 2, ""), none, _named(ruled.text), none, none))
    rows.sort(key=lambda row: row[0])
    moments = drawing.moments([row[0][0] for row in rows])
    cell_columns = zip(*[row[1:] for row in rows], strict=True)
    columns = [Strip(*map(tuple, zip(*column, strict=True))) for column in cell_columns]
    happened = "Bet, or what happened"
    head = ("Moment, UTC", "Price of YES", "Bid to ask", happened, "Side", "Stake")
    books = Strip(tuple(quoted.get(row[0][0], "") if not row[0][1] else "" for row in rows))
    return Grid(head, (moments, columns[0], books, *columns[1:]))


def _named(text: str) -> _Pair:
    line = one_line(text, drawing.NAME)
    return line, line


def _keys(series: Course, bets: Sequence[BetMark]) -> tuple[Key, ...]:
    keys = [Key("price of YES", "ch-n")]
    if series.tracks[0].banded:
        keys.append(Key("bid to ask", "ch-n ch-area"))
    if any(bet.yes for bet in bets):
        keys.append(Key("bet on YES, larger for a larger stake", "ch-yes ch-up"))
    if any(not bet.yes for bet in bets):
        keys.append(Key("bet on NO", "ch-no ch-down"))
    if any(not bet.settled for bet in bets):
        keys.append(Key("not settled", "ch-q ch-ring"))
    return tuple(keys)


_STATED_SCALE = Scale("Probability of YES", lambda v: f"{v:.1f}", low=0.0, high=1.0)


def stated(
    words: Words, forecasts: Sequence[Stated], truth: int | None = None
) -> Figure | None:
    """Draw each contestant as a row from the price at the decision to what it said.

    None where there is nothing to draw.
    """
    kept = [
        replace(forecast, price=finite(forecast.price))
        for forecast in forecasts
        if finite(forecast.p) is not None
    ]
    if not kept:
        return None
    labels = [(forecast.who, f"{forecast.p:.2f}") for forecast in kept]

    def draw(room: Room) -> Drawn:
        place = laid_out(room, _STATED_SCALE, (), labels)
        drawn = table(
            place, _STATED_SCALE, [_row(place, n, forecast) for n, forecast in enumerate(kept)]
        )
        return replace(drawn, body=_truth(place, truth) + drawn.body)

    return figure(words, draw, _stated_grid(kept, truth), _stated_keys(kept, truth))


def _row(place: Rows, nth: int, forecast: Stated) -> tuple[str, str]:
    inner = _forecast_svg(place.x, place.middle(nth), forecast)
    drawn = row(place, nth, forecast.who, f"{forecast.p:.2f}", inner)
    return series_class(0, forecast.weight), drawn


def _forecast_svg(x: Axis, y: int, forecast: Stated) -> str:
    dot = path(mark(0, (x.at(forecast.p), y)), "ch-f")
    if forecast.price is None:
        return dot
    shown = x.at(forecast.price)
    way = path(f"M{shown} {y}h{x.at(forecast.p) - shown}", "ch-w")
    return way + path(f"M{shown} {y - 13}v26", "ch-x") + dot


def _truth(place: Rows, truth: int | None) -> str:
    """Where the truth is: a wall at one end of the axis."""
    if truth is None:
        return ""
    at, box = place.x.at(float(truth)) + (12 if truth else -12), place.box
    side = "ch-yes" if truth else "ch-no"
    return (
        f'<g class="{side}">' + path(f"M{at} {box.top}v{box.bottom - box.top}", "ch-h") + "</g>"
    )


def _stated_grid(forecasts: Sequence[Stated], truth: int | None) -> Grid:
    shown, price = METRICS["stated_p"].shown, METRICS["price"].shown
    outcome = "open" if truth is None else "YES" if truth else "NO"
    offered = tuple(forecast.price for forecast in forecasts)
    stated = tuple(forecast.p for forecast in forecasts)
    return Grid(
        ("Name", "Moment, UTC", "Price at decision", "Forecast", "Outcome"),
        (
            drawing.names([forecast.who for forecast in forecasts]),
            drawing.moments([forecast.at for forecast in forecasts]),
            Strip(tuple(map(price, offered)), offered),
            Strip(tuple(map(shown, stated)), stated),
            Strip((outcome,) * len(forecasts), (truth,) * len(forecasts)),
        ),
    )


def _stated_keys(forecasts: Sequence[Stated], truth: int | None) -> tuple[Key, ...]:
    keys = [Key("forecast of YES", "ch-s1 ch-n0")]
    if any(forecast.price is not None for forecast in forecasts):
        keys.append(Key("price at the decision", "ch-r ch-tick"))
    if truth is not None:
        side = "YES" if truth else "NO"
        keys.append(Key(f"outcome {side}", f"ch-{side.lower()} ch-wall"))
    return tuple(keys)
