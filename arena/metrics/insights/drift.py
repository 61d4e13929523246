"""Whether contestants still answer a fixed set of questions as they did at first."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.registry import METRICS
from arena.scoring.table import Factor, Floats
from arena.stats.regression.information import CLIP
from arena.stats.regression.logit import log_odds
from arena.stats.resampling.draws import generator
from arena.stats.series.drift import ALARM, drift

PLENTY: Final = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class ProbeAnswers:
    """A row an answer: who was asked what and when, each question by itself, and P(YES)."""

    contestant: Factor
    question: Factor
    at: NDArray[np.datetime64]
    p: Floats


@dataclass(frozen=True, slots=True)
class DriftLook:
    """A day on which the questions were asked again.

    `distance` is the mean absolute difference of log odds from the first answers, `e` what
    bets on a change have made of 1.
    """

    day: date
    distance: float
    e: float


@dataclass(frozen=True, slots=True)
class ProbeDrift:
    """One contestant's answers over time; `alarm` is the first day with an e of 20.

    `replicates` is how far two first answers to a question are apart; None where none was
    asked twice on the first day, so that nothing can be said.
    """

    contestant: str
    questions: int
    replicates: float | None
    looks: tuple[DriftLook, ...]
    alarm: date | None


def wealth_words(e: float | None) -> str:
    """Wealth as it is written: beyond a thousand its digits say nothing more.

    >>> wealth_words(1.178), wealth_words(1e12), wealth_words(None)
    ('1.18', 'over 1,000', 'n/a')
    """
    return "over 1,000" if e is not None and e > PLENTY else METRICS["drift_e"].shown(e)


def drifts(answers: ProbeAnswers) -> tuple[ProbeDrift, ...]:
    """Each contestant's drift, in the order of names; answers of one UTC day are one look.

    Args:
        answers: In any order. Those without a moment are left out.
    """
    known = ~np.isnat(answers.at)
    names = answers.contestant.names
    codes = answers.contestant.codes
    used = sorted(names[code] for code in np.unique(codes[known]).tolist())
    return tuple(_drift(answers, name, known & (codes == names.index(name))) for name in used)


def _drift(answers: ProbeAnswers, name: str, rows: NDArray[np.bool_]) -> ProbeDrift:
    at, question = answers.at[rows], answers.question.take(rows).in_order().codes
    day = at.astype("datetime64[D]").astype(np.intp)
    order = np.lexsort((question, day))
    chance = generator("drift", name).random(len(order))  # a new day changes no earlier draw
    odds = log_odds(answers.p[rows][order], CLIP)
    series = drift(odds, question[order], day[order], chance)
    looks = tuple(
        DriftLook(_date(code), distance, e)
        for code, distance, e in zip(
            series.moment.tolist(),
            series.distance.tolist(),
            series.wealth.e.tolist(),
            strict=True,
        )
    )
    alarm = next((look.day for look in looks if look.e >= ALARM), None)
    return ProbeDrift(name, series.questions, series.replicates, looks, alarm)


def _date(day: int) -> date:
    return datetime.fromtimestamp(day * 86_400, UTC).date()
