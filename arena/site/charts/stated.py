"""Forecasts against the price that was shown with them."""

from collections.abc import Sequence
from dataclasses import replace

from arena.metrics.registry import METRICS
from arena.site.charts.parts import drawing
from arena.site.charts.parts.axis import Axis
from arena.site.charts.parts.drawing import Drawn, Room, figure, finite
from arena.site.charts.parts.palette import series_class
from arena.site.charts.parts.rows import Rows, laid_out, row, table
from arena.site.charts.parts.svg import mark, path
from arena.site.charts.subjects import LineWeight, Scale, Stated, Words
from arena.site.pages.parts.parts import Figure, Grid, Key, Strip

_SCALE = Scale("Probability of YES", lambda v: f"{v:.1f}", low=0.0, high=1.0)


def stated(
    words: Words, forecasts: Sequence[Stated], truth: int | None = None
) -> Figure | None:
    """Draw each contestant as a row from the price it was shown to what it said.

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
        place = laid_out(room, _SCALE, (), labels)
        drawn = table(
            place, _SCALE, [_row(place, n, forecast) for n, forecast in enumerate(kept)]
        )
        return replace(drawn, body=_truth(place, truth) + drawn.body)

    return figure(words, draw, _grid(kept, truth), _keys(kept, truth))


def _row(place: Rows, nth: int, forecast: Stated) -> tuple[str, str]:
    kind = (
        "ch-r" if forecast.weight is LineWeight.REFERENCE else series_class(0, forecast.weight)
    )
    inner = _forecast_svg(place.x, place.middle(nth), forecast)
    return kind, row(place, nth, forecast.who, f"{forecast.p:.2f}", inner)


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


def _grid(forecasts: Sequence[Stated], truth: int | None) -> Grid:
    shown, price = METRICS["stated_p"].shown, METRICS["price"].shown
    outcome = "open" if truth is None else "YES" if truth else "NO"
    offered, stated = (
        tuple(forecast.price for forecast in forecasts),
        tuple(forecast.p for forecast in forecasts),
    )
    return Grid(
        ("Name", "Moment, UTC", "Price shown", "Forecast", "Outcome"),
        (
            drawing.names([forecast.who for forecast in forecasts]),
            drawing.moments([forecast.at for forecast in forecasts]),
            Strip(tuple(map(price, offered)), offered),
            Strip(tuple(map(shown, stated)), stated),
            Strip((outcome,) * len(forecasts), (truth,) * len(forecasts)),
        ),
    )


def _keys(forecasts: Sequence[Stated], truth: int | None) -> tuple[Key, ...]:
    keys = [Key("forecast of YES", "ch-s1 ch-n0")]
    if any(forecast.price is not None for forecast in forecasts):
        keys.append(Key("price that was shown", "ch-r ch-tick"))
    if truth is not None:
        keys.append(
            Key(
                "outcome YES" if truth else "outcome NO",
                "ch-yes ch-wall" if truth else "ch-no ch-wall",
            )
        )
    return tuple(keys)
