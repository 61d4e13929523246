"""How often a board that is looked at every day claims that one of two equals is better.

Seeded: 250 days, each of some price ladders whose questions share their news. Two equally
good contestants are compared after each day by a t-test, an asymptotic confidence sequence
and bets with predictable bounds, and a board of six is read with its correction; then one
contestant is made a little and much better. A false claim on any day counts once.
"""

import time
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtr

from arena.stats.promotion import daily_board, daily_gains, duel
from arena.stats.sequences import asymptotic
from benchmarks.measure import say

Floats = NDArray[np.float64]

DAYS: Final = 250
LADDERS: Final = 5
RUNGS: Final = 3
RUNS: Final = 1000
BOARDS: Final = 400
BOARD: Final = 6
ALPHA: Final = 0.05
FIRST_LOOK: Final = 10
FLOOR: Final = 0.04  # the intrinsic time of about ten days
NOISE: Final = 0.8  # of an equal's log odds about the truth's
SMALL: Final = 0.5  # the noise of one who is a little better
LARGE: Final = 0.2

DAY: Final = np.repeat(np.arange(DAYS), LADDERS * RUNGS)
EVENT: Final = np.repeat(np.arange(DAYS * LADDERS), RUNGS)


def main() -> None:
    rng = np.random.default_rng(20_260_422)
    start = time.perf_counter()
    print(f"{RUNS} seasons of {DAYS} days; share with a claim at {ALPHA:.0%} on any day")
    equal = _shares(rng, NOISE)
    _print("equals", equal)
    _print("a small gap", _shares(rng, SMALL))
    _print("a large gap", _shares(rng, LARGE))
    print(f"{BOARDS} seasons of {BOARD} contestants, all pairs; any claim on any day")
    family = _board(rng, NOISE)
    _print("all equal, any claim", family)
    _print("one a little better, any claim of that one", _board(rng, SMALL))
    _print("one much better, any claim of that one", _board(rng, LARGE))
    print(f"taken: {time.perf_counter() - start:.0f} s")
    room = 2 * np.sqrt(ALPHA * (1 - ALPHA) / RUNS)
    say("false claims of the confidence sequence", equal["sequence"], ALPHA + room, "of runs")
    say("false claims of the bets", equal["bets"], ALPHA + room, "of runs")
    room = 2 * np.sqrt(ALPHA * (1 - ALPHA) / BOARDS)
    say("false claims of the board", family["board"], ALPHA + room, "of runs")


def _shares(rng: np.random.Generator, noise: float) -> dict[str, float]:
    claims = {"t-test daily": 0, "t-test once": 0, "sequence": 0, "bets": 0}
    for _ in range(RUNS):
        p, outcome = _season(rng, np.array([noise, NOISE]))
        daily = daily_gains(p, outcome, EVENT, DAY)
        gains, bounds = daily.gains[:, 0], daily.bounds[:, 0]
        rejected = _daily_t(gains) <= ALPHA
        claims["t-test daily"] += bool(rejected[FIRST_LOOK:].any())
        claims["t-test once"] += bool(rejected[-1])
        sequence = asymptotic(gains, ALPHA, floor=FLOOR, same_law=True)
        claims["sequence"] += bool(np.any((sequence.low > 0) | (sequence.high < 0)))
        claims["bets"] += bool(duel(gains, bounds).p()[-1] <= ALPHA)
    return {name: count / RUNS for name, count in claims.items()}


def _board(rng: np.random.Generator, noise: float) -> dict[str, float]:
    """The first contestant has this noise; among equals everybody's claims count."""
    rows = slice(None) if noise == NOISE else slice(1)
    claims = {"t-tests daily": 0, "board": 0}
    everybody = np.full(BOARD, NOISE)
    everybody[0] = noise
    for _ in range(BOARDS):
        p, outcome = _season(rng, everybody)
        daily = daily_gains(p, outcome, EVENT, DAY)
        tests = [_daily_t(pair) for pair in daily.gains.T]
        claims["t-tests daily"] += any((p[FIRST_LOOK:] <= ALPHA).any() for p in tests)
        claims["board"] += bool(daily_board(daily, BOARD).claims(ALPHA)[rows].any())
    return {name: count / BOARDS for name, count in claims.items()}


def _season(rng: np.random.Generator, noise: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Forecasts (n, k) and outcomes (n,): the rungs of a ladder share a draw and an error."""
    events = DAYS * LADDERS
    level = rng.normal(0, 1.5, events)[EVENT]
    truth = expit(level + np.tile(np.linspace(-1, 1, RUNGS), events))
    outcome = (rng.random(events)[EVENT] < truth).astype(np.intp)
    error = rng.normal(size=(events, noise.size))[EVENT] * noise
    return expit(logit(truth)[:, None] + error), outcome


def _daily_t(gains: Floats) -> Floats:
    """The two-sided p of a t-test after each day, from the days so far; 1 on the first."""
    n = np.arange(1.0, gains.size + 1)
    mean = np.cumsum(gains) / n
    spread = np.maximum(np.cumsum(gains**2) - n * mean**2, 0.0)[1:] / (n[1:] - 1)
    p = np.ones(gains.size)
    p[1:] = 2 * stdtr(n[1:] - 1, -np.abs(mean[1:]) / np.sqrt(spread / n[1:]))
    return p


def _print(what: str, shares: dict[str, float]) -> None:
    print(f"{what}: " + ", ".join(f"{name} {share:.1%}" for name, share in shares.items()))


if __name__ == "__main__":
    main()
