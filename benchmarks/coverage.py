"""How often intervals of 95 % hold the truth, and tests at 5 % reject one.

Seeded: data of known truth (`benchmarks.samples`) that are independent, come in events, are
heavy-tailed or few; series in time; labels of an edge; and the efficiency test. Every interval
and test of the arena has its row.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from arena.records.estimate import Estimate, Interval
from arena.stats.bootstrap import (
    cluster_errors,
    cluster_jackknife,
    cluster_replicates,
    generator,
    iid_percentile,
    resamples,
    sign_flip,
)
from arena.stats.mean_intervals import (
    ClusterCorrection,
    ClusterFit,
    estimates,
    fit,
    loss_estimates,
)
from arena.stats.replicates import basic, bca, percentile, studentised
from benchmarks import coverage_labels, coverage_series
from benchmarks.measure import say
from benchmarks.samples import FAMILIES, Family, Ratios, Sample
from benchmarks.tables import (
    DEFAULT,
    ENOUGH,
    NOMINAL,
    SHARES,
    Share,
    as_rows,
    farthest,
    in_two,
    print_table,
    write,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

EVENTS: Final = (8, 12, 15, 20, 40, 100, 200)
BATCH: Final = 2_000
BATCHES: Final = 10
SLOW: Final = 1_000  # trials of what is resampled
ROWS: Final = 300  # trials of what resamples every row
DRAWS: Final = 999
FEW: Final = 40  # events up to which tests by signs are tried
POINT: Final = 1.0
ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Cell:
    """One family at one size."""

    family: Family
    events: int
    batches: int = BATCHES
    slow: int = SLOW


def main() -> None:
    start = time.perf_counter()
    events = in_two(cell, [Cell(f, n) for f in FAMILIES for n in EVENTS])
    missed: dict[str, float] = {}
    beyond: dict[str, float] = {}
    rows: list[tuple[object, ...]] = []
    for family in FAMILIES:
        own = [share for share in events if share.family == family.name]
        rows += print_family(family, own)
        gap = farthest([share for share in own if share.default], NOMINAL)
        (beyond if family.beyond else missed)[family.name] = gap
    series, slow, more = coverage_series.main()
    missed |= series
    beyond |= slow
    write("coverage", SHARES, [*rows, *more, *coverage_labels.main()])
    print(f"\ntaken: {time.perf_counter() - start:.0f} s")
    for name, gap in missed.items():
        say(f"{name}: the default from {ENOUGH} events on", gap, POINT, "points off")
    for name, gap in beyond.items():
        print(f"{name}, beyond what the default is for: {gap:.2f} points off")


def print_family(family: Family, shares: list[Share]) -> list[tuple[object, ...]]:
    """Print the table of one family and give its rows; sizes where there is no difference."""
    if not family.null:
        print_table(f"{family.name}: covered, per cent", shares, NOMINAL)
        return as_rows(family.name, "covered", shares)
    sizes = [Share(s.family, s.method, s.events, s.trials - s.hits, s.trials) for s in shares]
    print_table(f"{family.name}: rejected, per cent", sizes, 100 - NOMINAL)
    return as_rows(family.name, "rejected", sizes)


def cell(job: Cell) -> list[Share]:
    """How often each method covers the truth of a family at one size."""
    hits: dict[str, int] = {}
    for batch in range(job.batches):
        rng = generator("coverage", job.family.name, str(job.events), str(batch))
        sample = job.family.law.draw(rng, BATCH, job.events)
        for method, covered in quick(job.family, sample):
            hits[method] = hits.get(method, 0) + int(np.count_nonzero(covered))
        if batch == 0:
            slow = list(resampled(sample, rng, job.slow))
    counted = [(method, found, BATCH * job.batches) for method, found in hits.items()]
    every = counted + [(m, int(c.sum()), c.size) for m, c in slow]
    return [Share(job.family.name, m, job.events, found, trials) for m, found, trials in every]


def quick(family: Family, sample: Sample) -> Iterator[tuple[str, Flags]]:
    """What needs no chance: for each method, in which trials it covers."""
    sums, counts = sample.table()
    bounded = family.losses or isinstance(family.law, Ratios)
    found = fit(sums, counts)
    yield f"events, t{'' if bounded else DEFAULT}", _holds(estimates(found), sample.truth)
    if bounded:
        shift = 0.0 if family.losses else 1.0
        scaled = loss_estimates(sums + shift * counts, counts)
        yield f"events, t on the log scale{DEFAULT}", _holds(scaled, sample.truth + shift)
    for kind in ClusterCorrection:
        yield f"events, t, {kind}", _covered(fit(sums, counts, kind=kind), sample.truth)
    yield "rows, normal", _by_rows(sample)


def _holds(found: tuple[Estimate, ...], truth: float) -> Flags:
    rooms = [one.interval for one in found]
    return np.array([room is not None and room.low <= truth <= room.high for room in rooms])


def _covered(found: ClusterFit, truth: float) -> Flags:
    t = stdtrit(found.df, (1 + NOMINAL / 100) / 2)
    return np.asarray(np.abs(found.mean - truth) <= t * found.se)


def _by_rows(sample: Sample) -> Flags:
    """The interval of a source: every row its own event, and no degrees of freedom."""
    trial = sample.event // sample.events
    n = np.bincount(trial, minlength=sample.trials)
    mean = np.bincount(trial, weights=sample.values, minlength=sample.trials) / n
    squares = np.bincount(trial, weights=(sample.values - mean[trial]) ** 2)
    se = np.sqrt(squares / (n - 1) / n)
    z = ndtri((1 + NOMINAL / 100) / 2)
    return np.asarray(np.abs(mean - sample.truth) <= z * se)


def resampled(
    sample: Sample, rng: np.random.Generator, trials: int
) -> Iterator[tuple[str, Flags]]:
    """What draws again; one set of resampled events serves every trial."""
    sums, weights = (table[:trials] for table in sample.table())
    counts = resamples(sample.events, DRAWS, rng)
    means = cluster_replicates(counts, sums, weights)
    found, without = (
        fit(sums, weights, kind=ClusterCorrection.CR1),
        cluster_jackknife(sums, weights),
    )
    names = ("percentile", "basic", "BCa", "bootstrap-t")
    covered = np.zeros((len(names), trials), dtype=np.bool_)
    for i in range(trials):
        mean, se = float(found.mean[i]), float(found.se[i])
        errors = cluster_errors(counts, sums[i], weights[i], means[i])
        rooms = (
            percentile(means[i]),
            basic(means[i], mean),
            bca(means[i], mean, without[i]),
            studentised(means[i], errors, mean, se),
        )
        covered[:, i] = [_in(room, sample.truth) for room in rooms]
    for name, one in zip(names, covered, strict=True):
        yield f"events, {name}", one
    yield "rows, percentile", _row_percentiles(sample, rng, min(ROWS, trials))
    if sample.events <= FEW:
        yield from _by_signs(sample, rng, trials)


def _row_percentiles(sample: Sample, rng: np.random.Generator, trials: int) -> Flags:
    made = [
        iid_percentile(sample.rows(i)[0], draws=DRAWS, rng=rng).interval for i in range(trials)
    ]
    return np.array([_in(room, sample.truth) for room in made])


def _by_signs(
    sample: Sample, rng: np.random.Generator, trials: int
) -> Iterator[tuple[str, Flags]]:
    p = np.ones(trials)
    for i in range(trials):
        values, events = sample.rows(i)
        test = sign_flip(values - sample.truth, rng, events=events, draws=DRAWS)
        p[i] = 1.0 if test.p is None else test.p
    yield "signs of events flipped", p > 1 - NOMINAL / 100 + ROUNDING


def _in(room: Interval | None, truth: float) -> bool:
    return room is not None and room.low <= truth <= room.high
