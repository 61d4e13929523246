"""The forecasts of a study as columns: models, questions, options, and the market's quotes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from arena.metrics.study.protocol import StudyProtocol, StudyScore
from arena.scoring.logarithmic import Clip, log_option_terms
from arena.scoring.proper import brier_option_terms, rps_terms
from arena.scoring.table import Factor, Flags, Floats, Whole


@dataclass(frozen=True, slots=True, eq=False)
class BookQuotes:
    """Decimal odds of a book, (n, K) each; NaN rows where it had none."""

    opening: Floats
    closing: Floats


@dataclass(frozen=True, slots=True, eq=False)
class GateColumns:
    """What is known of the market at each question; NaN, NaT or None where nobody looked.

    `before` (n, K) is the price half an hour earlier and `exchange` (n, K) that of an
    exchange; `volume`, `quoted_at`, `at` and `news` have one value a question.
    """

    before: Floats
    exchange: Floats
    volume: Floats
    quoted_at: np.ndarray[tuple[int], np.dtype[np.datetime64]]
    at: np.ndarray[tuple[int], np.dtype[np.datetime64]]
    news: tuple[tuple[np.datetime64, ...] | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StudyForecasts:
    """m models' forecasts of n questions over K options, questions in the order of time.

    `p` (m, n, K) has NaN where a model did not forecast. `event` (n,) says which questions
    share their news, `outcome` (n,) which option came. `opening` and `closing` (n, K) are fair
    probabilities, rows of NaN where there is no quote. `stage`, `fold` and `kind` (the class
    of a market) are None where the file has none; `host` (n,) is the host's option or -1.
    `stake` and `backed` (m, n) are bets that were made: NaN and -1 without one. `day` (n,) is
    the UTC date of the forecast, empty where unknown.
    """

    models: tuple[str, ...]
    questions: tuple[str, ...]
    event: Whole
    outcome: Whole
    p: Floats
    opening: Floats
    closing: Floats
    host: Whole
    stake: Floats
    backed: Whole
    day: tuple[str, ...]
    gate: GateColumns
    stage: Factor | None = None
    fold: Factor | None = None
    kind: Factor | None = None
    odds: Mapping[str, BookQuotes] = field(default_factory=dict)

    def of(self, model: str) -> Floats | None:
        """A model's forecasts, (n, K); None if it has none."""
        return self.p[self.models.index(model)] if model in self.models else None

    def made(self, model: str) -> Flags:
        """The questions that a model forecast, (n,)."""
        p = self.of(model)
        return np.zeros(len(self.outcome), np.bool_) if p is None else known(p)


def known(rows: Floats) -> Flags:
    """Which rows of a table have no gap."""
    return np.asarray(~np.isnan(rows).any(axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class StudyLosses:
    """The loss of each model and question, (m, n) a score; NaN where there is no forecast."""

    models: tuple[str, ...]
    terms: Mapping[StudyScore, Floats]

    def paired(self, first: str, second: str, score: StudyScore) -> tuple[Floats, Flags]:
        """The losses of two models, (2, q), on the q questions that both forecast."""
        table = self.terms[score]
        both = table[[self.models.index(first), self.models.index(second)]]
        common = known(both.T)
        return both[:, common], common


def losses(forecasts: StudyForecasts, protocol: StudyProtocol) -> StudyLosses:
    """Brier score of all options, clipped log loss and, of ordered options, the RPS."""
    scores = [StudyScore.BRIER, StudyScore.RPS, StudyScore.LOG]
    if not protocol.ordered:
        scores.remove(StudyScore.RPS)
    terms = {score: np.full(forecasts.p.shape[:2], np.nan) for score in scores}
    for m, p in enumerate(forecasts.p):
        there = known(p)
        own, came = p[there], forecasts.outcome[there]
        for score, table in terms.items():
            if score is StudyScore.BRIER:
                table[m, there] = brier_option_terms(own, came)
            elif score is StudyScore.RPS:
                table[m, there] = rps_terms(own, came, order=protocol.options)
            else:
                table[m, there] = log_option_terms(own, came, clip=Clip.FORTY_FIVE_PERCENT)
    return StudyLosses(forecasts.models, terms)
