"""The bootstrap of a mean: rows, or whole events, drawn again with replacement.

Draws of an event are seeded by the event's name and the draw's number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from itertools import product
from math import exp, factorial
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from arena.records.estimate import Estimate, Interval, State, Test
from arena.stats.columns import Floats, codes, finite, level_of, no_spread, tally
from arena.stats.mean_intervals import ClusterCorrection, ClusterFit, fit
from arena.stats.replicates import basic, bca, beyond, percentile, studentised

EXACT: Final = 6  # events: 6 ** 6 resamples are 46,656
_CELLS: Final = 50_000  # at a time, so that they stay in the cache


class BootstrapMethod(StrEnum):
    """How an interval is read from replicates."""

    PERCENTILE = "percentile"
    BASIC = "basic"
    BCA = "BCa"
    STUDENTISED = "bootstrap-t"


@dataclass(frozen=True, slots=True)
class BootstrapOptions:
    """How an interval is read, how sure it is to be, and from how many resamples."""

    method: BootstrapMethod = BootstrapMethod.STUDENTISED
    level: float = 0.95
    draws: int = 9_999

    def __post_init__(self) -> None:
        BootstrapMethod(self.method)
        level_of(self.level)
        if self.draws < 1:
            raise ValueError("at least one resample must be drawn")


def resamples(units: int, draws: int, rng: np.random.Generator) -> Floats:
    """How often each unit is in each resample: (draws, units), rows summing to `units`."""
    counts = np.empty((draws, units))
    step = max(1, _CELLS // max(1, units))
    for start in range(0, draws, step):
        stop = min(draws, start + step)
        drawn = rng.integers(0, units, size=(stop - start, units))
        drawn += np.arange(stop - start)[:, None] * units
        flat = np.bincount(drawn.ravel(), minlength=(stop - start) * units)
        counts[start:stop] = flat.reshape(stop - start, units)
    return counts


def every_resample(units: int) -> tuple[Floats, Floats]:
    """All distinct resamples, and in how many of the units ** units orders each comes.

    >>> counts, times = every_resample(3)
    >>> len(counts), float(times.sum())
    (10, 27.0)

    Raises:
        ValueError: There are more than 6 units, or none.
    """
    if not 1 <= units <= EXACT:
        raise ValueError(f"all resamples can be counted for 1 to {EXACT} units")
    grid = np.indices((units + 1,) * units).reshape(units, -1).T
    counts = grid[grid.sum(axis=1) == units].astype(np.float64)
    times = np.exp(gammaln(units + 1) - gammaln(counts + 1).sum(axis=1))
    return counts, np.rint(times)


def cluster_replicates(counts: Floats, sums: Floats, weights: Floats) -> Floats:
    """Means (ratios of sums) of resamples, for many contestants at once.

    Args:
        counts: (B, G) how often each event is in each resample.
        sums: (..., G) sums over the rows of each event.
        weights: (..., G) numbers of rows; 0 for an event that is not there.

    Returns:
        (..., B) means.

    Raises:
        ValueError: A resample holds none of somebody's events.
    """
    bottom = weights @ counts.T
    if np.any(bottom <= 0):
        raise ValueError("a resample holds none of somebody's events")
    return np.asarray((sums @ counts.T) / bottom)


def cluster_errors(counts: Floats, sums: Floats, weights: Floats, means: Floats) -> Floats:
    """The CR1 standard error of each resample of one contestant.

    Args:
        counts: (B, G) how often each event is in each resample.
        sums: (G,) sums over the rows of each event.
        weights: (G,) numbers of rows.
        means: (B,) what `cluster_replicates` says.
    """
    g = sums.size
    squares = (
        counts @ sums**2
        - 2 * means * (counts @ (sums * weights))
        + means**2 * (counts @ weights**2)
    )
    return np.sqrt(np.maximum(squares, 0) * (g / (g - 1))) / (counts @ weights)


def cluster_jackknife(sums: Floats, weights: Floats) -> Floats:
    """Means without each event in turn: (..., G)."""
    return np.asarray(
        (sums.sum(axis=-1, keepdims=True) - sums)
        / (weights.sum(axis=-1, keepdims=True) - weights)
    )


def cluster_bootstrap(
    values: ArrayLike,
    events: ArrayLike,
    rng: np.random.Generator,
    options: BootstrapOptions = BootstrapOptions(),
) -> Estimate:
    """A mean with an interval from resampled events, each with all of its rows.

    With 6 events or fewer every possible resample is counted, nothing is drawn, and the
    method says "exact". Fewer than some 15 events support none of these intervals well.

    Args:
        values: (n,) numbers.
        events: (n,) codes of the events; different ones for independent rows.
        rng: Where chance comes from.
        options: Method, level and number of resamples; the jackknife of BCa is over events.

    Returns:
        `se` is the standard deviation of the replicates. EMPTY, SINGLE and DEGENERATE as
        for `mean_intervals.interval`.

    Raises:
        ValueError: A number is not finite, or a code is missing.

    Source:
        Efron (1979), Annals of Statistics 7; Davison and Hinkley (1997), Bootstrap Methods
        and their Application, section 3.8; Cameron, Gelbach and Miller (2008), Review of
        Economics and Statistics 90.
    """
    column = finite(values)
    sums, weights = tally(column, codes(events, column.size))
    fitted = fit(sums, weights, kind=ClusterCorrection.CR1)
    n, g, mean = column.size, sums.size, float(fitted.mean)
    if g < 2 or bool(fitted.degenerate):  # noqa: PLR2004  one event says nothing of spread
        state = (State.EMPTY, State.SINGLE, State.DEGENERATE)[min(g, 2)]
        return Estimate(mean if n else None, n, g, state=state)
    exact = g <= EXACT
    counts, times = every_resample(g) if exact else (resamples(g, options.draws, rng), None)
    replicates, interval = _replicates_and_interval(
        counts, times, (sums, weights), fitted, options
    )
    se = float(np.std(replicates))
    name = f"cluster {interval.method}{', exact' if exact else ''}"
    return Estimate(
        mean, n, g, se, interval=Interval(interval.low, interval.high, options.level, name)
    )


def _replicates_and_interval(
    counts: Floats,
    times: Floats | None,
    totals: tuple[Floats, Floats],
    fitted: ClusterFit,
    options: BootstrapOptions,
) -> tuple[Floats, Interval]:
    level, mean = options.level, float(fitted.mean)
    means = cluster_replicates(counts, *totals)
    replicates = _repeated(means, times)
    interval: Interval | None
    if options.method == BootstrapMethod.PERCENTILE:
        interval = percentile(replicates, level)
    elif options.method == BootstrapMethod.BASIC:
        interval = basic(replicates, mean, level)
    elif options.method == BootstrapMethod.BCA:
        interval = bca(replicates, mean, cluster_jackknife(*totals), level)
    else:
        errors = _repeated(cluster_errors(counts, *totals, means), times)
        interval = studentised(replicates, errors, mean, float(fitted.se), level)
    if interval is None:
        plain = percentile(replicates, level)
        name = "percentile (bootstrap-t is not defined)"
        interval = Interval(plain.low, plain.high, level, name)
    return replicates, interval


def _repeated(values: Floats, times: Floats | None) -> Floats:
    return values if times is None else np.repeat(values, times.astype(np.intp))


def iid_percentile(
    values: ArrayLike,
    level: float = 0.95,
    *,
    draws: int = 10_000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The interval of "The 45 Percent Problem" (C): single rows resampled, percentiles.

    It knows of no events, so that it is too narrow wherever rows share one. Its source
    starts from seed 42, as this does without `rng`: the same numbers, draw by draw.

    Args:
        values: (n,) losses.
        level: Confidence in (0, 1).
        draws: How many resamples.
        rng: Where chance comes from.

    Returns:
        EMPTY without values, SINGLE with one and DEGENERATE without spread, where its source
        gives a width of zero.

    Raises:
        ValueError: A value is not finite, or there is no draw.

    Source:
        Efron (1979), Annals of Statistics 7; The 45 Percent Problem, accuracy metrics.
    """
    level_of(level)
    if draws < 1:
        raise ValueError("at least one resample must be drawn")
    column = finite(values)
    n = column.size
    if n < 2:  # noqa: PLR2004  one value says nothing about spread
        point = float(column[0]) if n else None
        return Estimate(point, n, n, state=State.SINGLE if n else State.EMPTY)
    mean = float(np.mean(column))
    if no_spread(float(column.std(ddof=1)), mean):
        return Estimate(mean, n, n, state=State.DEGENERATE)
    chance = np.random.default_rng(42) if rng is None else rng
    step = max(1, _CELLS // n)
    replicates = np.concatenate(
        [
            np.mean(column[chance.integers(0, n, size=(min(step, draws - s), n))], axis=1)
            for s in range(0, draws, step)
        ]
    )
    bounds = percentile(replicates, level)
    named = Interval(bounds.low, bounds.high, level, "iid percentile")
    se = float(replicates.std())
    return Estimate(mean, n, n, se, interval=named)


DRAWS: Final = 9_999
_WILD_CELLS: Final = 2_000_000


def sign_flip(
    differences: ArrayLike,
    rng: np.random.Generator,
    *,
    events: ArrayLike | None = None,
    draws: int = DRAWS,
) -> Test:
    """Whether differences are as likely to have the other sign: a randomisation test.

    The signs of whole events are flipped, all rows of one together. It is exact at any
    number of events where each event's sum is symmetric about 0. Up to 13 events every
    assignment of signs is counted; else `draws` are, with the observed one added.

    Args:
        differences: (n,) paired differences.
        rng: Where chance comes from.
        events: (n,) codes of the events; one row each if not given.
        draws: How many assignments are drawn.

    Returns:
        The statistic is the sum of the differences. EMPTY for none; SINGLE and without a p
        for one event, whose sign alone says nothing; with all of them 0, p is 1.

    Raises:
        ValueError: A number is not finite, or a code is missing.

    Source:
        Fisher (1935), The Design of Experiments, section 21; Phipson and Smyth (2010),
        Statistical Applications in Genetics and Molecular Biology 9.

    >>> sign_flip([1.0, 2.0, 3.0], np.random.default_rng(0)).p
    0.25
    """
    column = finite(differences, "differences")
    n = column.size
    event_codes = codes(np.arange(n) if events is None else events, n)
    if n == 0:
        return Test("sign-flip", 0, 0, state=State.EMPTY)
    sums, _ = tally(column, event_codes)
    g, total = sums.size, float(sums.sum())
    if g == 1:
        mean = total / n
        return Test("sign-flip", n, 1, mean, statistic=total, state=State.SINGLE)
    exact = 2**g <= draws
    beat, count = 0, 0
    for signs in _signs(g, draws, rng, exact=exact):
        beat += int(np.count_nonzero(beyond(signs @ sums, total)))
        count += len(signs)
    p = beat / count if exact else (beat + 1) / (count + 1)
    name = f"sign-flip over events{', exact' if exact else ''}"
    return Test(name, n, g, total / n, statistic=total, p=p)


def _signs(g: int, draws: int, rng: np.random.Generator, *, exact: bool) -> Iterator[Floats]:
    if exact:
        yield np.array(list(product((-1.0, 1.0), repeat=g)))
        return
    step = max(1, _WILD_CELLS // g)
    for start in range(0, draws, step):
        drawn = rng.integers(0, 2, size=(min(step, draws - start), g))
        yield drawn.astype(np.float64) * 2 - 1


def digest(*parts: str) -> bytes:
    """The SHA-256 of some names, each preceded by its length, so that no two lists agree.

    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    hasher = sha256()
    for part in parts:
        text = part.encode()
        hasher.update(len(text).to_bytes(8, "big") + text)
    return hasher.digest()


def generator(*parts: str) -> np.random.Generator:
    """A generator (PCG64) that starts from all 256 bits of the digest of its names.

    The same names give the same numbers on every machine; numpy may change what it makes of
    them from one version to the next, so that its version belongs to a report.

    >>> bool(generator("cohort", "ada").random() == generator("cohort", "ada").random())
    True
    """
    seed = int.from_bytes(digest(*parts), "big")
    return np.random.Generator(np.random.PCG64(seed))


MANY: Final = 40  # events, from which on each is drawn by itself
# P(at most k) of a Poisson count of mean 1; beyond, the chance is below 1e-16.
_STEPS: Final = np.cumsum([exp(-1) / factorial(k) for k in range(18)])


@lru_cache(maxsize=16)
def event_weights(names: tuple[str, ...], draws: int) -> Floats:
    """How often each event is in each resample: (draws, events), read only.

    From 40 events on these are Poisson counts of mean 1 which follow from the event's own
    name: another event adds a column and leaves the others as they are. Below, as many
    events are drawn as there are, by the names of all of them.

    Args:
        names: Each event's name; each once.
        draws: How many resamples.

    Source:
        Hanley and MacGibbon (2006), Computer Methods and Programs in Biomedicine 83; Chamandy,
        Muralidharan, Najmi and Naidu (2012), Estimating uncertainty for massive data streams.
    """
    if len(names) < MANY:
        weights = resamples(len(names), draws, generator("weights", *names))
    else:
        drawn = _uniform("weights", names, draws)
        weights = np.ascontiguousarray(
            np.searchsorted(_STEPS, drawn, side="right").T, np.float64
        )
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=16)
def event_chances(names: tuple[str, ...], draws: int) -> NDArray[np.float32]:
    """A uniform number in [0, 1) for each event and draw: (events, draws), read only.

    Raises:
        ValueError: There is no draw.
    """
    if draws < 1:
        raise ValueError(f"there is at least one resample, not {draws}")
    drawn = _uniform("chances", names, draws)
    chances = np.minimum(drawn.astype(np.float32), np.nextafter(np.float32(1), np.float32(0)))
    chances.setflags(write=False)
    return chances


def _uniform(what: str, names: Sequence[str], draws: int) -> Floats:
    """(events, draws) from a hash of the event's name and the draw's number.

    Source:
        Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.
    """
    seeds = [_seed(what, name) for name in names]
    step = np.arange(1, draws + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = np.array(seeds, np.uint64)[:, None] + step
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed >> np.uint64(11), np.float64) * 2.0**-53


@lru_cache(maxsize=65_536)
def _seed(what: str, name: str) -> int:
    return int.from_bytes(digest(what, name)[:8], "big")
