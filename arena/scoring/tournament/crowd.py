"""The community's probability or density of the outcome, over time."""

from math import nan

import numpy as np

from arena.scoring import relative
from arena.scoring.community import recency_weights, weighted_median
from arena.scoring.tournament.records import (
    Crowd,
    CrowdMedian,
    QuestionKind,
    TournamentQuestion,
)
from arena.scoring.tournament.standing import (
    NOBODY,
    Flags,
    Floats,
    ForecastPanel,
    Whole,
    bucket,
    last_of,
    on_outcome,
    pick,
)


def community_likelihoods(panel: ForecastPanel) -> Floats:
    """(T,) what the question's record of the community gave to the outcome; NaN if nothing.

    Raises:
        ValueError: See `on_outcome`.
    """
    history = panel.question.community
    rows = list(range(len(history)))
    likelihoods = pick(
        on_outcome(panel.question, history), last_of(history, rows, panel.cuts[:-1])
    )
    return np.where(panel.cuts[:-1] < panel.question.ended, likelihoods, nan)


def median(panel: ForecastPanel, crowd: Crowd, counted: Flags) -> Floats:
    """(T,) what the median of the standing forecasts gave to the outcome; NaN if none stood.

    Args:
        panel: Whose forecasts.
        crowd: Of what the median is taken: of what each forecast says of the outcome (for a
            numeric question, the median height), or of whole forecasts (the median at each
            edge of the cumulative distributions, the median of each option scaled to sum to
            1); and whether newer forecasts weigh more.
        counted: (F,) whose forecasts count.

    Raises:
        ValueError: Whole forecasts are wanted, and the question has heights only.

    Source:
        Metaculus, tournament scoring rules (2022): the median of heights; the open source of
        its platform: recency weights, and the median of whole forecasts.
    """
    medians = np.full(panel.p.shape[1], nan)
    for t in range(panel.p.shape[1]):
        here = np.flatnonzero(counted & (panel.which[:, t] != NOBODY))
        if here.size:
            rows = _oldest_first(panel, here, t) if crowd.recent else here
            medians[t] = _middle(panel, crowd, rows, t)
    return medians


def _oldest_first(panel: ForecastPanel, here: Whole, t: int) -> Whole:
    rows = panel.which[here, t]
    made = [panel.question.forecasts[n].at for n in rows]
    return np.asarray(here[np.lexsort((rows, made))])


def _middle(panel: ForecastPanel, crowd: Crowd, rows: Whole, t: int) -> float:
    question = panel.question
    weights = recency_weights(len(rows)) if crowd.recent else np.ones(len(rows))
    if crowd.middle == CrowdMedian.VALUES or question.kind == QuestionKind.BINARY:
        if not crowd.recent:
            return float(np.median(panel.p[rows, t]))
        return float(weighted_median(panel.p[rows, t], weights))
    if question.kind == QuestionKind.DENSITY:
        raise ValueError("heights at the outcome alone have no median of whole forecasts")
    values = [question.forecasts[n].value for n in panel.which[rows, t]]
    return _of_whole(question, np.array(values, dtype=np.float64), weights)


def _of_whole(question: TournamentQuestion, values: Floats, weights: Floats) -> float:
    if question.kind == QuestionKind.NUMERIC:
        return bucket(question, weighted_median(values, weights))
    there = ~np.isnan(values)
    medians = np.array(
        [
            weighted_median(column[answered], weights[answered]) if answered.any() else nan
            for column, answered in zip(values.T, there.T, strict=True)
        ]
    )
    total = np.nansum(medians)
    if total <= 0:
        return nan
    return float(relative.confine(relative.on_option(medians / total, question.outcome)))
