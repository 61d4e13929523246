"""What decompositions of ten million forecasts cost, against reading them once.

The same data go through scikit-learn where it is installed.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arena.scoring.bins import murphy
from arena.scoring.corp import corp
from arena.scoring.difficulty import bootstrap_effects, panel
from benchmarks.measure import say

N = 10_000_000
TURNS = 5
SLOW_TURNS = 3
MURPHY, TICKS, FLOATS = 50, 20, 200
FASTER = 1 / 5
EXACT = 1e-12
AGENTS, QUESTIONS, REPLICATES, SECONDS = 20, 5_000, 1_000, 1.0
ANSWERED = 0.6

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]


def main() -> None:
    rng = np.random.default_rng(1)
    floats = rng.beta(0.8, 1.2, N)
    ticks = np.round(floats, 3)
    outcome = (rng.random(N) < floats).astype(np.intp)
    floor, five, tick, other = _least(
        TURNS,
        lambda: (floats.sum(), outcome.sum()),
        lambda: murphy(floats, outcome),
        lambda: corp(ticks, outcome),
        lambda: corp(floats, outcome),
    )
    print(f"one pass over {N:,} forecasts and outcomes: {1000 * floor:.1f} ms")
    say("the five terms of Murphy", five / floor, MURPHY, "passes")
    say("CORP of prices on a grid", tick / floor, TICKS, "passes")
    say("CORP of any floats", other / floor, FLOATS, "passes")
    _exact(floats, ticks, outcome)
    _against_scikit_learn(floats, ticks, outcome)
    _bootstrap(rng)


def _exact(floats: Floats, ticks: Floats, outcome: Whole) -> None:
    """Both decompositions must give the plain Brier score."""
    for p in (floats, ticks):
        plain = float(np.mean((p - outcome) ** 2))
        five, three = murphy(p, outcome).terms, corp(p, outcome).terms
        if five is None or three is None:
            raise SystemExit("no terms")
        added = five.rel_minus_res_plus_unc + five.three_component_gap
        apart = max(abs(found - plain) for found in (five.brier, added, three.score))
        say("distance from the plain Brier score", apart, EXACT, "points")


def _against_scikit_learn(floats: Floats, ticks: Floats, outcome: Whole) -> None:
    try:
        from sklearn.calibration import calibration_curve  # noqa: PLC0415  may be missing
        from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415
    except ImportError:
        print("scikit-learn is not installed, so nothing is compared with it")
        return
    five, curve, tick, ticked, other, fitted = _least(
        SLOW_TURNS,
        lambda: murphy(floats, outcome),
        lambda: calibration_curve(outcome, floats, n_bins=10),
        lambda: corp(ticks, outcome),
        lambda: IsotonicRegression().fit(ticks, outcome),
        lambda: corp(floats, outcome),
        lambda: IsotonicRegression().fit(floats, outcome),
    )
    say("five terms against calibration_curve", five / curve, FASTER, "of its time")
    say("CORP of prices against IsotonicRegression", tick / ticked, FASTER, "of its time")
    say("CORP of floats against IsotonicRegression", other / fitted, FASTER, "of its time")


def _bootstrap(rng: np.random.Generator) -> None:
    agent, question = np.nonzero(rng.random((AGENTS, QUESTIONS)) < ANSWERED)
    found = panel(agent, question, rng.random(len(agent)))
    (taken,) = _least(TURNS, lambda: bootstrap_effects(found, question, rng, REPLICATES))
    say(f"{REPLICATES:,} replicates of adjusted effects", taken, SECONDS, "s")


def _least(turns: int, *jobs: Callable[[], object]) -> list[float]:
    """The shortest time of each job, in seconds; jobs take turns, so that noise hits all."""
    found = [float("inf")] * len(jobs)
    for _ in range(turns):
        for place, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            found[place] = min(found[place], time.perf_counter() - start)
    return found
