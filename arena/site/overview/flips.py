"""How few events decide who stands first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.metrics.metric_values import lower_is_better, measure, terms
from arena.records.cohort import ContestantId
from arena.scoring.table import Floats, Forecasts
from arena.site.overview.records import Flip
from arena.stats.comparisons.ranks import ranks

MOST: Final = 25  # events
MOST_MARKETS: Final = 4  # of an event that are named


@dataclass(frozen=True, slots=True, eq=False)
class _SumsTable:
    """Sums and numbers of rows, (k, G) of contestants by events; smaller sums are better."""

    names: tuple[str, ...]
    sums: Floats
    counts: Floats


def flip(
    forecasts: Forecasts, headline: str, competing: Collection[ContestantId]
) -> Flip | None:
    """The fewest events that were found without which somebody else stood first.

    For each other contestant the event is dropped that helps it most, then the next, until it
    passes the first. Where all forecast the same questions no smaller set does it. What is
    found is worked out again from the rows that are left.

    Args:
        forecasts: What has come out.
        headline: A mean over rows, or "".
        competing: Who may stand first: no references.

    Returns:
        None where fewer than two of them have a value.
    """
    table = _table(forecasts, headline, competing)
    if len(table.names) <= 1:
        return None
    means = table.sums.sum(axis=1) / table.counts.sum(axis=1)
    leaders = np.flatnonzero(ranks(means) == 1).tolist()
    first = leaders[0]
    if len(leaders) > 1:
        return _found(table, first, leaders[1])
    fewest: list[int] | None = None
    for other in np.argsort(means, kind="stable").tolist():
        most = MOST if fewest is None else len(fewest) - 1
        if other != first and (dropped := _dropped(table, first, other, most)):
            fewest = dropped
    if fewest is None:
        return _found(table, first, None)
    left = ~np.isin(forecasts.event.codes, fewest)
    best = _best(forecasts.take(left), headline, table.names)
    names = forecasts.event.names
    return Flip(
        ContestantId(table.names[first]),
        ContestantId(best),
        tuple(names[e] for e in fewest),
        tuple(_markets(forecasts, e) for e in fewest),
    )


def _markets(forecasts: Forecasts, event: int) -> tuple[str, ...]:
    """The first markets of an event."""
    codes = np.unique(forecasts.market.codes[forecasts.event.codes == event]).tolist()
    return tuple(sorted(forecasts.market.names[code] for code in codes)[:MOST_MARKETS])


def _found(table: _SumsTable, first: int, instead: int | None) -> Flip:
    other = None if instead is None else ContestantId(table.names[instead])
    return Flip(ContestantId(table.names[first]), other, ())


def _table(forecasts: Forecasts, headline: str, competing: Collection[str]) -> _SumsTable:
    if not headline:
        return _SumsTable((), np.zeros((0, 0)), np.zeros((0, 0)))
    sign = 1.0 if lower_is_better(headline) else -1.0
    values = sign * terms(headline, forecasts)
    who, event = forecasts.contestant, forecasts.event
    rows = np.flatnonzero(~np.isnan(values))
    shape = (len(who.names), len(event.names))
    cell = who.codes[rows] * shape[1] + event.codes[rows]
    size = shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size).reshape(shape).astype(np.float64)
    added = np.bincount(cell, values[rows], minlength=size).astype(np.float64, copy=False)
    sums = added.reshape(shape)
    kept = [
        code
        for code in np.argsort(np.array(who.names, dtype=np.str_)).tolist()
        if who.names[code] in competing and counts[code].any()
    ]
    return _SumsTable(tuple(who.names[code] for code in kept), sums[kept], counts[kept])


def _dropped(table: _SumsTable, first: int, other: int, most: int) -> list[int] | None:
    """Events without which one contestant passes the other; None if that takes too many."""
    rows = [first, other]
    sums, counts = table.sums[rows], table.counts[rows]
    total, number = sums.sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)
    gone: list[int] = []
    for _ in range(most):
        left = number - counts
        means = np.divide(total - sums, left, out=np.zeros_like(left), where=left > 0)
        ahead = np.where((left > 0).all(axis=0), means[0] - means[1], -np.inf)
        ahead[gone] = -np.inf
        event = int(np.argmax(ahead))
        if not np.isfinite(ahead[event]):
            return None
        gone.append(event)
        total, number = total - sums[:, [event]], number - counts[:, [event]]
        if ranks((total / number).ravel()).tolist() == [2, 1]:
            return gone
    return None


def _best(forecasts: Forecasts, headline: str, names: Sequence[str]) -> str:
    """Who ranks first by the mean of the headline; of equals, the first by name."""
    values = dict(
        zip(forecasts.contestant.names, measure((headline,), forecasts)[headline], strict=True)
    )
    means = {name: e.value for name in names if (e := values[name]).value is not None}
    column = np.array(list(means.values()), np.float64)
    order = ranks(column, higher_is_better=not lower_is_better(headline))
    return next(name for name, rank in zip(means, order.tolist(), strict=True) if rank == 1)
