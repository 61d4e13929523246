"""Intervals of means that know what else than events the questions share.

The variance of a mean is that by event, or a larger one: the floor that the outcomes' own
chance implies at the market's price (at the forecast, where no price is known), as twenty long
shots of which none has come in look alike; and that by the day and the week questions were
due, by the week they were asked, or by category, where it is larger than chance alone makes
one of so many clusters. Always to take the largest would make intervals cover 98 % or more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, stdtrit

from arena.records.claim import Source
from arena.records.estimate import Estimate, Interval
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.stats.paired_gains import DAYS_OF_WEEK
from arena.stats.spread import ROUNDING

BEYOND_CHANCE: Final = 0.9  # of an F ratio of variances, in a world without shared news
STEEP: Final = 0.5  # of an error over a mean: from there on a scale of logarithms says nothing


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """What rows share, by codes from 0: clusters by source, markets and events.

    `exclusive` flags rows of events of which at most one market is YES, `chance` is the
    probability of YES.
    """

    clusters: dict[Source, Whole]
    market: Whole
    event: Whole
    exclusive: Flags
    chance: Floats

    def take(self, rows: Whole | Flags) -> "Shared":
        """Only some rows."""
        return Shared(
            {source: code[rows] for source, code in self.clusters.items()},
            self.market[rows],
            self.event[rows],
            self.exclusive[rows],
            self.chance[rows],
        )


def shared(forecasts: Forecasts) -> Shared:
    """What the rows of forecasts share; days and weeks only where all have a moment."""
    clusters: dict[Source, Whole] = {}
    if len(forecasts) and not np.isnat(forecasts.at).any():
        asked = _days(forecasts.at)
        due = asked if forecasts.due is None else np.maximum(_days(forecasts.due), asked)
        clusters[Source.DAY] = due - due.min()
        clusters[Source.WEEK] = due // DAYS_OF_WEEK - due.min() // DAYS_OF_WEEK
        clusters[Source.COHORT] = asked // DAYS_OF_WEEK - asked.min() // DAYS_OF_WEEK
    if "category" in forecasts.labels:
        clusters[Source.CATEGORY] = forecasts.labels["category"].codes
    unknown = np.isnan(forecasts.market_p)
    chance = np.where(unknown, forecasts.p, forecasts.market_p)
    alone = forecasts.exclusive
    if alone is None:
        alone = np.zeros(len(forecasts), np.bool_)
    return Shared(clusters, forecasts.market.codes, forecasts.event.codes, alone, chance)


def _days(at: NDArray[np.datetime64]) -> Whole:
    return at.astype("datetime64[D]").astype(np.int64)


def widened(
    found: Sequence[Estimate],
    values: Floats,
    groups: Factor,
    rows: tuple[Shared, Floats],
    how: tuple[float, float | None],
) -> tuple[Estimate, ...]:
    """Estimates of means with the largest of all variances, where that is not the one by event.

    Args:
        found: One for each name of the groups, with its interval by event.
        values: (n,) what the means are of.
        groups: Whose each row is.
        rows: What the rows share, and (n,) what YES adds to each value over NO.
        how: The level of the intervals, and the largest loss there is; None of what is no
            loss, which may be below 0 and has equal arms.
    """
    made, (said, swing) = list(found), rows
    for code, own in _by_group(groups):
        estimate = found[code]
        if estimate.se is None and estimate.events < 2:  # noqa: PLR2004  one event says nothing
            continue
        made[code] = _widest(estimate, values[own], (said.take(own), swing[own]), how)
    return tuple(made)


def _by_group(groups: Factor) -> Iterator[tuple[int, Whole]]:
    order = np.argsort(
        groups.codes.astype(np.min_scalar_type(len(groups.names))), kind="stable"
    )
    ends = np.cumsum(np.bincount(groups.codes, minlength=len(groups.names))).tolist()
    for code, (start, end) in enumerate(pairwise([0, *ends])):
        if end > start:
            yield code, order[start:end]


def _widest(
    found: Estimate,
    values: Floats,
    rows: tuple[Shared, Floats],
    how: tuple[float, float | None],
) -> Estimate:
    n, mean = len(values), float(values.mean())
    by_event, among = found.se or 0.0, float(found.events - 1)
    best = (by_event, found.df or 0.0, Source.EVENT)
    floor = float(np.sqrt(_floor(*rows))) / n
    if floor > by_event * (1 + ROUNDING):
        best = (floor, among, Source.FLOOR)
    for source, code in rows[0].clusters.items():
        variance, df = _spread(values - mean, code)
        se = float(np.sqrt(variance)) / n
        beyond = df > 0 and se**2 > by_event**2 * float(fdtri(df, among, BEYOND_CHANCE))
        if beyond and se > best[0]:
            best = (se, df, source)
    se, df, source = best
    if source is Source.EVENT or se * np.sqrt(n) <= ROUNDING:
        return found
    arm = float(stdtrit(df, (1 + how[0]) / 2)) * se
    return replace(found, se=se, df=df, interval=_interval(mean, arm, source, how))


def _interval(
    mean: float, arm: float, source: Source, how: tuple[float, float | None]
) -> Interval:
    """Equal arms, or for a loss those that are even on a scale of logarithms."""
    level, most = how
    name = f"cluster t, {source}"
    if most is None:
        return Interval(mean - arm, mean + arm, level, name)
    if arm > STEEP * mean:
        return Interval(max(0.0, mean - arm), min(most, mean + arm), level, name)
    low, high = mean * np.exp(-arm / mean), mean * np.exp(arm / mean)
    return Interval(float(low), min(most, float(high)), level, f"{name}, log scale")


def _spread(centred: Floats, code: Whole) -> tuple[float, float]:
    """The variance of a sum by clusters, and its degrees of freedom; 0 of a single cluster."""
    counts = np.bincount(code)
    clusters = int(np.count_nonzero(counts))
    if clusters < 2:  # noqa: PLR2004
        return 0.0, 0.0
    sums, sizes = np.bincount(code, centred), counts.astype(np.float64)
    kish = float(sizes.sum() ** 2 / (sizes @ sizes))
    return float(sums @ sums) * clusters / (clusters - 1), min(clusters, kish) - 1


def _floor(rows: Shared, swings: Floats) -> float:
    """The variance of a sum that the outcomes' own chance must contribute, by market.

    Of an exclusive event one market at most is YES, so that its outcomes exclude each other.
    """
    counts = np.bincount(rows.market)
    swing = np.bincount(rows.market, swings)
    chance = np.bincount(rows.market, rows.chance) / np.maximum(counts, 1)
    found = float((swing**2) @ (chance * (1 - chance)))
    if rows.exclusive.any():
        event, alone = np.zeros_like(counts), np.zeros(counts.size, np.bool_)
        event[rows.market], alone[rows.market] = rows.event, rows.exclusive
        meant = (swing * chance)[alone]
        found -= float((np.bincount(event[alone], meant) ** 2).sum() - (meant**2).sum())
    return max(found, 0.0)
