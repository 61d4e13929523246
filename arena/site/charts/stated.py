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
from arena.site.charts.subjects import Scale, Stated, Weight, Words
from arena.site.pages.parts.parts import Figure, Grid, Key, Strip

_SCALE = Scale("Probability of YES", lambda v: f"{v:.1f}", low=0.0, high=1.0)


def stated(words: Words, said: Sequence[Stated], truth: int | None = None) -> Figure | None:
    """Draw each contestant as a row from the price it was shown to what it said.

    None where there is nothing to draw.
    """
    kept = [replace(one, price=finite(one.price)) for one in said if finite(one.p) is not None]
    if not kept:
        return None
    told = [(one.who, f"{one.p:.2f}") for one in kept]

    def draw(room: Room) -> Drawn:
        place = laid_out(room, _SCALE, (), told)
        drawn = table(place, _SCALE, [_row(place, n, one) for n, one in enumerate(kept)])
        return replace(drawn, body=_truth(place, truth) + drawn.body)

    return figure(words, draw, _grid(kept, truth), _keys(kept, truth))


def _row(place: Rows, nth: int, one: Stated) -> tuple[str, str]:
    kind = "ch-r" if one.weight is Weight.REFERENCE else series_class(0, one.weight)
    inner = _drawn(place.x, place.middle(nth), one)
    return kind, row(place, nth, one.who, f"{one.p:.2f}", inner)


def _drawn(x: Axis, y: int, one: Stated) -> str:
    dot = path(mark(0, (x.at(one.p), y)), "ch-f")
    if one.price is None:
        return dot
    shown = x.at(one.price)
    way = path(f"M{shown} {y}h{x.at(one.p) - shown}", "ch-w")
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


def _grid(said: Sequence[Stated], truth: int | None) -> Grid:
    shown, price = METRICS["stated_p"].shown, METRICS["price"].shown
    outcome = "open" if truth is None else "YES" if truth else "NO"
    offered, stated = tuple(one.price for one in said), tuple(one.p for one in said)
    return Grid(
        ("Name", "Moment, UTC", "Price shown", "Forecast", "Outcome"),
        (
            drawing.names([one.who for one in said]),
            drawing.moments([one.at for one in said]),
            Strip(tuple(map(price, offered)), offered),
            Strip(tuple(map(shown, stated)), stated),
            Strip((outcome,) * len(said), (truth,) * len(said)),
        ),
    )


def _keys(said: Sequence[Stated], truth: int | None) -> tuple[Key, ...]:
    keys = [Key("forecast of YES", "ch-s1 ch-n0")]
    if any(one.price is not None for one in said):
        keys.append(Key("price that was shown", "ch-r ch-tick"))
    if truth is not None:
        keys.append(
            Key(
                "outcome YES" if truth else "outcome NO",
                "ch-yes ch-wall" if truth else "ch-no ch-wall",
            )
        )
    return tuple(keys)
