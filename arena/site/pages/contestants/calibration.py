"""The page of calibration: reliability diagrams, parts of the Brier score, and tests."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.metrics import figures
from arena.metrics.calibration import BINS, Reliability
from arena.metrics.registry import METRICS
from arena.scoring.bands import binomial_band
from arena.site import Document, Page, places
from arena.site.charts.reliability import reliability
from arena.site.charts.subjects import Words
from arena.site.estimates import count_cell, counted_n, estimated, formula, head_of, metric_cell
from arena.site.pages.parts import Cell, Column, Fact, Figure, Head, Link
from arena.site.reading import Reading, shown_moment
from arena.site.sanitize import folder_name

NEARLY: Final = 0.8  # from here on a forecast calls something nearly certain


@dataclass(frozen=True, slots=True)
class UpperForecasts:
    """Forecasts of at least `NEARLY`: what they said on average, and how often it came.

    A calibrated contestant's frequency lies from `low` to `high` with the level's
    probability, as if each forecast were an event of its own.
    """

    n: int
    said: float
    came: float
    low: float
    high: float

    @property
    def too_sure(self) -> bool:
        """Whether things came less often than chance lets them come."""
        return self.came < self.low


def means_by_outcome(reliability: Reliability) -> tuple[float, float] | None:
    """The mean forecast where YES came and where NO came; None where one of them never did.

    They follow from the bins: forecasts and outcomes move together between bins and, half of
    WBC, inside them; that covariance over UNC is the distance of the two means.
    """
    spread, inside = reliability.scores["unc"].value, reliability.scores["wbc"].value
    if not spread or inside is None:
        return None
    n = np.array([row.n for row in reliability.bins], dtype=np.float64)
    forecasts = np.array([row.mean_forecast for row in reliability.bins])
    came = np.array([row.frequency for row in reliability.bins])
    mean, rate = float(n @ forecasts / n.sum()), float(n @ came / n.sum())
    together = float(n @ ((forecasts - mean) * (came - rate)) / n.sum()) + inside / 2
    apart = together / spread
    return mean + (1 - rate) * apart, mean - rate * apart


def upper(reliability: Reliability) -> UpperForecasts | None:
    """Forecasts of at least 0.8 taken together; None where there are none."""
    bins = [row for row in reliability.bins if row.starts >= NEARLY - 1e-9]
    n = sum(row.n for row in bins)
    if not n:
        return None
    mean_forecast = sum(row.n * row.mean_forecast for row in bins) / n
    came = sum(row.n * row.frequency for row in bins) / n
    band = binomial_band(np.array([mean_forecast]), np.array([n]), reliability.level)
    return UpperForecasts(n, mean_forecast, came, float(band.low[0]), float(band.high[0]))


@dataclass(frozen=True, slots=True)
class CalibratedRow:
    """One forecaster's numbers in a table; `about` is the market's price in the first row."""

    about: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CalibrationTable:
    """A table of forecasters: `key` is its id on the page, `words` stand above it."""

    key: str
    title: str
    words: str
    columns: tuple[Column, ...]
    rows: tuple[CalibratedRow, ...]


@dataclass(frozen=True, slots=True)
class Square:
    """How many forecasts lie in a bin, and what share of all; `tint` is the square's class."""

    text: str
    value: int
    share: float
    tint: str


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """Where one forecaster's forecasts lie, bin by bin."""

    about: Link
    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class CalibrationPage:
    """templates/site/calibration.html. `others` are rows that only the twin has room for."""

    head: Head
    lead: str
    level: str
    facts: tuple[Fact, ...]
    diagrams: tuple[Figure, ...]
    diagrams_note: str
    spans: tuple[str, ...]
    tints: str
    sharpness: tuple[SpreadRow, ...]
    tables: tuple[CalibrationTable, ...]
    others: tuple[CalibrationTable, ...]
    others_note: str


MOST_DIAGRAMS: Final = 12  # a page's drawings; the others are on the pages of contestants
MOST_ROWS: Final = 30
TINTS: Final = (0.10, 0.20, 0.40)  # shares from which a square is darker

_MARKET = "The market's price, every question"
_LEAD = (
    "A forecaster is calibrated when events with a forecast of 70% happen 70 times in a "
    "hundred. Calibration alone is no skill: a forecast that always equals the base rate, the "
    "share of YES, is calibrated too. So the page also shows how far the forecasts of each "
    "are from the base rate, and how well they separate YES from NO."
)


@dataclass(frozen=True, slots=True)
class Forecaster:
    """Somebody with resolved forecasts: a contestant, or the market's price."""

    key: str
    about: Link
    found: Reliability
    tone: int | None = None


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of this page: its metrics, and how one forecaster's cells are made."""

    key: str
    title: str
    words: str
    metrics: tuple[str, ...]
    cells: Callable[[Reliability], tuple[Cell, ...]]


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of calibration."""
    yield Page(places.CALIBRATION, "calibration.html", calibration_page(reading))


def calibration_page(reading: Reading) -> CalibrationPage:
    """Everybody with resolved forecasts, the market's price first."""
    everybody = forecasters(reading)
    drawn = [d for forecaster in everybody[:MOST_DIAGRAMS] if (d := diagram(forecaster))]
    as_of = reading.overview.as_of
    return CalibrationPage(
        head=Head(
            "Calibration",
            places.root_of(places.CALIBRATION),
            "calibration",
            "Reliability diagrams, the parts of the Brier score, and tests of calibration.",
            shown_moment(as_of) if as_of else None,
            places.twin(places.CALIBRATION),
        ),
        lead=_LEAD,
        level=figures.percent(reading.overview.level, 0),
        facts=_facts(reading),
        diagrams=tuple(drawn),
        diagrams_note=_left_out_note(
            len(drawn), len(everybody), "drawn here; each has one on its page"
        ),
        spans=tuple(f"{n / BINS:.1f}\N{EN DASH}{(n + 1) / BINS:.1f}" for n in range(BINS)),
        tints=", ".join(figures.percent(step, 0) for step in TINTS),
        sharpness=tuple(
            SpreadRow(forecaster.about, tuple(_squares(forecaster.found)))
            for forecaster in everybody[:MOST_ROWS]
        ),
        tables=tuple(_table(table, everybody[:MOST_ROWS]) for table in _TABLES),
        others=tuple(
            _table(table, everybody[MOST_ROWS:]) for table in _TABLES if everybody[MOST_ROWS:]
        ),
        others_note=_left_out_note(
            MOST_ROWS, len(everybody), "listed here; all are in the JSON file"
        ),
    )


def forecasters(reading: Reading) -> list[Forecaster]:
    """Everybody with resolved forecasts, in the order of the leaderboard, the market first."""
    overview = reading.overview
    listed = []
    if overview.market is not None and overview.market.n:
        listed.append(Forecaster("market-price", Link(_MARKET), overview.market))
    for name in overview.order:
        calibration = reading.profile(name).reliability
        if calibration is not None and calibration.n:
            about = reading.contestant(name, places.root_of(places.CALIBRATION))
            key = f"of-{folder_name(name)}"
            listed.append(Forecaster(key, about, calibration, reading.tone(name)))
    return listed


def diagram(forecaster: Forecaster) -> Figure | None:
    """One forecaster's reliability diagram, small."""
    calibration = forecaster.found
    caption = (
        f"{figures.many(calibration.n, 'forecast')} of "
        f"{figures.many(calibration.events, 'event')}. "
        f"Calibration error {estimated('ece', calibration.scores.get('ece')).text}."
    )
    words = Words(forecaster.key, forecaster.about.text, caption)
    return reliability(words, calibration.bins, small=True, tone=forecaster.tone or 0)


def _facts(reading: Reading) -> tuple[Fact, ...]:
    overview = reading.overview
    return (
        Fact("resolved forecasts", figures.count(overview.forecasts)),
        Fact("markets", figures.count(overview.markets)),
        Fact("events", figures.count(overview.events), "what intervals resample"),
        Fact(
            "bins",
            f"{BINS} of equal width",
            "the lower end belongs to a bin, and 1 to the last",
            formula("ece", ""),
        ),
    )


def _squares(calibration: Reliability) -> Iterator[Square]:
    """How many forecasts lie in each bin, tinted by their share of a forecaster's own."""
    by_start = {round(b.starts * BINS): b.n for b in calibration.bins}
    for n in range(BINS):
        count = by_start.get(n, 0)
        share = count / calibration.n
        tint = sum(share >= step for step in TINTS)
        yield Square(figures.count(count), count, share, f"tint{tint}" if tint else "")


def _table(made: _Table, everybody: Sequence[Forecaster]) -> CalibrationTable:
    return CalibrationTable(
        made.key,
        made.title,
        made.words,
        tuple(head_of(key, "") for key in made.metrics),
        tuple(
            CalibratedRow(forecaster.about, made.cells(forecaster.found))
            for forecaster in everybody
        ),
    )


def _scores(*keys: str) -> Callable[[Reliability], tuple[Cell, ...]]:
    def cells(calibration: Reliability) -> tuple[Cell, ...]:
        return tuple(estimated(key, calibration.scores.get(key)) for key in keys)

    return cells


def _parts(*keys: str) -> Callable[[Reliability], tuple[Cell, ...]]:
    """The parts of a score, which add up; without intervals."""

    def cells(calibration: Reliability) -> tuple[Cell, ...]:
        values = [
            calibration.scores[key].value if key in calibration.scores else None for key in keys
        ]
        return tuple(metric_cell(key, value) for key, value in zip(keys, values, strict=True))

    return cells


def _honest(calibration: Reliability) -> tuple[Cell, ...]:
    error = estimated("ece", calibration.scores.get("ece"))
    p = calibration.test.p
    tested = metric_cell("miscalibration_p", p, "few forecasts" if calibration.few else "")
    n = count_cell(calibration.n, figures.many(calibration.events, "event"))
    return (error, *_mean_cells(calibration), _upper(calibration), tested, n)


def _mean_cells(calibration: Reliability) -> tuple[Cell, Cell]:
    yes, no = means_by_outcome(calibration) or (None, None)
    return metric_cell("mean_yes", yes), metric_cell("mean_no", no)


def _upper(calibration: Reliability) -> Cell:
    high = upper(calibration)
    if high is None:
        return Cell("no such forecast")
    shown = METRICS["upper"].shown
    verdict = "overconfident" if high.too_sure else "within chance"
    if high.came > high.high:
        verdict = "underconfident"
    note = f"mean {shown(high.said)}, YES {shown(high.came)}, {counted_n(high.n)}"
    return Cell(verdict, note, high.said - high.came)


def _left_out_note(shown: int, there: int, words: str) -> str:
    if there <= shown:
        return ""
    return f"The first {figures.count(shown)} of {figures.count(there)} are {words}."


_TABLES: Final = (
    _Table(
        "honesty",
        "Tests of calibration",
        "The expected calibration error over ten bins of equal width, the mean forecast of "
        "markets that resolved YES and of those that resolved NO, the forecasts of at least "
        f"{NEARLY}, and a test of calibration.",
        ("ece", "mean_yes", "mean_no", "upper", "miscalibration_p", "forecasts_n"),
        _honest,
    ),
    _Table(
        "murphy",
        "The Brier score in parts, by bins",
        "Brier = reliability \N{MINUS SIGN} resolution + uncertainty + variance within bins "
        "\N{MINUS SIGN} covariance within bins, exactly.",
        ("brier", "rel", "res", "unc", "wbv", "wbc"),
        _parts("brier", "rel", "res", "unc", "wbv", "wbc"),
    ),
    _Table(
        "corp",
        "The Brier score in parts, without bins",
        "Brier = miscalibration \N{MINUS SIGN} discrimination + uncertainty, from a monotone "
        "curve in place of bins.",
        ("brier", "mcb", "dsc", "unc", "auc", "sharpness"),
        _scores("brier", "mcb", "dsc", "unc", "auc", "sharpness"),
    ),
)
