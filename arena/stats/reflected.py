"""The reflected stationary-bootstrap Sharpe ratio (basic interval).

"The 45 Percent Problem" (C) registered it as "Hall-Mueller" for closing line values, and as a
correction of bias. It is neither somebody's named method nor a correction: reflecting each
replicate at the estimate and reading percentiles is the basic bootstrap interval. It is here
so that its numbers can be had exactly; it calls an edge genuine too often on skewed, short
or clustered series, and `mean_intervals.interval` is what to use.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import Interval
from arena.stats import Edge, three_states
from arena.stats.columns import Floats, Whole, finite
from arena.stats.replicates import percentile

REGISTERED: Final = (4, 20)  # the clamp of the registered constants and of the page
DOCSTRINGS: Final = (4, 12)  # the clamp of the source's docstrings and tests
DRAWS: Final = 10_000
UNKNOWN_CODE: Final = "0000000"


@dataclass(frozen=True, slots=True, eq=False)
class ReflectedSharpe:
    """A Sharpe ratio per bet, its replicates mirrored at it, and the label of the source.

    `bias_corrected` is twice the ratio less the mean of the replicates, `percentile_95` the
    interval of the replicates as they are. `block_length` and `seed` are None where index
    rows were given.
    """

    n: int
    sharpe: float
    replicates: Floats
    reflected: Floats
    ci_90: Interval
    ci_95: Interval
    percentile_95: Interval
    bias_corrected: float
    label: Edge
    block_length: int | None = None
    seed: int | None = None


def block_length(n: int, clamp: tuple[int, int] | None = REGISTERED) -> int:
    """The mean block length: the whole part of 1.75 times the cube root of n, clamped.

    It is the largest k with 64 k^3 <= 343 n, in whole numbers.

    Args:
        n: Length of the series.
        clamp: The shortest and the longest, or None for neither.

    Raises:
        ValueError: n is negative.

    >>> [block_length(n) for n in (10, 64, 512, 10_000)]
    [4, 7, 14, 20]
    """
    if n < 0:
        raise ValueError("a length is not negative")
    k = round((343 * n / 64) ** (1 / 3))
    while 64 * k**3 > 343 * n:
        k -= 1
    while 64 * (k + 1) ** 3 <= 343 * n:
        k += 1
    return _clamped(k, clamp)


def float_block_length(n: int, clamp: tuple[int, int] | None = REGISTERED) -> int:
    """The same as the source's code has it, one too short where floats fall below a cube.

    >>> [float_block_length(n) for n in (64, 512)]
    [6, 13]
    """
    return _clamped(int(1.75 * n ** (1.0 / 3.0)), clamp)


def _clamped(k: int, clamp: tuple[int, int] | None) -> int:
    return k if clamp is None else max(clamp[0], min(clamp[1], k))


def seed_from_sha(code_sha: str) -> int:
    """The first eight characters of a commit's name, read as one big-endian number.

    Raises:
        ValueError: The name is not ASCII.

    >>> seed_from_sha("x"), seed_from_sha("")
    (120, 0)
    """
    return int.from_bytes(code_sha.encode("ascii")[:8], "big")


def index_rows(n: int, draws: int, mean_block: int, rng: np.random.Generator) -> Whole:
    """Stationary-bootstrap places as the source draws them, a start and then a length.

    Args:
        n: Length of the series, at least 1.
        draws: How many resamples, B.
        mean_block: Mean length of a block.
        rng: Where chance comes from.

    Returns:
        (B, n) places in the series; the last block of each row is cut.

    Source:
        Politis and Romano (1994), JASA 89.
    """
    starts: list[int] = []
    lengths: list[int] = []
    stop = 1.0 / mean_block
    for _ in range(draws):
        missing = n
        while missing > 0:
            starts.append(int(rng.integers(0, n)))
            length = min(missing, int(rng.geometric(stop)))
            lengths.append(length)
            missing -= length
    sizes = np.array(lengths, dtype=np.intp)
    begins = np.cumsum(sizes) - sizes
    shift = np.repeat(np.array(starts, dtype=np.intp) - begins, sizes)
    return np.asarray((np.arange(draws * n) + shift) % n).reshape(draws, n)


def naive_sharpe(rows: ArrayLike) -> Floats:
    """Mean over standard deviation along the last axis as the source has it.

    0 where the standard deviation is exactly 0 or there is one value, and some 10^15 where
    it is rounding: `sharpe.sharpe_ratio` knows the difference.
    """
    returns = np.asarray(rows, dtype=np.float64)
    if returns.shape[-1] < 2:  # noqa: PLR2004  one value says nothing about spread
        return np.zeros(returns.shape[:-1])
    mean, sd = returns.mean(axis=-1), returns.std(axis=-1, ddof=1)
    return np.asarray(np.divide(mean, sd, where=sd > 0, out=np.zeros_like(mean)))


def reflected_sharpe(
    clv: ArrayLike,
    code_sha: str = UNKNOWN_CODE,
    *,
    draws: int = DRAWS,
    clamp: tuple[int, int] = REGISTERED,
    length: int | None = None,
) -> ReflectedSharpe:
    """The source's algorithm from seed to label, number by number.

    Args:
        clv: (n,) closing line values in time order.
        code_sha: The commit whose name is the seed.
        draws: How many resamples.
        clamp: Bounds of the block length.
        length: A mean block length in place of `block_length`.

    Returns:
        Zeros, block length 4, seed 0 and NO_EDGE for no value at all, as the source has it.

    Raises:
        ValueError: A value is not finite, or the name of the commit is not ASCII.

    Source:
        The 45 Percent Problem, CLV tracker; Hall (1992), The Bootstrap and Edgeworth
        Expansion, for the basic interval; Politis and Romano (1994), JASA 89.
    """
    column = finite(clv)
    seed = seed_from_sha(code_sha) if column.size else 0
    mean_block = block_length(column.size, clamp) if length is None else length
    if column.size == 0:
        return _summary(0, 0.0, np.zeros(1), mean_block, seed)
    rng = np.random.default_rng(seed)
    rows = index_rows(column.size, draws, mean_block, rng)
    return _from_rows(column, rows, mean_block, seed)


def reflected_from_rows(clv: ArrayLike, rows: ArrayLike) -> ReflectedSharpe:
    """The same from given index rows, without any chance.

    Args:
        clv: (n,) values, one at least.
        rows: (B, n) places in the series, one row a resample.

    Raises:
        ValueError: A value is not finite, a place is not in the series, or shapes differ.
    """
    column, places = finite(clv), np.asarray(rows, dtype=np.intp)
    if column.size == 0 or places.ndim != 2 or places.shape[1] != column.size:  # noqa: PLR2004
        raise ValueError("each resample needs as many places as there are values")
    if places.size == 0 or places.min() < 0 or places.max() >= column.size:
        raise ValueError("a place is not in the series")
    return _from_rows(column, places, None, None)


def _from_rows(
    column: Floats, rows: Whole, mean_block: int | None, seed: int | None
) -> ReflectedSharpe:
    observed = float(naive_sharpe(column))
    return _summary(column.size, observed, naive_sharpe(column[rows]), mean_block, seed)


def _summary(
    n: int, sharpe: float, replicates: Floats, mean_block: int | None, seed: int | None
) -> ReflectedSharpe:
    mirrored = 2 * sharpe - replicates
    at_90, at_95 = (
        replace(percentile(mirrored, level), method="basic, stationary bootstrap")
        for level in (0.90, 0.95)
    )
    return ReflectedSharpe(
        n=n,
        sharpe=sharpe,
        replicates=replicates,
        reflected=mirrored,
        ci_90=at_90,
        ci_95=at_95,
        percentile_95=percentile(replicates, 0.95),
        bias_corrected=2 * sharpe - float(replicates.mean()),
        label=three_states(at_90, at_95),
        block_length=mean_block,
        seed=seed,
    )
