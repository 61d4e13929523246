"""The stationary bootstrap of series in time order, and how long its blocks should be."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from arena.stats.columns import Floats, Whole, finite
from arena.stats.spread import ROUNDING, no_spread

_CELLS: Final = 60_000  # of counts at a time, so that they stay in the cache
_PIECES: Final = 50  # of so many cells, for one product of matrices
_SHORTEST: Final = 10


class Convention(StrEnum):
    """How the lag is found after which a series no longer remembers.

    They differ in details of the same rule and mostly agree. ARCH: bound 2, correlations by
    the spread of the two stretches compared, no such lag means the longest one looked at.
    NP: bound 1.96, plain autocorrelations, no such lag means the last that is significant.
    """

    ARCH = "arch"
    NP = "np"


@dataclass(frozen=True, slots=True)
class BlockLength:
    """Mean block length of the stationary bootstrap, and the circular bootstrap's length."""

    stationary: float
    circular: float


def optimal_block_length(
    x: ArrayLike, convention: Convention = Convention.ARCH, *, bound: float | None = None
) -> BlockLength | None:
    """The block length with the least mean squared error of the variance of a mean.

    Args:
        x: (n,) values in time order.
        convention: Whose details.
        bound: Where an autocorrelation is significant, in units of sqrt(log10(n) / n);
            the convention's own if not given.

    Returns:
        None for fewer than 10 values, or without spread. Neither length is rounded; a
        length below 1 says that rows may be drawn one by one.

    Raises:
        ValueError: A value is not finite.

    Source:
        Politis and White (2004), Econometric Reviews 23, with the correction of Patton,
        Politis and White (2009), Econometric Reviews 28.
    """
    column = finite(x)
    n = column.size
    if n < _SHORTEST or no_spread(float(column.std()), float(column.mean())):
        return None
    away = column - column.mean()
    np_rule = Convention(convention) is Convention.NP
    run = max(5, int(np.ceil(np.log10(n))) if np_rule else int(np.log10(n)))
    longest = int(np.ceil(np.sqrt(n))) + run
    covariances = np.array([away[k:] @ away[: n - k] for k in range(min(longest, n - 1) + 1)])
    usual = float(ndtri(0.975)) if np_rule else 2.0
    limit = (usual if bound is None else bound) * float(np.sqrt(np.log10(n) / n))
    if np_rule:
        memory = _memory_np(np.abs(covariances[1:] / covariances[0]), limit, run)
    else:
        memory = _memory_arch(np.abs(covariances), away, limit, run)
    m = min(2 * max(memory, 1), longest, covariances.size - 1)
    lags = np.arange(1, m + 1)
    taper = np.minimum(1.0, 2 * (1 - lags / m)) * covariances[1 : m + 1] / n
    g = 2 * float(lags @ taper)
    spectrum = float(covariances[0]) / n + 2 * float(taper.sum())
    cap = float(np.ceil(min(3 * np.sqrt(n), n / 3)))
    if spectrum == 0:
        return BlockLength(cap, cap)
    base = float(np.cbrt(n * (g / spectrum) ** 2))
    return BlockLength(min(cap, base), min(cap, base * float(np.cbrt(1.5))))


def _memory_arch(covariances: Floats, away: Floats, limit: float, run: int) -> int:
    squares = np.concatenate([[0.0], np.cumsum(away**2)])
    lags = np.minimum(np.arange(covariances.size) + 1, away.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt((squares[-1] - squares[lags]) * squares[away.size - lags])
        small = covariances / scale < limit
    for start in range(covariances.size - run):
        if small[start : start + run].all():
            return start
    return covariances.size


def _memory_np(correlations: Floats, limit: float, run: int) -> int:
    small = correlations < limit
    for start in range(small.size - run + 1):
        if small[start : start + run].all():
            return start + 1
    large = np.flatnonzero(correlations > limit)
    return int(large[-1]) + 1 if large.size else 1


def block_counts(n: int, draws: int, mean_block: float, rng: np.random.Generator) -> Floats:
    """How often each place of a series is in each resample of the stationary bootstrap.

    Blocks start anywhere, last geometrically long, and run on from the end to the start;
    the last one is cut so that n places are drawn.

    Args:
        n: Length of the series.
        draws: How many resamples.
        mean_block: Mean length of a block, at least 1.
        rng: Where chance comes from.

    Returns:
        (draws, n) counts, rows summing to n.

    Raises:
        ValueError: `mean_block` is below 1, or n below 1.

    Source:
        Politis and Romano (1994), JASA 89.
    """
    if n < 1 or not mean_block >= 1:
        raise ValueError("a series has a value at least, and a block a mean length of 1")
    found = np.empty((draws, n))
    step = max(1, _CELLS // n)
    for start in range(0, draws, step):
        stop = min(draws, start + step)
        steps = _edges(n, stop - start, mean_block, rng)
        np.cumsum(steps, axis=1, out=found[start:stop])
    return found


def _edges(n: int, draws: int, mean_block: float, rng: np.random.Generator) -> Floats:
    """Counts by their steps: each block adds one at its start and takes it away after its end.

    Summed along a row they are counts; but counts times a series are also these steps times
    the sums of the series from each place to its end, and need not be summed.
    """
    ends = _block_ends(n, draws, mean_block, rng)
    begins = np.concatenate([np.zeros((draws, 1), dtype=np.intp), ends[:, :-1]], axis=1)
    used = np.flatnonzero((begins < n).ravel())
    lengths = np.minimum(ends, n).ravel()[used] - begins.ravel()[used]
    row = used // ends.shape[1] * (n + 1)
    first = rng.integers(0, n, size=used.size)
    last = first + lengths
    over = last > n
    last[over] -= n
    last += row
    first += row
    size = draws * (n + 1)
    steps = np.bincount(first, minlength=size) - np.bincount(last, minlength=size)
    found = np.asarray(steps.reshape(draws, n + 1)[:, :n], dtype=np.float64)
    found[:, 0] += np.bincount(row[over] // (n + 1), minlength=draws)
    return found


def _block_ends(n: int, draws: int, mean_block: float, rng: np.random.Generator) -> Whole:
    expected = n / mean_block
    width = int(expected + 4 * np.sqrt(expected) + 4)
    ends = np.cumsum(_lengths((draws, width), mean_block, rng), axis=1)
    while int(ends[:, -1].min()) < n:
        more = np.cumsum(_lengths((draws, width), mean_block, rng), axis=1)
        ends = np.concatenate([ends, ends[:, -1:] + more], axis=1)
    return ends


def _lengths(shape: tuple[int, int], mean_block: float, rng: np.random.Generator) -> Whole:
    """Geometric lengths, as whole parts of exponential times."""
    if mean_block == 1:
        return np.ones(shape, dtype=np.intp)
    rate = -np.log1p(-1 / mean_block)
    return np.asarray((rng.standard_exponential(shape) / rate).astype(np.intp) + 1)


def stationary_means(
    x: ArrayLike, mean_block: float, rng: np.random.Generator, draws: int = 10_000
) -> Floats:
    """Means of resampled series; several series are resampled at the same places.

    Args:
        x: (n,) or (n, k) values in time order.
        mean_block: Mean length of a block, at least 1.
        rng: Where chance comes from.
        draws: How many resamples, B.

    Returns:
        (B,) or (B, k).

    Raises:
        ValueError: A value is not finite, or see `block_counts`.
    """
    series = _series(x)
    middle = series.mean(axis=0)
    rest = _rest(series - middle)
    found = [steps @ rest for steps in _batches(len(series), mean_block, rng, draws)]
    return np.asarray(middle + np.concatenate(found) / len(series))


def stationary_sharpes(
    x: ArrayLike, mean_block: float, rng: np.random.Generator, draws: int = 10_000
) -> Floats:
    """Mean over standard deviation of resampled series; 0 for a resample without spread.

    Args:
        x: (n,) or (n, k) values in time order, n at least 2.
        mean_block: Mean length of a block, at least 1.
        rng: Where chance comes from.
        draws: How many resamples, B.

    Returns:
        (B,) or (B, k).

    Raises:
        ValueError: A value is not finite, there is one only, or see `block_counts`.
    """
    series = _series(x)
    n = len(series)
    if n < 2:  # noqa: PLR2004  one value says nothing about spread
        raise ValueError("a ratio needs two values at least")
    middle = series.mean(axis=0)
    away = series - middle
    both = np.concatenate([away.reshape(n, -1), (away**2).reshape(n, -1)], axis=1)
    rest = _rest(both)
    found = []
    for steps in _batches(n, mean_block, rng, draws):
        first, second = np.split(steps @ rest, 2, axis=1)
        found.append(sharpes_of_sums(first, second, middle, n))
    return np.concatenate(found).reshape(-1, *series.shape[1:])


def sharpes_of_sums(first: Floats, second: Floats, middle: ArrayLike, n: int) -> Floats:
    """Ratios from sums and sums of squares of n values, taken about `middle`."""
    squared = (second - first**2 / n) / (n - 1)
    mean = np.asarray(middle) + first / n
    sd = np.sqrt(np.maximum(squared, 0.0))
    some = sd > ROUNDING * np.maximum(1.0, np.abs(mean))
    return np.asarray(np.divide(mean, sd, where=some, out=np.zeros_like(mean)))


def variance_of_stationary_mean(x: ArrayLike, mean_block: float) -> float:
    """The variance of the resampled mean over all possible draws: no chance is needed.

    Args:
        x: (n,) values in time order.
        mean_block: Mean length of a block, at least 1.

    Raises:
        ValueError: A value is not finite, there is none, or `mean_block` is below 1.

    Source:
        Politis and Romano (1994), JASA 89, lemma 1.
    """
    column = finite(x)
    n = column.size
    if n < 1 or not mean_block >= 1:
        raise ValueError("a series has a value at least, and a block a mean length of 1")
    away = column - column.mean()
    covariances = np.fft.irfft(np.abs(np.fft.rfft(away)) ** 2, n) / n
    lags = np.arange(1, n)
    weights = (1 - lags / n) * (1 - 1 / mean_block) ** lags
    return float(covariances[0] + 2 * (weights @ covariances[1:])) / n


def _batches(
    n: int, mean_block: float, rng: np.random.Generator, draws: int
) -> Iterator[Floats]:
    """Steps of some resamples after others, in one array that is filled anew each time.

    Few and large, since each product of matrices waits for all processors.
    """
    if not mean_block >= 1:
        raise ValueError("a block has a mean length of 1 at least")
    step = max(1, _CELLS // n)
    found = np.empty((min(draws, _PIECES * step), n))
    for start in range(0, draws, len(found)):
        rows = min(len(found), draws - start)
        for piece in range(0, rows, step):
            stop = min(rows, piece + step)
            found[piece:stop] = _edges(n, stop - piece, mean_block, rng)
        yield found[:rows]


def _rest(columns: Floats) -> Floats:
    """The sums of columns from each place to the end."""
    return np.ascontiguousarray(np.cumsum(columns[::-1], axis=0)[::-1])


def _series(x: ArrayLike) -> Floats:
    found = np.asarray(x, dtype=np.float64)
    if found.ndim not in {1, 2} or not np.isfinite(found).all():
        raise ValueError("series are finite numbers, in one column or several")
    return found
