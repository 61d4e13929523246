"""What intervals and resampled events cost, against a limit."""

import statistics
import time
from collections.abc import Callable

import numpy as np

from arena.stats.bootstrap import cluster_replicates, resamples
from arena.stats.mean_intervals import interval
from benchmarks.measure import say

DRAWS, CONTESTANTS = 10_000, 20
EVENTS, PER_EVENT = 5_000, 2
ROWS = 1_000_000


def main() -> None:
    rng = np.random.default_rng(1)
    _clusters(rng)


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
