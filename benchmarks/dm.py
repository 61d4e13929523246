"""Every pair of twenty contestants tested at once, against a test at a time."""

import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np

from arena.stats.all_pairs import dm_all_pairs
from benchmarks.measure import say

QUESTIONS, CONTESTANTS, LAGS = 1000, 20, 10
TIMES_FASTER = 20


def main() -> None:
    losses = np.random.default_rng(1).random((QUESTIONS, CONTESTANTS))
    ours, theirs = [], []
    for _ in range(7):
        ours.append(_seconds(lambda: dm_all_pairs(losses, LAGS)) * 1e3)
        theirs.append(_seconds(lambda: _one_by_one(losses)) * 1e3)
    quick, slow = statistics.median(ours), statistics.median(theirs)
    print(
        f"190 tests of {QUESTIONS} questions: {quick:.2f} ms at once, {slow:.0f} ms in a loop"
    )
    say("all pairs at once", quick / slow, 1 / TIMES_FASTER, "of a loop over statsmodels")


def _one_by_one(losses: np.ndarray) -> list[float]:
    from statsmodels.regression.linear_model import OLS  # noqa: PLC0415  not timed

    one = np.ones(len(losses))
    hac = {"maxlags": LAGS, "use_correction": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            float(OLS(d, one).fit(cov_type="HAC", cov_kwds=hac).tvalues[0])
            for i in range(losses.shape[1])
            for d in (losses[:, i] - losses[:, j] for j in range(i + 1, losses.shape[1]))
        ]


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
