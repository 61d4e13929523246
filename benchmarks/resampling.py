"""What resampling and comparing all pairs cost, against arch and against a limit."""

import statistics
import time
from collections.abc import Callable

import numpy as np

from arena.stats.blocks import stationary_sharpes
from arena.stats.bootstrap import cluster_replicates, resamples
from arena.stats.clusters import interval
from arena.stats.pairs import all_pairs, panel
from benchmarks.measure import say

DRAWS, LENGTH, CONTESTANTS, BLOCK = 10_000, 1_000, 20, 17
EVENTS, PER_EVENT = 5_000, 2
ROWS = 1_000_000


def main() -> None:
    rng = np.random.default_rng(1)
    _stationary(rng)
    _pairs(rng)
    _clusters(rng)


def _stationary(rng: np.random.Generator) -> None:
    x = rng.standard_normal((LENGTH, CONTESTANTS)) + 0.05
    ours = _median(lambda: stationary_sharpes(x, BLOCK, np.random.default_rng(2), DRAWS))
    what = f"{DRAWS} stationary resamples of {LENGTH} x {CONTESTANTS}, their Sharpe ratios"
    print(f"{what}: {1e3 * ours:.0f} ms")
    try:
        from arch.bootstrap import StationaryBootstrap  # noqa: PLC0415  of the verify group
    except ImportError:
        print("arch is not installed: nothing to compare with")
        return
    theirs = _median(
        lambda: StationaryBootstrap(BLOCK, x, seed=2).apply(
            lambda v: v.mean(axis=0) / v.std(axis=0, ddof=1), DRAWS
        )
    )
    print(f"arch takes {1e3 * theirs:.0f} ms: {theirs / ours:.1f} times as long")
    say("the same, of what arch takes", ours / theirs, 1 / 8, "times")


def _pairs(rng: np.random.Generator) -> None:
    markets = EVENTS * PER_EVENT
    who, market = np.divmod(np.arange(CONTESTANTS * markets), markets)
    keep = rng.random(who.size) < 0.8  # noqa: PLR2004  four of five are answered
    loss, who, market = rng.random(who.size)[keep], who[keep], market[keep]
    taken = _median(lambda: all_pairs(panel(loss, who, market, market // PER_EVENT)))
    say(f"all pairs of {CONTESTANTS} over {EVENTS} events, with gaps", taken, 2, "s")


def _clusters(rng: np.random.Generator) -> None:
    values, events = rng.random(ROWS), rng.integers(0, EVENTS, ROWS)
    say(
        f"the interval of a mean of {ROWS} rows",
        1e3 * _median(lambda: interval(values, events)),
        50,
        "ms",
    )
    sums = rng.standard_normal((CONTESTANTS, 500))
    weights = np.ones_like(sums)
    drawn = _median(
        lambda: cluster_replicates(
            resamples(500, DRAWS, np.random.default_rng(3)), sums, weights
        )
    )
    say(f"{DRAWS} resamples of 500 events, {CONTESTANTS} contestants", 1e3 * drawn, 200, "ms")


def _median(call: Callable[[], object]) -> float:
    call()
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
