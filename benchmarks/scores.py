"""What a mean Brier and log score cost, against one pass of numpy over the same columns."""

import time
from collections.abc import Callable
from importlib import import_module

import numpy as np

from arena.scoring.logarithmic import log_loss
from arena.scoring.proper import brier
from benchmarks.measure import say

ROWS = 10_000_000
RUNS = 7
BRIER_LIMIT, LOG_LIMIT = 6, 8
SHARE_OF_SKLEARN = 1 / 5


def main() -> None:
    rng = np.random.default_rng(20260105)
    p = rng.random(ROWS)
    outcome = (rng.random(ROWS) < p).astype(np.uint8)
    taken = _fastest(
        {
            "a pass of numpy": lambda: (p.sum(), outcome.sum()),
            "Brier": lambda: brier(p, outcome),
            "log": lambda: log_loss(p, outcome),
        }
    )
    for what, seconds in taken.items():
        print(f"{what} over {ROWS:,} forecasts: {1e3 * seconds:.1f} ms")
    floor = taken["a pass of numpy"]
    say("mean Brier score", taken["Brier"] / floor, BRIER_LIMIT, "passes of numpy")
    say("mean log loss", taken["log"] / floor, LOG_LIMIT, "passes of numpy")
    _against_sklearn(p, outcome, taken)


def _against_sklearn(p: np.ndarray, outcome: np.ndarray, taken: dict[str, float]) -> None:
    try:
        metrics = import_module("sklearn.metrics")
    except ModuleNotFoundError:
        print("scikit-learn is not installed: no comparison with it")
        return
    theirs = _fastest(
        {
            "Brier": lambda: metrics.brier_score_loss(outcome, p),
            "log": lambda: metrics.log_loss(outcome, p),
        },
        runs=2,
    )
    for rule, seconds in theirs.items():
        ratio = taken[rule] / seconds
        say(f"{rule}, against scikit-learn's", ratio, SHARE_OF_SKLEARN, "of its time")


def _fastest(jobs: dict[str, Callable[[], object]], runs: int = RUNS) -> dict[str, float]:
    """The least time of each job, in turns, so that a busy machine slows all alike."""
    least = dict.fromkeys(jobs, float("inf"))
    for _ in range(runs):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            least[name] = min(least[name], time.perf_counter() - start)
    return least
