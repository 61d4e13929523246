"""Scores averaged over the life of a market, where forecasts stand until they are changed.

A stay is a forecast with the time from which and until which it stood, and what it scores at
each instant of it. Stays of many contestants in many markets are columns; `pair` numbers the
(contestant, market) of each, from 0. Times are numbers on one clock, in any unit; `seconds`
makes them of dates. Nothing counts before a market opens or after it closes: a market that
closes early leaves the rest of its scheduled time at 0, so that nobody gains by knowing when
it ends ("score truncation").
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]
Flags = NDArray[np.bool_]


class AveragingPeriod(StrEnum):
    """By how much time a sum over a market's life is divided."""

    SCHEDULED = "scheduled"  # open to scheduled close, known in advance
    ACTUAL = "actual"  # open to actual close: rewards who foresees an early end


@dataclass(frozen=True, slots=True, eq=False)
class Lives:
    """When the market of each pair opened, was to close and closed: columns of one length.

    Raises:
        ValueError: A time that is not finite, a market that was to close before it opened or
            closed before it opened, or columns of different lengths.
    """

    opened: Floats
    scheduled: Floats
    closed: Floats

    def __post_init__(self) -> None:
        """Refuse lives that cannot be."""
        columns = (self.opened, self.scheduled, self.closed)
        if not (self.opened.ndim == 1 and len({c.shape for c in columns}) == 1):
            raise ValueError("opening and closing times are columns of one length")
        if not all(np.all(np.isfinite(c)) for c in columns):
            raise ValueError("a market opens and closes at some time")
        if np.any(self.scheduled <= self.opened) or np.any(self.closed < self.opened):
            raise ValueError("a market closes after it opens")

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.opened)


@dataclass(frozen=True, slots=True, eq=False)
class TimeAverages:
    """Time averages of each pair: (pairs,) columns.

    `score` counts time without a forecast as 0, `coverage` is the share of time with one, and
    `standing` the average over that time alone, NaN where there was none. For a loss, where 0
    is the best, take `standing` beside the coverage, or see `filled`.
    """

    score: Floats
    coverage: Floats
    standing: Floats

    def filled(self, loss: float) -> Floats:
        """The averages with time that has no forecast at `loss` instead of 0."""
        return np.asarray(self.score + (1 - self.coverage) * loss)


def seconds(at: NDArray[np.datetime64], *, missing: float = np.inf) -> Floats:
    """Times in seconds since 1970, and `missing` for what never happened (NaT)."""
    exact = at.astype("datetime64[us]")
    elapsed = exact.astype(np.int64) / 1e6
    return np.asarray(np.where(np.isnat(exact), missing, elapsed))


def until_replaced(
    pair: ArrayLike, start: ArrayLike, *, withdrawn: ArrayLike | None = None
) -> Floats:
    """When each forecast ended: at the next one of its pair, or when it was withdrawn.

    Of forecasts made at the same time the one in the last row stands. The last of a pair
    stands for ever (inf) unless withdrawn.

    Args:
        pair: (n,) the (contestant, market) of each forecast.
        start: (n,) when it was made, in any order.
        withdrawn: (n,) when it was withdrawn, inf if never.

    Raises:
        ValueError: Columns of different lengths, or a start that is not finite.

    >>> until_replaced([0, 1, 0], [1.0, 2.0, 5.0]).tolist()
    [5.0, inf, inf]
    """
    who, since = np.asarray(pair), np.asarray(start, dtype=np.float64)
    if since.ndim != 1 or who.shape != since.shape or not np.all(np.isfinite(since)):
        raise ValueError("each forecast has a pair and the time at which it was made")
    order = np.lexsort((since, who))
    end = np.full(since.shape, np.inf)
    same = who[order[1:]] == who[order[:-1]]
    end[order[:-1][same]] = since[order[1:][same]]
    if withdrawn is None:
        return end
    gone = np.asarray(withdrawn, dtype=np.float64)
    if gone.shape != since.shape or np.any(np.isnan(gone)):
        raise ValueError("each forecast has a time of withdrawal, inf if there was none")
    return np.asarray(np.minimum(end, np.maximum(gone, since)))


def time_average(
    value: ArrayLike,
    stay: tuple[ArrayLike, ArrayLike, ArrayLike],
    lives: Lives,
    *,
    over: AveragingPeriod = AveragingPeriod.SCHEDULED,
) -> TimeAverages:
    """Average what each forecast scores at an instant over the life of its market.

    Args:
        value: (n,) the score at each instant of a stay.
        stay: (n,) columns: the pair, from when, and until when, inf for ever.
        lives: Of the markets of pairs 0, 1, ...
        over: The time that a sum is divided by.

    Raises:
        ValueError: Columns of different lengths, a score that is NaN, a stay that ends before
            it begins, stays of one pair that overlap, or a pair that has no market.

    Source:
        Metaculus, scores FAQ.
    """
    scores = np.asarray(value, dtype=np.float64)
    pair, start, end = _stays(stay, scores.shape, len(lives))
    if np.any(np.isnan(scores)):
        raise ValueError("a stay has a score")
    close = np.minimum(lives.closed, lives.scheduled)
    lifetimes = (
        lives.scheduled if AveragingPeriod(over) is AveragingPeriod.SCHEDULED else close
    ) - lives.opened
    lasted = np.minimum(end, close[pair]) - np.maximum(start, lives.opened[pair])
    counted = lasted > 0
    pair, lasted, scores = pair[counted], lasted[counted], scores[counted]
    stood = np.bincount(pair, lasted, len(lives))
    total = np.bincount(pair, lasted * scores, len(lives))
    lived = lifetimes > 0
    return TimeAverages(
        np.divide(total, lifetimes, out=np.zeros(len(lives)), where=lived),
        np.divide(stood, lifetimes, out=np.zeros(len(lives)), where=lived),
        np.divide(total, stood, out=np.full(len(lives), np.nan), where=stood > 0),
    )


def at_time(
    value: ArrayLike, stay: tuple[ArrayLike, ArrayLike, ArrayLike], time: ArrayLike
) -> tuple[Floats, Flags]:
    """The score of what stood at one time in each market, 0 where nothing did; and whether.

    Args:
        value: (n,) the score at each instant of a stay.
        stay: (n,) columns: the pair, from when, and until when (no longer standing then).
        time: (pairs,) the time at which each pair is looked at.

    Raises:
        ValueError: See `time_average`; also a time that is NaN.

    Source:
        Metaculus, scores FAQ ("spot scores").
    """
    stay_scores, then = np.asarray(value, dtype=np.float64), np.asarray(time, dtype=np.float64)
    if then.ndim != 1 or np.any(np.isnan(then)):
        raise ValueError("each pair is looked at at one time")
    pair, start, end = _stays(stay, stay_scores.shape, len(then))
    stood = (start <= then[pair]) & (then[pair] < end)
    score, present = np.zeros(len(then)), np.zeros(len(then), dtype=np.bool_)
    score[pair[stood]] = stay_scores[stood]
    present[pair[stood]] = True
    return score, present


def spot_time(
    lives: Lives, *, chosen: ArrayLike = np.nan, revealed: ArrayLike = np.nan
) -> Floats:
    """When each market is scored on the spot.

    At the time chosen for it; else when the community's forecast is revealed, if that is
    after the opening; else at the close. Never after the close.

    Args:
        lives: Of the markets.
        chosen: (pairs,) or one number, NaN where no time was chosen.
        revealed: (pairs,) or one number, NaN where nothing is revealed.

    Source:
        Metaculus, scores FAQ ("spot scores").
    """
    close = np.minimum(lives.closed, lives.scheduled)
    shown = np.asarray(revealed, dtype=np.float64)
    wanted = np.asarray(chosen, dtype=np.float64)
    otherwise = np.where(shown > lives.opened, shown, close)
    return np.minimum(np.where(np.isnan(wanted), otherwise, wanted), close)


def _stays(
    stay: tuple[ArrayLike, ArrayLike, ArrayLike], shape: tuple[int, ...], pairs: int
) -> tuple[Whole, Floats, Floats]:
    pair = np.asarray(stay[0])
    start, end = (np.asarray(column, dtype=np.float64) for column in stay[1:])
    if len(shape) != 1 or not (pair.shape == start.shape == end.shape == shape):
        raise ValueError("stays are columns of one length: score, pair, start and end")
    if pair.size and not (pair.dtype.kind in "iu" and 0 <= pair.min() <= pair.max() < pairs):
        raise ValueError(f"a pair is one of {pairs}, from 0")
    if not np.all(start <= end):
        raise ValueError("a stay ends after it begins")
    order = np.lexsort((end, start, pair))
    same = pair[order[1:]] == pair[order[:-1]]
    if np.any(same & (start[order[1:]] < end[order[:-1]])):
        raise ValueError("a contestant has one forecast at a time in a market")
    return pair.astype(np.intp), start, end
