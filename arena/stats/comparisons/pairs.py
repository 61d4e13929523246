"""Scores of contestants by question, with events as the units, and the size a test needs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from arena.stats.columns import Floats, Whole, codes, finite, level_of

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class LossPanel:
    """Losses of k contestants on m questions, sorted by event.

    `losses` (k, m) is 0 where `there` (k, m) is False. `starts` says where each event begins
    among the questions, `events` (m,) is its code. `answered` (k, m) says which forecasts
    were made: where a missing one stands for the reference it is False and `there` is True.
    """

    losses: Floats
    there: Flags
    answered: Flags
    events: Whole
    starts: Whole

    def coverage(self) -> tuple[float | None, ...]:
        """The share of all questions that each contestant answered; None of no question."""
        k, m = self.answered.shape
        return tuple(self.answered.mean(axis=1).tolist()) if m else (None,) * k


def panel(
    losses: ArrayLike,
    contestants: ArrayLike,
    questions: ArrayLike,
    events: ArrayLike,
    *,
    size: int | None = None,
) -> LossPanel:
    """Rows as a matrix; several forecasts of one question by one contestant are averaged.

    Args:
        losses: (n,) one a forecast.
        contestants: (n,) their numbers, from 0.
        questions: (n,) codes of what the losses are paired by.
        events: (n,) codes of the events.
        size: How many contestants there are, if some may have no row at the end.

    Raises:
        ValueError: A loss is not finite, a code is missing or negative, a question is in
            two events, or a contestant's number is not below `size`.
    """
    column = finite(losses, "losses")
    n = column.size
    who, event = codes(contestants, n, "contestants"), codes(events, n)
    k = int(who.max(initial=-1)) + 1 if size is None else size
    if n and int(who.max()) >= k:
        raise ValueError(f"there are {k} contestants, and a number above that")
    question = codes(questions, n, "questions")
    event_of = np.zeros(int(question.max(initial=-1)) + 1, dtype=np.intp)
    event_of[question] = event
    if np.any(event_of[question] != event):
        raise ValueError("a question is in two events")
    there = np.flatnonzero(np.bincount(question, minlength=event_of.size))
    there = there[np.argsort(event_of[there], kind="stable")]
    place = np.zeros_like(event_of)
    place[there] = np.arange(there.size)
    cell = who * there.size + place[question]
    counts = np.bincount(cell, minlength=k * there.size).reshape(k, there.size)
    sums = np.bincount(cell, weights=column, minlength=counts.size).reshape(counts.shape)
    sums = sums.astype(np.float64, copy=False)
    made = counts > 0
    means = np.divide(sums, counts, out=sums, where=made)
    sorted_events = event_of[there]
    starts = np.flatnonzero(np.diff(sorted_events, prepend=-1))
    return LossPanel(means, made, made, sorted_events, starts)


def events_needed(
    mean: float, sd: float, *, significance: float = 0.05, power: float = 0.80
) -> float | None:
    """How many independent units show a mean difference, two-sided; None if it is 0.

    Args:
        mean: The difference to be shown.
        sd: Standard deviation of a unit's difference.
        significance: Of the test, in (0, 1).
        power: The wanted probability of showing it, in (0, 1).

    Raises:
        ValueError: Significance or power is not in (0, 1), or `sd` is negative.

    Source:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences.
    """
    level_of(significance)
    level_of(power)
    if not sd >= 0:
        raise ValueError("a standard deviation is not negative")
    if mean == 0:
        return None
    return float(((ndtri(1 - significance / 2) + ndtri(power)) * sd / mean) ** 2)
