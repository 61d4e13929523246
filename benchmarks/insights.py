"""What the insights of a million forecasts of 20 contestants take; how sure a drift is."""

import resource
import time

import numpy as np

from arena.metrics.insights.arms import Design
from arena.metrics.insights.drift import ALARM, YEAR, drift
from arena.metrics.insights.report import insights
from arena.scoring.table import Factor, Forecasts, LadderKind, Ladders
from benchmarks.measure import say

CONTESTANTS, QUESTIONS, EVENTS = 20, 50_000, 10_000
SECONDS, GIGABYTES, TRIALS = 10.0, 1.0, 200


def main() -> None:
    forecasts = _forecasts(np.random.default_rng(1))
    start = time.process_time()
    insights(forecasts, designs=_designs())
    say(f"insights of {len(forecasts):,} forecasts", time.process_time() - start, SECONDS, "s")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    _drift()
    say("the most memory that the process had", most, GIGABYTES, "GB")


def _designs() -> list[Design]:
    """Five models of four contestants: two copies, and two that differ in a setting."""
    return [
        Design(f"c{n}", f"model {n // 4}", {"show_price": str(max(0, n % 4 - 1))})
        for n in range(CONTESTANTS)
    ]


def _drift() -> None:
    """How often a year without a change raises an alarm, and three weeks of one do."""
    for moved, weeks in ((0.0, YEAR), (0.5, 3)):
        alarms = sum(_alarm(np.random.default_rng(n), moved, weeks) for n in range(TRIALS))
        share = f"{alarms / TRIALS:.1%} of {TRIALS} contestants"
        print(f"a drift of {moved} log odds for {weeks} weeks: alarms of {share}")


def _alarm(rng: np.random.Generator, moved: float, weeks: int) -> bool:
    """Twenty questions, ten first answers, two a week, which at once differ by 0.3."""
    week = np.repeat(np.arange(weeks + 1), [10, *[2] * weeks])
    odds = rng.normal(0, 1, 20) + rng.normal(0, 0.3, (len(week), 20))
    odds += moved * rng.choice([-1, 1], 20) * (week > 0)[:, None]
    question, moment = np.tile(np.arange(20), len(week)), np.repeat(week, 20)
    series = drift(odds.ravel(), question, moment, rng.uniform(size=odds.size))
    return bool(series.wealth.e.max() >= ALARM)


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
