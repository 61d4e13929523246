"""Rules that pool several probabilities of one event into one."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Final

CLIP: Final = 0.001
TRIM: Final = 0.2
EXPONENT: Final = 1.5


class Aggregate(StrEnum):
    """The rule by which several probabilities become one."""

    MEDIAN = "median"
    MEAN = "mean"
    TRIMMED_MEAN = "trimmed_mean"
    GEOMETRIC_MEAN_OF_ODDS = "geometric_mean_of_odds"
    EXTREMISED = "extremised"


@dataclass(frozen=True, slots=True)
class Pooling:
    """A rule, and for `extremised` the exponent of the pooled odds.

    The trimmed mean leaves out the lowest and the highest fifth, rounded down: below five
    probabilities it is the mean. Odds know no certainty: a probability counts there as one
    in [0.001, 0.999]. Whatever the rule, the order does not matter, and all but `extremised`
    stay between the lowest and the highest of what was stated.

    Source:
        Jose and Winkler (2008), International Journal of Forecasting 24, for trimming;
        Satopää, Baron, Foster, Mellers, Tetlock and Ungar (2014), International Journal of
        Forecasting 30, for the geometric mean of odds and its power, which they found best
        between 1.16 and 3.92 for a crowd of people. Why a power at all: Baron, Mellers,
        Tetlock, Stone and Ungar (2014), Decision Analysis 11. The default of 1.5 is low in
        that range, because samples of one model know the same things.
    """

    rule: Aggregate = Aggregate.MEDIAN
    exponent: float = EXPONENT

    def of(self, stated: Iterable[float]) -> float:
        """Pool one or more probabilities into one.

        Raises:
            ValueError: There is none, or one lies outside [0, 1].

        >>> round(Pooling(Aggregate.GEOMETRIC_MEAN_OF_ODDS).of([0.1, 0.5]), 9)
        0.25
        """
        probabilities = sorted(stated)
        if not probabilities or not all(0 <= p <= 1 for p in probabilities):
            raise ValueError(f"no probabilities to make one of: {probabilities}")
        if self.rule is Aggregate.EXTREMISED:
            return from_log_odds(self.exponent * _mean([log_odds(p) for p in probabilities]))
        return min(max(_plain(self.rule, probabilities), probabilities[0]), probabilities[-1])


def log_odds(p: float) -> float:
    """Give ln p/(1 - p), of a probability that was first moved into [0.001, 0.999]."""
    inside = min(max(p, CLIP), 1 - CLIP)
    return math.log(inside / (1 - inside))


def from_log_odds(odds: float) -> float:
    """Give the probability of log-odds.

    >>> from_log_odds(0.0), from_log_odds(-800.0)
    (0.5, 0.0)
    """
    if odds >= 0:
        return 1 / (1 + math.exp(-odds))
    return math.exp(odds) / (1 + math.exp(odds))


def _plain(rule: Aggregate, ranked: Sequence[float]) -> float:
    if rule is Aggregate.MEDIAN:
        return median(ranked)
    if rule is Aggregate.GEOMETRIC_MEAN_OF_ODDS:
        return from_log_odds(_mean([log_odds(p) for p in ranked]))
    cut = int(TRIM * len(ranked)) if rule is Aggregate.TRIMMED_MEAN else 0
    return _mean(ranked[cut : len(ranked) - cut])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
