"""The scores that Metaculus computes now: baseline and peer, over time and at one time."""

import numpy as np

from arena.scoring import relative
from arena.scoring.tournament.records import QuestionKind
from arena.scoring.tournament.standing import (
    Flags,
    Floats,
    ForecastPanel,
    inside,
    options_then,
    pick,
)


def options_of(panel: ForecastPanel) -> Floats:
    """(F, T) how many options there were when each standing forecast was made; 2 for none."""
    counts = pick(options_then(panel.question), panel.which)
    return np.where(panel.stands, counts, 2.0)


def baseline_scores(panel: ForecastPanel, p: Floats, options: Floats) -> Floats:
    """(F, T) how far each standing forecast beats equal chances, 0 where none stood.

    Args:
        panel: Of which question and time.
        p: (F, T) what each gave to the outcome, NaN where none stood: the panel's own, or an
            aggregate's.
        options: (F, T) how many options there were for that forecast.

    Raises:
        ValueError: A forecast says something that is no probability or density.

    Source:
        Metaculus, scores FAQ and open source: 100 ln(N p) / ln N; for numbers
        50 ln(p / base).
    """
    question, stood = panel.question, ~np.isnan(p)
    filled = np.where(stood, p, 0.5)
    if question.kind == QuestionKind.DENSITY:
        scores = relative.baseline_density(filled, question.open_bounds)
    elif question.kind == QuestionKind.NUMERIC:
        scores = relative.baseline_bucket(
            filled,
            inside=inside(question),
            open_bounds=question.open_bounds,
            buckets=question.buckets,
        )
    else:
        scores = relative.baseline(filled, options)
    return np.where(stood, scores, 0.0)


def peer_scores(panel: ForecastPanel, p: Floats, counted: Flags) -> Floats:
    """(F, T) how far each standing forecast beats the others' mean log score, times 100.

    Who is not counted is compared with those who are, with the same factor N / (N - 1).
    Fewer than two counted forecasts at a time leave everybody at 0.

    Args:
        panel: Of which question and time.
        p: (F, T) what each gave to the outcome, NaN where none stood; it may have further
            rows for aggregates.
        counted: (F,) who is one of the N.

    Raises:
        ValueError: A forecast says something that is no probability or density.

    Source:
        Metaculus, scores FAQ and open source.
    """
    stood, continuous = ~np.isnan(p), panel.question.continuous
    members = stood & counted[:, None]
    filled = np.where(stood, p, 0.5)
    scores = relative.peer(filled.T, present=members.T, continuous=continuous).T
    guests = stood & ~counted[:, None]
    for t in np.flatnonzero(guests.any(axis=0)):
        rows = np.flatnonzero(guests[:, t])
        others = filled[members[:, t], t]
        scores[rows, t] = relative.peer_of_aggregate(
            filled[rows, t], others, continuous=continuous
        )
    return np.asarray(scores)
