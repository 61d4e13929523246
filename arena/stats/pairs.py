"""Paired comparisons on common questions, with events as the units.

A difference is the first loss less the second: below 0 the first contestant is better.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from arena.records.estimate import Estimate, Interval, Test
from arena.stats.clusters import Kind, estimates, fit, t_tests
from arena.stats.columns import Floats, Whole, codes, finite, level_of, tally
from arena.stats.multiple import holm

Flags = NDArray[np.bool_]
Adjust = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
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


@dataclass(frozen=True, slots=True)
class Pair:
    """Two contestants by number, and what their common questions say.

    The test's estimate is the mean of the first's loss less the second's. `p_adjusted`
    holds for the whole family; it and `interval` are None where the test says nothing.
    `interval` is for this pair alone.
    """

    first: int
    second: int
    test: Test
    interval: Interval | None
    p_adjusted: float | None


def panel(
    losses: ArrayLike,
    contestants: ArrayLike,
    questions: ArrayLike,
    events: ArrayLike,
    *,
    size: int | None = None,
) -> Panel:
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
    return Panel(means, made, made, sorted_events, starts)


def imputed(found: Panel, reference: int) -> Panel:
    """The panel with a reference's loss for each forecast that a contestant did not make.

    A question that was left out then counts as a difference of 0 from the reference (the
    market's price). Questions without the reference's own forecast are left as they are.
    See `Panel.coverage` for how much of it was really answered.

    Args:
        found: The panel.
        reference: The number of the reference among the contestants.

    Raises:
        ValueError: There is no contestant of that number.
    """
    if not 0 <= reference < len(found.losses):
        raise ValueError(f"there is no contestant {reference}")
    known = found.there[reference]
    losses = np.where(found.there, found.losses, np.where(known, found.losses[reference], 0.0))
    return Panel(losses, found.there | known, found.answered, found.events, found.starts)


def all_pairs(
    found: Panel,
    level: float = 0.95,
    *,
    kind: Kind | None = None,
    adjust: Adjust = holm,
) -> tuple[Pair, ...]:
    """Every pair, each on the questions that both answered.

    Args:
        found: The panel.
        level: Confidence of the intervals, in (0, 1).
        kind: A correction in place of the choice that `clusters.fit` describes.
        adjust: From the p-values of the family, in order, to adjusted ones.

    Returns:
        Pairs (0, 1), (0, 2), ..., (k - 2, k - 1). Pairs without a p-value are no part of the
        family.

    Raises:
        ValueError: The level is not in (0, 1).
    """
    level_of(level)
    k = len(found.losses)
    tests: list[Test] = []
    points: list[Estimate] = []
    sums_of = _sums_of(found)
    for i in range(k - 1):
        one = fit(*sums_of(i), kind=kind)
        tests += t_tests(one)
        points += estimates(one, level)
    p = np.array([t.p for t in tests if t.p is not None], dtype=np.float64)
    adjusted = iter(adjust(p).tolist())
    firsts, seconds = np.triu_indices(k, 1)
    return tuple(
        Pair(i, j, t, e.interval, None if t.p is None else next(adjusted))
        for i, j, t, e in zip(firsts.tolist(), seconds.tolist(), tests, points, strict=True)
    )


def pair_sums(found: Panel, first: int) -> tuple[Floats, Floats]:
    """Sums of differences and numbers of common questions by event: two of (k - i - 1, G)."""
    later = slice(first + 1, None)
    both = found.there[first] & found.there[later]
    differences = np.where(both, found.losses[first] - found.losses[later], 0.0)
    return _by_event(found, differences), _by_event(found, both.astype(np.float64))


def _sums_of(found: Panel) -> Callable[[int], tuple[Floats, Floats]]:
    """`pair_sums`; where everybody answered everything, added up by event once for all."""
    if not found.there.all():
        return lambda first: pair_sums(found, first)
    sums = _by_event(found, found.losses)
    counts = _by_event(found, np.ones((1, found.events.size)))

    def of(first: int) -> tuple[Floats, Floats]:
        differences = sums[first] - sums[first + 1 :]
        return differences, np.broadcast_to(counts, differences.shape)

    return of


def _by_event(found: Panel, values: Floats) -> Floats:
    """(..., m) of questions as (..., G) of events."""
    if found.starts.size == values.shape[1]:
        return values
    return np.asarray(np.add.reduceat(values, found.starts, axis=1))


def pair_rows(found: Panel, first: int, second: int) -> tuple[Floats, Whole]:
    """Differences of two contestants on their common questions, and the questions' events.

    What `wild.sign_flip` and `wild.wild_cluster` ask for, where events are fewer than 20.
    """
    both = found.there[first] & found.there[second]
    return (found.losses[first] - found.losses[second])[both], found.events[both]


def paired(
    first: ArrayLike,
    second: ArrayLike,
    events: ArrayLike | None = None,
    level: float = 0.95,
    *,
    kind: Kind | None = None,
) -> Pair:
    """Two columns of losses on the same questions; a plain paired t test without events.

    Args:
        first: (n,) losses.
        second: (n,) losses on the same questions.
        events: (n,) codes of the events; each question its own if not given.
        level: Confidence of the interval, in (0, 1).
        kind: A correction in place of the choice that `clusters.fit` describes.

    Raises:
        ValueError: Lengths differ, a loss is not finite, or the level is not in (0, 1).

    >>> found = paired([0.1, 0.3, 0.2], [0.2, 0.3, 0.4])
    >>> round(found.test.estimate, 3), round(found.test.p, 4)
    (-0.1, 0.2254)
    """
    one, other = finite(first, "losses"), finite(second, "losses")
    if one.size != other.size:
        raise ValueError("there are not as many losses of one as of the other")
    found = codes(np.arange(one.size) if events is None else events, one.size)
    made = fit(*tally(one - other, found), kind=kind)
    test, point = t_tests(made)[0], estimates(made, level)[0]
    return Pair(0, 1, test, point.interval, test.p)


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
