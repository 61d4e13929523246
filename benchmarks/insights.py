"""What the insights of a million forecasts of 20 contestants take, in time and memory."""

import resource
import time

import numpy as np

from arena.metrics.insights import insights
from arena.scoring.table import Factor, Forecasts, LadderKind, Ladders
from benchmarks.measure import say

CONTESTANTS, QUESTIONS, EVENTS = 20, 50_000, 10_000
SECONDS, GIGABYTES = 10.0, 1.0


def main() -> None:
    forecasts = _forecasts(np.random.default_rng(1))
    start = time.process_time()
    insights(forecasts)
    say(f"insights of {len(forecasts):,} forecasts", time.process_time() - start, SECONDS, "s")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    say("the most memory that the process had", most, GIGABYTES, "GB")


def _forecasts(rng: np.random.Generator) -> Forecasts:
    """Everybody forecasts every question near its price, some nearer to the truth.

    Events are exclusive, ladders of thresholds, or ladders of deadlines, a third each.
    """
    price = rng.uniform(0.02, 0.98, QUESTIONS)
    truth = np.clip(price + rng.normal(0, 0.1, QUESTIONS), 0.01, 0.99)
    outcome = (rng.uniform(size=QUESTIONS) < truth).astype(np.intp)
    skill = np.linspace(0, 1, CONTESTANTS)[:, None]
    noise = rng.normal(0, 0.05, (CONTESTANTS, QUESTIONS))
    p = np.clip(price + skill * (truth - price) + noise, 0.01, 0.99)
    question = np.tile(np.arange(QUESTIONS), CONTESTANTS)
    event = np.arange(QUESTIONS) * EVENTS // QUESTIONS
    day = np.datetime64("2026-01-01", "us") + (question // 150) * np.timedelta64(1, "D")
    return Forecasts(
        contestant=Factor(
            tuple(f"c{n}" for n in range(CONTESTANTS)),
            np.repeat(np.arange(CONTESTANTS), QUESTIONS),
        ),
        market=Factor(tuple(f"m{n}" for n in range(QUESTIONS)), question),
        event=Factor(tuple(f"e{n}" for n in range(EVENTS)), event[question]),
        at=day.astype("datetime64[us]"),
        p=p.ravel(),
        outcome=np.tile(outcome, CONTESTANTS),
        market_p=np.tile(price, CONTESTANTS),
        close_p=np.full(CONTESTANTS * QUESTIONS, np.nan),
        exclusive=event[question] % 3 == 0,
        ladders=Ladders(
            tuple(list(LadderKind)[n % 2] for n in range(EVENTS)),
            np.flatnonzero(event % 3),
            event[event % 3 > 0],
            np.flatnonzero(event % 3).astype(np.float64),
        ),
    )
