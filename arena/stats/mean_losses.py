"""Mean losses of several contestants together, with what their common events do to them."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.columns import codes
from arena.stats.resampling.bootstrap import resamples

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Whole = NDArray[np.intp]

_TRIES: Final = 50


@dataclass(frozen=True, slots=True, eq=False)
class MeanLosses:
    """Means (k,) and the covariance (k, k) that resampling whole events would give them.

    `forecasts` and `events` (k,) count what each mean is of. `covariance` is None where a
    contestant has a single event: see `state`.
    """

    means: Floats
    covariance: Floats | None
    forecasts: Whole
    events: Whole
    state: State


def mean_losses(losses: Floats, event: Whole, made: Flags | None = None) -> MeanLosses:
    """The means of all contestants and their joint covariance, events being the units.

    With gaps, each mean is over what that contestant forecast. Means over different
    questions say who had the easier ones: give losses that allow for it, as differences to
    the market's, or only the rows that all forecast.

    Args:
        losses: (n, k) a question a row and a contestant a column.
        event: (n,) each question's event.
        made: (n, k) where a forecast was made; everywhere if not given. What stands in
            `losses` elsewhere is not looked at.

    Raises:
        ValueError: A loss is not finite, lengths differ, or a contestant has no forecast.

    Source:
        Liang and Zeger (1986), Biometrika 73, for the vector of means; the correction
        G / (G - 1) is split between both contestants of an entry.
    """
    sums, counts = event_sums(losses, event, made)
    total = counts.sum(axis=0)
    if np.any(total == 0):
        raise ValueError("a contestant without a forecast has no mean loss")
    means = sums.sum(axis=0) / total
    units = np.count_nonzero(counts, axis=0)
    if not units.size or units.min() <= 1:
        state = State.SINGLE if units.size else State.EMPTY
        return MeanLosses(means, None, total.astype(np.intp), units, state)
    pulls = (sums - counts * means) / total * np.sqrt(units / (units - 1.0))
    return MeanLosses(means, pulls.T @ pulls, total.astype(np.intp), units, State.OK)


def resampled_means(
    losses: Floats,
    event: Whole,
    rng: np.random.Generator,
    draws: int = 10_000,
    made: Flags | None = None,
) -> Floats:
    """Mean losses in resamples of whole events, the same events for all contestants.

    A resample in which somebody has no forecast is drawn again.

    Args:
        losses: (n, k) a question a row and a contestant a column.
        event: (n,) each question's event.
        rng: Where chance comes from.
        draws: How many resamples, B.
        made: (n, k) where a forecast was made; everywhere if not given.

    Returns:
        (B, k) means.

    Raises:
        ValueError: See `mean_losses`; or somebody has so few events that hardly a resample
            holds one.

    Source:
        Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8.
    """
    sums, counts = event_sums(losses, event, made)
    times = resamples(len(sums), draws, rng)
    for _ in range(_TRIES):
        bottom = times @ counts
        without = np.flatnonzero((bottom == 0).any(axis=1))
        if not without.size:
            return np.asarray((times @ sums) / bottom)
        times[without] = resamples(len(sums), without.size, rng)
    raise ValueError("somebody has too few events to resample them with the others'")


def event_sums(
    losses: Floats, event: Whole, made: Flags | None = None
) -> tuple[Floats, Floats]:
    """Sums of losses and numbers of forecasts, an event a row: two arrays (G, k).

    Raises:
        ValueError: A loss is not finite where a forecast was made, or lengths differ.
    """
    table = np.asarray(losses, dtype=np.float64)
    there = np.ones(table.shape, dtype=np.bool_) if made is None else made
    if len(table.shape) != 2 or there.shape != table.shape:  # noqa: PLR2004
        raise ValueError("losses stand in a row a question and a column a contestant")
    if not np.isfinite(table[there]).all():
        raise ValueError("a loss must be finite")
    code = codes(event, len(table))
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    if not starts.size:
        return np.zeros((0, table.shape[1])), np.zeros((0, table.shape[1]))
    kept = np.where(there, table, 0.0)[order]
    sums = np.add.reduceat(kept, starts, axis=0)
    return sums, np.add.reduceat(there[order].astype(np.float64), starts, axis=0)
