"""Every number that the arena shows: commands, site and documents read this one list."""

from dataclasses import dataclass

from arena.metrics.metric import BetterDirection, Metric, MetricUnit
from arena.metrics.registry.betting import AGAINST
from arena.metrics.registry.board import (
    BETS,
    EFFORT,
    FORECASTS,
    LINEAR_CAVEAT,
    MONEY,
    RISK,
    RULES,
    RUNNING,
    SPENDING,
)
from arena.metrics.registry.insights import INSIGHTS
from arena.metrics.registry.scores import (
    CALIBRATION,
    COMPARISONS,
    FAIR,
    PROPER,
    SHAPE,
    SKILL,
)

__all__ = [
    "CHAPTERS",
    "LINEAR_CAVEAT",
    "METRICS",
    "SYMBOLS",
    "BetterDirection",
    "Chapter",
    "Metric",
    "MetricUnit",
]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading of the page of methods and what stands below it."""

    key: str
    title: str
    metrics: tuple[Metric, ...]


CHAPTERS = (
    Chapter("money", "Money", MONEY),
    Chapter("risk", "What was realised, and risk", RISK),
    Chapter("forecasts", "Forecasts and Brier scores", FORECASTS),
    Chapter("proper", "Other proper scores", PROPER),
    Chapter("skill", "Against the market", SKILL),
    Chapter("calibration", "Calibration and discrimination", CALIBRATION + SHAPE),
    Chapter("fair", "Questions of unlike difficulty", FAIR),
    Chapter("comparisons", "Significant differences", COMPARISONS),
    Chapter("insights", "Beside the price, and beside each other", INSIGHTS),
    Chapter("bets", "Bets", BETS),
    Chapter("against", "Bets against the market", AGAINST),
    Chapter("running", "Taking part", RUNNING + EFFORT),
    Chapter("spending", "What answers took", SPENDING),
    Chapter("rules", "What is left out, undone and not claimed", RULES),
)


METRICS = {metric.key: metric for chapter in CHAPTERS for metric in chapter.metrics}

# Means over forecasts, by which two contestants can be compared: of a probability, of options.
_MEANS = ("brier", "log", "spherical", "alpha")
_MEANS_OF_OPTIONS = ("brier_sum", "log", "spherical", "rps")
PAIRED = tuple(sorted({*_MEANS, *_MEANS_OF_OPTIONS}))
PAIRED_WORDS = "; of options ".join(
    f"{', '.join(means)} or {last}" for *means, last in (_MEANS, _MEANS_OF_OPTIONS)
)

SYMBOLS = (
    ("C", "cash"),
    ("D", "dollars owed after a reversed settlement"),
    ("K", "opening capital"),
    ("w", "mark-to-market value of an open position"),
    ("k", "cost of the shares concerned"),
    ("g", "what the shares brought: proceeds of a sale, or a payout"),
    ("b", "what a seller of the side gets for a share: its bid"),
    ("a", "what a buyer of the side pays for a share: its ask"),
    ("N", "shares"),
    ("s", "stake"),
    ("f", "max_bet_fraction of the rules"),
    ("M", "cash that confidence is measured against (confidence_base of the rules)"),
    ("p", "probability of YES"),
    ("o", "outcome: 1 for YES, 0 for NO"),
    ("m", "the market's price of YES when the forecast was made"),
    ("y", "the probability that was given to what happened"),
    ("epsilon", "one millionth"),
    ("J", "how many options a question has; j is one of them"),
    ("cum", "cumulated over the options in their order"),
    ("cov", "how forecasts and outcomes move together: their covariance"),
    ("z", "the share of YES: of all, or of those in bin k"),
    ("T", "pairs in which the YES market got the higher forecast; ties count half"),
    ("x", "a contestant's value of a question: x_1 the first's, x_2 the second's"),
    ("own", "what a contestant's skill takes from or adds to the score"),
    ("hard", "what a question's difficulty adds to the score"),
    ("rest", "what neither explains"),
    ("W", "resolved fills whose side won"),
    ("q_m", "the market's probability of the side backed when the bet was made"),
    ("q_c", "the same at the close"),
    ("u", "the fee charged for a share"),
    ("d", "decimal odds, 1 over the price of a share: d_a as taken, d_c at the close"),
    ("mean", "the mean of the events' values"),
    ("spread", "the standard deviation of the events' values"),
    ("v", "compounded daily returns: v_t after day t, v_s after any day up to t"),
    ("cost", "dollars that all answers cost"),
    ("gain", "mean price move of the sides backed from one round to the next"),
    ("share", "the part of that wealth which is risked on the next move"),
    ("n", "how many things a mean is taken over; without any it is n/a"),
)
