"""Whether one Sharpe ratio is larger than another on the same bets or periods."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from arena.records.estimate import State, Test
from arena.stats.bandwidth import kernel_hac
from arena.stats.blocks import optimal_block_length
from arena.stats.columns import Floats, finite
from arena.stats.replicates import share_beyond
from arena.stats.spread import no_spread

LEAST: Final = 10


def sharpe_difference(first: ArrayLike, second: ArrayLike, *, dependent: bool = True) -> Test:
    """First ratio less the second, with a normal limit.

    Args:
        first: (n,) values in time order.
        second: (n,) values at the same times.
        dependent: Whether values may depend over time: the variance is then Andrews and
            Monahan's (quadratic spectral kernel, prewhitened) of what each time adds to the
            difference, times n / (n - 4). Otherwise it is that of independent times.

    Returns:
        TOO_FEW below 10 values; DEGENERATE where one has no spread, or they are one series.

    Raises:
        ValueError: Lengths differ, or a value is not finite.

    Source:
        Ledoit and Wolf (2008), Journal of Empirical Finance 15, section 3.1; Jobson and
        Korkie (1981), Journal of Finance 36.
    """
    name = f"Sharpe difference, {'HAC' if dependent else 'independent'}"
    both, test = _begin(first, second, name)
    if test.state is not State.OK:
        return test
    difference, added = _influence(both)
    n = added.size
    squared = kernel_hac(added, adjust=False) * n / (n - 4) if dependent else added @ added / n
    se = float(np.sqrt(squared / n))
    t = difference / se
    p = 2 * float(ndtr(-abs(t)))
    return replace(test, estimate=difference, se=se, statistic=t, p=p)


def sharpe_difference_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    *,
    block: int | None = None,
    draws: int = 4_999,
) -> Test:
    """The same by the studentised circular block bootstrap, which is safer for few values.

    Args:
        first: (n,) values in time order.
        second: (n,) values at the same times.
        rng: Where chance comes from.
        block: Length of the blocks, 1 for values without order; chosen by the series of
            what each time adds to the difference if not given.
        draws: How many resamples.

    Returns:
        As for `sharpe_difference`; `se` and the statistic are those with HAC, or for blocks
        of 1 those of independent times.

    Raises:
        ValueError: Lengths differ, a value is not finite, there is no draw, or fewer than
            two blocks fit.

    Source:
        Ledoit and Wolf (2008), Journal of Empirical Finance 15, section 3.2.
    """
    _, test = _begin(first, second, "Sharpe difference, block bootstrap")
    if test.state is not State.OK:
        return test
    both = np.stack([finite(first), finite(second)])
    difference, added = _influence(both)
    length = _chosen(added) if block is None else block
    if draws < 1 or not 1 <= length <= added.size // 2:
        raise ValueError("at least two blocks must fit, and one resample be drawn")
    plain = sharpe_difference(first, second, dependent=length > 1)
    moved, errors = _resampled(both, length, draws, rng)
    some = errors > 0
    t = (moved[some] - difference) / errors[some]
    p = share_beyond(np.abs(t), abs(plain.statistic or 0.0))
    name = f"Sharpe difference, bootstrap of blocks of {length}"
    return replace(plain, name=name, p=p)


def _begin(first: ArrayLike, second: ArrayLike, name: str) -> tuple[Floats, Test]:
    one, other = finite(first), finite(second)
    if one.size != other.size:
        raise ValueError("there are not as many values of one as of the other")
    n = one.size
    both = np.stack([one, other])
    if n < LEAST:
        return both, Test(name, n, n, state=State.TOO_FEW if n else State.EMPTY)
    flat = any(no_spread(float(x.std()), float(x.mean())) for x in (one, other))
    if flat or no_spread(float(_influence(both)[1].std()), 0.0):
        return both, Test(name, n, n, state=State.DEGENERATE)
    return both, Test(name, n, n)


def _parts(mean: Floats, square: Floats) -> tuple[Floats, Floats, Floats]:
    """Ratios, and their slopes by mean and by mean square; series along the first axis."""
    variance = square - mean**2
    ok = variance > 0
    safe = np.where(ok, variance, 1.0)
    ratio = np.where(ok, mean / np.sqrt(safe), np.nan)
    return ratio, square / safe**1.5, -mean / (2 * safe**1.5)


def _influence(both: Floats) -> tuple[float, Floats]:
    """The difference of the ratios, and what each time adds to it."""
    mean, square = both.mean(axis=1), (both**2).mean(axis=1)
    ratio, by_mean, by_square = _parts(mean, square)
    each = by_mean[:, None] * (both - mean[:, None])
    each += by_square[:, None] * (both**2 - square[:, None])
    return float(ratio[0] - ratio[1]), each[0] - each[1]


def _chosen(added: Floats) -> int:
    found = optimal_block_length(added)
    length = 1 if found is None else round(found.circular)
    return min(max(1, length), added.size // 2)


def _resampled(
    both: Floats, length: int, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Differences of resampled series and their standard errors, from sums of blocks."""
    n = both.shape[1]
    blocks = n // length
    rows = np.concatenate([both, both**2])
    wrapped = np.concatenate([np.zeros((4, 1)), rows, rows[:, : length - 1]], axis=1)
    path = np.cumsum(wrapped, axis=1)
    sums = path[:, length:] - path[:, : path.shape[1] - length]
    drawn = sums[:, rng.integers(0, n, size=(draws, blocks))]
    middle = drawn.sum(axis=2) / (blocks * length)
    ratio, by_mean, by_square = _parts(middle[:2], middle[2:])
    away = drawn - length * middle[:, :, None]
    each = by_mean[:, :, None] * away[:2] + by_square[:, :, None] * away[2:]
    added = each[0] - each[1]
    spread = np.sqrt((added**2).mean(axis=1) / length / (blocks * length))
    moved = ratio[0] - ratio[1]
    return moved, np.where(np.isfinite(moved), spread, 0.0)
