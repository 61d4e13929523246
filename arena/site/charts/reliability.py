"""Reliability diagrams."""

import math
from collections.abc import Sequence

from arena.metrics import figures
from arena.metrics.calibration import Bin
from arena.site.charts import drawing
from arena.site.charts.axis import Axis, Box, gutter, level, upright
from arena.site.charts.drawing import (
    COLOURS,
    Drawn,
    Room,
    band,
    box,
    figure,
    finite,
    group,
    path,
    polyline,
    small_figure,
    wide_is,
)
from arena.site.charts.drawing import words as text
from arena.site.charts.subjects import Scale, Words
from arena.site.pages.parts import Figure, Grid, Key

COUNTS = 90  # the height of the histogram
LARGEST, SMALLEST = 20, 6
WIDEST = 720  # of the square

_SHARE = Scale("Share", lambda v: figures.number(v, 3))
_TICKS = ((0.0, "0"), (0.2, "0.2"), (0.4, "0.4"), (0.6, "0.6"), (0.8, "0.8"), (1.0, "1"))


def reliability(
    words: Words, bins: Sequence[Bin], *, small: bool = False, tone: int = 0
) -> Figure | None:
    """Draw frequency over forecast, with the band of a calibrated forecaster.

    The area of a dot is its count; below are the counts as bars from zero. `tone` is the
    contestant's colour. None where there is nothing to draw.
    """
    kept = sorted(
        (bin_ for bin_ in bins if bin_.n > 0 and _drawable(bin_)), key=lambda b: b.mean_forecast
    )
    if not kept:
        return None

    def draw(room: Room) -> Drawn:
        return _drawing(kept, room, colour)

    colour = f"ch-s{tone % COLOURS + 1}"
    make = small_figure if small else figure
    return make(words, draw, _grid(kept), () if small else _keys(colour))


def _keys(colour: str) -> tuple[Key, ...]:
    return (
        Key("bin, larger for more forecasts", f"{colour} ch-n0"),
        Key("where a calibrated forecaster's bins fall", "ch-r ch-area"),
        Key("forecasts as frequent as they say", "ch-q ch-line"),
    )


def _drawable(bin_: Bin) -> bool:
    return finite(bin_.mean_forecast) is not None and finite(bin_.frequency) is not None


def _drawing(bins: Sequence[Bin], room: Room, colour: str) -> Drawn:
    top = room.line + room.size
    y = Axis(0.0, 1.0, top + 1, top, _TICKS)
    most = max(bin_.n for bin_ in bins)
    left = max(gutter(y, room), 12 + wide_is(figures.count(most), room.size))
    side = min(room.width - left - 16, WIDEST)
    square = Box(left, top, left + side, top + side)
    y = Axis(0.0, 1.0, square.bottom, square.top, _TICKS)
    x = Axis(0.0, 1.0, square.left, square.right, _TICKS)
    body = upright(y, square, room, "Share that came true")
    body += path(f"M{left} {square.bottom}l{side} {-side}", "ch-b")
    body += _band(bins, x, y)
    foot = square.bottom + room.line
    below = Box(left, foot, square.right, foot + COUNTS)
    line = polyline([(x.at(b.mean_forecast), y.at(b.frequency)) for b in bins])
    body += group(None, colour, path(line, "ch-k"))
    for nth, bin_ in enumerate(bins):
        body += group(nth, colour, _dot(bin_, x, y, most) + _bar(bin_, x, below, most))
    body += path(f"M{left} {below.bottom}h{side}", "ch-b")
    body += text(left - 12, below.bottom, "0", "ch-c ch-e")
    body += text(left - 12, below.top + 18, figures.count(most), "ch-c ch-e")
    body += level(Axis(0.0, 1.0, left, square.right, _TICKS), _flat(below), room, "Forecast")
    return Drawn(body, below.bottom + 2 * room.line + 22)


def _flat(below: Box) -> Box:
    """The foot of the counts: their axis has no lines up."""
    return Box(below.left, below.bottom, below.right, below.bottom)


def _band(bins: Sequence[Bin], x: Axis, y: Axis) -> str:
    """The band of a calibrated forecaster's bins: it is about the diagonal, not the data."""
    above = [(x.at(b.mean_forecast), y.at(b.high)) for b in bins if _banded(b)]
    below = [(x.at(b.mean_forecast), y.at(b.low)) for b in bins if _banded(b)]
    posts = "".join(
        f"M{a[0] - 7} {a[1]}h14m-7 0V{b[1]}m-7 0h14" for a, b in zip(above, below, strict=True)
    )
    return path(band(above, below), "ch-a") + path(posts, "ch-g")


def _banded(bin_: Bin) -> bool:
    return finite(bin_.low) is not None and finite(bin_.high) is not None


def _dot(bin_: Bin, x: Axis, y: Axis, most: int) -> str:
    half = max(SMALLEST, round(LARGEST * math.sqrt(bin_.n / most)))
    at = f"M{x.at(bin_.mean_forecast)} {y.at(bin_.frequency)}"
    arc = f"a{half} {half} 0 1 0"
    return path(f"{at}m{-half} 0{arc} {2 * half} 0{arc} {-2 * half} 0z", "ch-f")


def _bar(bin_: Bin, x: Axis, below: Box, most: int) -> str:
    high = max(2, round((below.bottom - below.top) * bin_.n / most))
    return path(box(x.at(bin_.mean_forecast) - 9, below.bottom - high, 18, high), "ch-t ch-p3")


def _grid(bins: Sequence[Bin]) -> Grid:
    head = ("Mean forecast", "Came true", "n", "Calibrated: low", "Calibrated: high")
    return Grid(
        head,
        (
            drawing.values(_SHARE, [b.mean_forecast for b in bins]),
            drawing.values(_SHARE, [b.frequency for b in bins]),
            drawing.counts([b.n for b in bins]),
            drawing.values(_SHARE, [finite(b.low) for b in bins]),
            drawing.values(_SHARE, [finite(b.high) for b in bins]),
        ),
    )
