"""The rules of 2022: relative log scores, coverage, take."""

from dataclasses import dataclass
from enum import StrEnum
from math import e, exp
from typing import Final

import numpy as np

from arena.scoring import relative
from arena.scoring.relative import Logarithm
from arena.scoring.tournament.records import Coverage, Period, TournamentQuestion
from arena.scoring.tournament.standing import Floats, ForecastPanel


class Horizon(StrEnum):
    """Over which time a question's score is averaged."""

    SCHEDULED = "scheduled"  # an early close leaves the rest of the time at 0
    ACTUAL = "actual"  # until the early close: days are weighed when it is known what came


@dataclass(frozen=True, slots=True)
class RelativeScoreVariant:
    """A variant of the relative score: its logarithm, the base of its take, its horizon.

    Changing the base of the logarithm changes nothing as long as the take changes with it.
    """

    log: Logarithm
    power: float
    horizon: Horizon


PUBLISHED: Final = RelativeScoreVariant(
    Logarithm.NATURAL, e, Horizon.SCHEDULED
)  # the rules of 2022
BITS: Final = RelativeScoreVariant(Logarithm.TWO, 2.0, Horizon.SCHEDULED)  # the same in base 2
MIXED: Final = RelativeScoreVariant(
    Logarithm.TWO, e, Horizon.SCHEDULED
)  # bits raised to the power of e
PLATFORM: Final = RelativeScoreVariant(
    Logarithm.TWO, e, Horizon.ACTUAL
)  # what the platform's code computes


def relative_scores(
    panel: ForecastPanel, p: Floats, community: Floats, form: RelativeScoreVariant = PUBLISHED
) -> Floats:
    """(F, T) the logarithm of each standing forecast over the community's, 0 where none stood.

    It is 0 too where nothing is known of the community: a first forecaster is the community.

    Args:
        panel: Of which question and time.
        p: (F, T) what each gave to the outcome, NaN where none stood: the panel's own; it may
            have further rows for aggregates.
        community: (T,) what the community gave to the outcome, NaN where unknown.
        form: Which logarithm.

    Raises:
        ValueError: The community said something that is no probability or density.

    Source:
        Metaculus, tournament scoring rules (2022).
    """
    comparable = ~np.isnan(p) & ~np.isnan(community)
    both = np.where(comparable, p, 0.5), np.where(comparable, community, 0.5)
    scores = relative.relative(*both, base=form.log, continuous=panel.question.continuous)
    return np.where(comparable, scores, 0.0)


def time_average(
    panel: ForecastPanel, scores: Floats, horizon: Horizon = Horizon.SCHEDULED
) -> Floats:
    """(F,) the mean of scores over time; 0 for a question that closed as it opened.

    Over the scheduled period this is proper; until an early close it is not, because then
    the outcome decides how much each day counts.
    """
    summed = scores @ panel.lasting
    if Horizon(horizon) is Horizon.SCHEDULED:
        return np.asarray(summed / (panel.cuts[-1] - panel.cuts[0]))
    return np.asarray(summed / panel.open_time if panel.open_time else np.zeros(len(scores)))


def periods(question: TournamentQuestion, coverage: Coverage) -> tuple[Period, ...]:
    """Which times of a question count towards coverage.

    Raises:
        ValueError: It has no hidden period, or no weights of its own, and those are wanted.
    """
    coverage = Coverage(coverage)
    if coverage is Coverage.ALL:
        return (Period(question.open, question.close, 1.0),)
    if coverage is Coverage.HIDDEN:
        if question.hidden_until is None:
            raise ValueError("nothing says until when the community's forecast was hidden")
        return (Period(question.open, question.hidden_until, 1.0),)
    if not question.coverage:
        raise ValueError("it has no weights of coverage")
    return question.coverage


def take(score: float, coverage: float, form: RelativeScoreVariant = PUBLISHED) -> float:
    """What a forecaster puts into the division of the pool: coverage times e to the score.

    Raises:
        ValueError: The score is too large for a take.

    Source:
        Metaculus, tournament scoring rules (2022).

    >>> round(take(1.852571, 0.75), 6)
    4.782144
    """
    try:
        return coverage * (exp(score) if form.power == e else form.power**score)
    except OverflowError as error:
        raise ValueError(f"a score of {score:g} has no finite take") from error
