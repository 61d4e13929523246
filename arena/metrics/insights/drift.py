"""Whether contestants still answer a fixed set of questions as they did at first.

How far answers have moved is compared with how far answers of one time are apart.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.registry import METRICS
from arena.scoring.table import Factor, Floats, Whole
from arena.stats.bootstrap import generator
from arena.stats.columns import compact
from arena.stats.comparisons.sequential import Wealth
from arena.stats.regression.encompassing import PRICE_CLIP
from arena.stats.regression.logit import log_odds

ALARM: Final = 20.0  # wealth: without a change it is reached in 52 looks once in 20 times
STAKES: Final = (
    np.arange(1, 10) / 10
)  # shares of the wealth that are bet, an equal part on each
ROUNDED: Final = 1e-9  # of log odds
YEAR: Final = 52  # looks, in which there is one false alarm in 20 times at most
LEAST: Final = 2  # answers at the first moment: without a second there is no null


@dataclass(frozen=True, slots=True, eq=False)
class DriftSeries:
    """A row a moment after the first: `moment` is its code, rising.

    `distance` is the mean absolute difference of log odds from the mean of the first moment,
    over all answers; `wealth` is what bets on a change have made of 1, and starts anew every
    52 looks. `questions` counts those that have enough first answers, and `replicates` is the
    mean absolute difference of two first answers to one question, None without any.
    """

    moment: Whole
    distance: Floats
    wealth: Wealth
    questions: int
    replicates: float | None


def drift(odds: Floats, question: Whole, moment: Whole, chance: Floats) -> DriftSeries:
    """Bet that later answers lie farther from the others than the first answers do.

    Without a change the answers to one question are draws from one distribution. The rank of
    each new one, by its distance from the mean of all others so far, is then even and does
    not depend on the ranks before it, so that bets on high ranks win nothing on average,
    however often one looks.

    Args:
        odds: (n,) log odds of the answers, in the order in which they came.
        question: (n,) which question each answers, codes from 0. Each was asked by itself.
        moment: (n,) when each was given, codes that rise with time; the first is the base.
        chance: (n,) even draws from [0, 1), which break ties.

    Returns:
        Nothing but the counts where no question was answered twice at the first moment.

    Source:
        Vovk, Nouretdinov and Gammerman (2003), ICML, Testing exchangeability on-line; Ville
        (1939), Etude critique de la notion de collectif.
    """
    first = int(moment.min()) if len(moment) else 0
    is_base = moment == first
    size = int(question.max(initial=-1)) + 1
    counts = np.bincount(question[is_base], minlength=size)
    kept = (counts >= LEAST)[question]
    odds, chance = odds[kept], chance[kept]
    question, moment = question[kept], moment[kept]
    is_base = moment == first
    ranks = np.full(len(odds), np.nan)
    for own in np.unique(question):
        rows = np.flatnonzero(question == own)
        ranks[rows] = _ranks(odds[rows], int(is_base[rows].sum()), chance[rows])
    later = np.flatnonzero(~is_base)
    later = later[np.argsort(moment[later], kind="stable")]
    there, place = compact(moment[later])
    logs = np.log1p(STAKES[:, None] * (1 - 2 * ranks[later]))
    gains = np.array([np.bincount(place, row, len(there)) for row in logs])
    means = np.bincount(question[is_base], odds[is_base], size) / np.maximum(counts, 1)
    apart = np.abs(odds - means[question])
    return DriftSeries(
        there,
        np.bincount(place, apart[later], len(there)) / np.maximum(np.bincount(place), 1),
        Wealth(_log_wealth(gains)),
        len(np.unique(question)),
        _between(odds[is_base], question[is_base]),
    )


def _log_wealth(gains: Floats) -> Floats:
    """The log of the mean wealth over stakes and over the look from which on they are bet.

    Every 52 looks it starts anew from 1.
    """
    logs = np.zeros(gains.shape[1])
    with np.errstate(divide="ignore"):
        waiting = np.log(YEAR - 1 - np.arange(YEAR))  # parts that are not bet yet
    for begin in range(0, len(logs), YEAR):
        own = gains[:, begin : begin + YEAR]
        before = np.column_stack([np.zeros(len(own)), own.cumsum(axis=1)])
        for look in range(own.shape[1]):
            begun = (before[:, look + 1, None] - before[:, : look + 1]).ravel()
            parts = np.append(begun - np.log(len(STAKES)), waiting[look])
            logs[begin + look] = np.logaddexp.reduce(parts) - np.log(YEAR)
    return logs


def _ranks(odds: Floats, base: int, chance: Floats) -> Floats:
    """The rank of each later answer among all so far: near 0 where none lies so far off.

    The base stands first; it has none.
    """
    ranks = np.full(len(odds), np.nan)
    for last in range(base, len(odds)):
        so_far = odds[: last + 1]
        apart = np.abs((last + 1) * so_far - so_far.sum()) / last
        farther = np.count_nonzero(apart > apart[last] + ROUNDED)
        equal = np.count_nonzero(np.abs(apart - apart[last]) <= ROUNDED)
        ranks[last] = (farther + chance[last] * equal) / (last + 1)
    return ranks


def _between(odds: Floats, question: Whole) -> float | None:
    """The mean over questions of the mean absolute difference of two answers."""
    means = []
    for own in np.unique(question):
        answers = odds[question == own]
        n = len(answers)
        means.append(np.abs(answers[:, None] - answers).sum() / (n * (n - 1)))
    return float(np.mean(means)) if means else None


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
    odds = log_odds(answers.p[rows][order], PRICE_CLIP)
    series = drift(odds, question[order], day[order], chance)
    looks = tuple(
        DriftLook(on, distance, e)
        for on, distance, e in zip(
            series.moment.astype("datetime64[D]").tolist(),
            series.distance.tolist(),
            series.wealth.e.tolist(),
            strict=True,
        )
    )
    alarm = next((look.day for look in looks if look.e >= ALARM), None)
    return ProbeDrift(name, series.questions, series.replicates, looks, alarm)
