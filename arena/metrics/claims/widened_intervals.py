"""Intervals of means whose questions share more than their events.

The variance of a mean is that by event, or a larger one: the floor that the outcomes' own
chance implies at the market's price (at the forecast, where no price is known), as twenty long
shots of which none has come in look alike; and that by the day and the week questions were
due, by the week they were asked, or by category, where it has two degrees of freedom and is
larger than chance alone makes one of so many clusters. Always to take the largest would make
intervals cover 98 % or more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, stdtrit

from arena.records.claim import Source
from arena.records.estimate import Estimate, Interval, State
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.stats.columns import ROUNDING, compact
from arena.stats.comparisons.paired_gains import DAYS_OF_WEEK

BEYOND_CHANCE: Final = 0.9  # of an F ratio of variances, in a world without shared news
DENSE: Final = 100_000  # cells of groups by clusters that are held although most are empty
LEAST_DF: Final = 2.0  # of a variance by clusters: three weeks that are even, say
STEEP: Final = 0.5  # of an error over a mean: from there on a scale of logarithms says nothing


@dataclass(frozen=True, slots=True, eq=False)
class SharedClusters:
    """What rows share, by codes from 0: clusters by source, markets and events.

    `exclusive` flags rows of events of which at most one market is YES, `chance` is the
    probability of YES.
    """

    clusters: dict[Source, Whole]
    market: Whole
    event: Whole
    exclusive: Flags
    chance: Floats

    def take(self, rows: Whole | Flags) -> "SharedClusters":
        """Only some rows."""
        return SharedClusters(
            {source: code[rows] for source, code in self.clusters.items()},
            self.market[rows],
            self.event[rows],
            self.exclusive[rows],
            self.chance[rows],
        )


def shared(forecasts: Forecasts) -> SharedClusters:
    """What the rows of forecasts share; days and weeks only where all have a moment."""
    clusters: dict[Source, Whole] = {}
    if len(forecasts) and not np.isnat(forecasts.at).any():
        asked_on = _days(forecasts.at)
        due = asked_on if forecasts.due is None else np.maximum(_days(forecasts.due), asked_on)
        clusters[Source.DAY] = due - due.min()
        clusters[Source.WEEK] = due // DAYS_OF_WEEK - due.min() // DAYS_OF_WEEK
        clusters[Source.COHORT] = asked_on // DAYS_OF_WEEK - asked_on.min() // DAYS_OF_WEEK
    if "category" in forecasts.labels:
        clusters[Source.CATEGORY] = forecasts.labels["category"].codes
    unknown = np.isnan(forecasts.market_p)
    chance = np.where(unknown, forecasts.p, forecasts.market_p)
    alone = forecasts.exclusive
    if alone is None:
        alone = np.zeros(len(forecasts), np.bool_)
    return SharedClusters(
        clusters, forecasts.market.codes, forecasts.event.codes, alone, chance
    )


def _days(at: NDArray[np.datetime64]) -> Whole:
    return at.astype("datetime64[D]").astype(np.int64)


def widened(
    estimates: Sequence[Estimate],
    values: Floats,
    groups: Factor,
    rows: tuple[SharedClusters, Floats],
    how: tuple[float, float | None],
) -> tuple[Estimate, ...]:
    """Estimates of means with the largest of all variances, where that is not the one by event.

    Args:
        estimates: One for each name of the groups, with its interval by event.
        values: (n,) what the means are of.
        groups: Whose each row is.
        rows: What the rows share, and (n,) what YES adds to each value over NO.
        how: The level of the intervals, and the largest loss there is; None of what is no
            loss, which may be below 0 and has equal arms.
    """
    (shared_rows, swing), size = rows, len(groups.names)
    n = np.bincount(groups.codes, minlength=size)
    total = np.bincount(groups.codes, values, minlength=size)
    means = np.divide(total, n, out=np.zeros(size), where=n > 0)
    centred = values - means[groups.codes]
    among = np.array([estimate.events - 1.0 for estimate in estimates])
    spreads = [(np.sqrt(_floors(shared_rows, swing, groups)), among, Source.FLOOR)]
    for source, code in shared_rows.clusters.items():
        variance, df = _spreads(centred, _cells(groups, code))
        spreads.append((np.sqrt(variance), df, source))
    return tuple(
        _widest(
            estimate,
            (int(n[k]), float(means[k])),
            [(se[k], df[k], s) for se, df, s in spreads],
            how,
        )
        if n[k] and (estimate.se is not None or estimate.events > 1)  # one event says nothing
        else estimate
        for k, estimate in enumerate(estimates)
    )


def _widest(
    estimate: Estimate,
    mean: tuple[int, float],
    spreads: Sequence[tuple[float, float, Source]],
    how: tuple[float, float | None],
) -> Estimate:
    """One estimate with the largest of the standard errors of its sum, the floor's first."""
    (n, value), by_event, among = mean, estimate.se or 0.0, estimate.events - 1.0
    best = (by_event, estimate.df or 0.0, Source.EVENT)
    for of_sum, df, source in spreads:
        se = float(of_sum) / n
        if source is Source.FLOOR:
            beyond = se > by_event * (1 + ROUNDING)
        else:
            ratio = float(fdtri(df, among, BEYOND_CHANCE)) if df >= LEAST_DF else np.inf
            beyond = se**2 > by_event**2 * ratio
        if beyond and se > best[0]:
            best = (se, float(df), source)
    se, df, source = best
    if source is Source.EVENT or se * np.sqrt(n) <= ROUNDING:
        return estimate
    arm = float(stdtrit(df, (1 + how[0]) / 2)) * se
    between = _interval(value, arm, source, how)
    return replace(estimate, se=se, df=df, interval=between, state=State.OK)


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


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Clusters of each of G groups: the cell of each row, and each cell's group and cluster."""

    row: Whole
    group: Whole
    cluster: Whole
    groups: int

    def total(self, weights: Floats | None = None) -> Floats:
        """A sum over the rows of each cell; their number if no column is named."""
        sums = np.bincount(self.row, weights, minlength=len(self.group))
        return sums.astype(np.float64, copy=False)

    def over(self, values: Floats) -> Floats:
        """The sum over the cells of each group."""
        return np.bincount(self.group, values, minlength=self.groups).astype(np.float64)


def _cells(groups: Factor, code: Whole) -> _Cells:
    width, size = int(code.max(initial=0)) + 1, len(groups.names)
    row = groups.codes * width + code
    there = np.arange(size * width)
    if there.size > max(DENSE, 2 * row.size):
        there, row = compact(row)
    return _Cells(row, there // width, there % width, size)


def _spreads(centred: Floats, cells: _Cells) -> tuple[Floats, Floats]:
    """The variance of each group's sum by clusters, and its degrees of freedom.

    Both are 0 of a single cluster.
    """
    sums, sizes = cells.total(centred), cells.total()
    clusters, n = cells.over((sizes > 0).astype(np.float64)), cells.over(sizes)
    several, nothing = clusters > 1, np.zeros(cells.groups)
    kish = np.divide(n**2, cells.over(sizes**2), out=nothing.copy(), where=several)
    factor = np.divide(clusters, clusters - 1, out=nothing.copy(), where=several)
    df = np.where(several, np.minimum(clusters, kish) - 1, 0.0)
    return cells.over(sums**2) * factor, df


def _floors(rows: SharedClusters, swings: Floats, groups: Factor) -> Floats:
    """The variance of each group's sum that the outcomes' own chance must contribute.

    It goes by market. Of an exclusive event one market at most is YES, so that its outcomes
    exclude each other.
    """
    cells = _cells(groups, rows.market)
    swing, counts = cells.total(swings), cells.total()
    chance = cells.total(rows.chance) / np.maximum(counts, 1)
    variance = cells.over(swing**2 * chance * (1 - chance))
    if rows.exclusive.any():
        markets = int(rows.market.max()) + 1
        event, alone = np.zeros(markets, np.intp), np.zeros(markets, np.bool_)
        event[rows.market], alone[rows.market] = rows.event, rows.exclusive
        those = alone[cells.cluster] & (counts > 0)
        meant, whose = (swing * chance)[those], cells.group[those]
        own = Factor(groups.names, whose)
        by_event = _cells(own, event[cells.cluster[those]])
        variance = variance - by_event.over(by_event.total(meant) ** 2)
        variance = variance + np.bincount(whose, meant**2, minlength=len(groups.names))
    return np.maximum(variance, 0.0)
