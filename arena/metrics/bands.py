"""What others call a good number: bands as their sources print them, which this arena does not.

A band on a raw score judges the questions as much as the forecaster, so these stand on the
page of methods with what is wrong with them, and colour nothing.
"""

from dataclasses import dataclass
from math import log
from typing import Final

from arena.scoring.logarithmic import Clip
from arena.stats import BETS, EVENTS


@dataclass(frozen=True, slots=True)
class MetricBand:
    """Values from `low` up to, without it, `high`, and what they are called.

    None has no end. Where `high` is `low` the band is that one value. `when` says it in words
    where the source judges something else than the value.
    """

    words: str
    low: float | None = None
    high: float | None = None
    when: str = ""


@dataclass(frozen=True, slots=True)
class MetricBands:
    """How one source reads one metric, from the best band to the worst, and the caveat."""

    metric: str
    source: str
    bands: tuple[MetricBand, ...]
    caveat: str


_DEPENDS: Final = (
    "A Brier score depends on how hard the questions were: always saying the base rate scores "
    "0.09 where one in ten comes true and 0.25 where every second does. The arena calls no "
    "score good by itself; it measures against the market's price of the same question."
)

_WORST: Final = -log(Clip.DEFAULT.low)

BANDS: Final = (
    MetricBands(
        "forecast",
        "Forecaster Arena, docs/SCORING.md, version 1",
        (
            MetricBand("perfect", 0.0, 0.0),
            MetricBand("excellent", 0.0, 0.10),
            MetricBand("good", 0.10, 0.20),
            MetricBand("fair", 0.20, 0.25),
            MetricBand("poor", 0.25, 0.40),
            MetricBand("very poor", 0.40, 1.0),
        ),
        _DEPENDS,
    ),
    MetricBands(
        "linear",
        "Forecaster Arena, as its program labels scores",
        (
            MetricBand("excellent", 0.0, 0.1),
            MetricBand("good", 0.1, 0.2),
            MetricBand("fair", 0.2, 0.3),
            MetricBand("poor", 0.3, 0.4),
            MetricBand("very poor", 0.4, 1.0),
        ),
        "Its program draws the line of fair elsewhere than its own text. Both were meant for "
        "probabilities that were read off the sizes of bets.",
    ),
    MetricBands(
        "brier_index",
        "ForecastBench",
        (
            MetricBand("perfect", 100.0, 100.0),
            MetricBand("always saying one half", 50.0, 50.0),
            MetricBand("always certain and always wrong", 0.0, 0.0),
        ),
        "Points to hold on to, not grades: 60 is good on hard questions and bad on easy ones.",
    ),
    MetricBands(
        "log",
        "Good (1952); the cap is this arena's",
        (
            MetricBand("perfect", 0.0, 0.0),
            MetricBand("always saying one half", log(2), log(2)),
            MetricBand("certain and wrong, as it is capped", _WORST, _WORST),
        ),
        "One confident mistake can outweigh a hundred good forecasts.",
    ),
    MetricBands(
        "brier_skill",
        "Murphy (1973), with the market as the reference",
        (
            MetricBand("better than the market", 0.0, 1.0),
            MetricBand("no better than the market", 0.0, 0.0),
            MetricBand("worse than the market", None, 0.0),
        ),
        "The sign is all there is to read, and only where the interval of alpha leaves out 0.",
    ),
    MetricBands(
        "slope",
        "Foresight Arena (2026), arXiv 2605.00420",
        (
            MetricBand("departures from the price of the right size", 1.0, 1.0),
            MetricBand("departures too large, and still better than the price", 0.5, 1.0),
            MetricBand("departures hold information, and are far too large", 0.0, 0.5),
            MetricBand("departures point the wrong way", None, 0.0),
        ),
        "Above 1 the departures were too timid. The interval decides, not the value.",
    ),
    MetricBands(
        "auc",
        "Hosmer, Lemeshow and Sturdivant (2013), Applied Logistic Regression",
        (
            MetricBand("outstanding", 0.9, 1.0),
            MetricBand("excellent", 0.8, 0.9),
            MetricBand("acceptable", 0.7, 0.8),
            MetricBand("hardly better than chance", 0.5, 0.7),
            MetricBand("worse than chance", 0.0, 0.5),
        ),
        "Written for medical tests. It looks at the order of forecasts alone, so that "
        "forecasts that are all twice too high lose nothing; and repeating the price scores "
        "high wherever prices are.",
    ),
    MetricBands(
        "sharpe_clv",
        "The 45 Percent Problem",
        (
            MetricBand("GENUINE_EDGE", when="the interval of 95% lies above 0"),
            MetricBand("WEAK_EDGE", when="only that of 90% does"),
            MetricBand("NO_EDGE", when="neither does"),
        ),
        "Where there is no edge the first label still comes up more often than its 2.5%, most "
        f"of all with few bets. The arena withholds it below {BETS} bets or {EVENTS} events, "
        "and reads NO_EDGE as not shown, never as shown not to be.",
    ),
    MetricBands(
        "betting_e",
        "Shafer (2021), Journal of the Royal Statistical Society A 184",
        (
            MetricBand("as rare as one in a hundred, if prices are right", 100.0, None),
            MetricBand("as rare as one in twenty, if prices are right", 20.0, 100.0),
            MetricBand("nothing is shown", 0.0, 20.0),
        ),
        "It may be read at any time. Below 1 the bet against the prices has lost.",
    ),
)
