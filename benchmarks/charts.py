"""What a chart of 20 lines over a year costs, against JSON of the same points.

The floor is what no writer of text in Python can go below by much: `json.dumps` of the same
7,300 numbers with their days, measured in the same run.
"""

import json
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np

from arena.site.charts.subjects import Curve, LineWeight, Point, Scale, Words
from arena.site.charts.timed import curves
from benchmarks.measure import say

LINES, DAYS, MAIN = 20, 365, 6
RUNS = 15
LIMIT = 2.5  # times as long as JSON, for two drawings, a file and a table
MANY, MOST = 200, 2.0  # charts, and the seconds that they may take together

START = datetime(2026, 1, 1, tzinfo=UTC)
SCALE = Scale("Equity", lambda value: f"${value:,.0f}", base=10_000)
WORDS = Words("equity", "Equity", "Twenty contestants, a year of days.")


def main() -> None:
    lines = _lines()
    points = [[(p.at.isoformat(), p.value) for p in line.points] for line in lines]
    floor = _median(lambda: json.dumps(points))
    own = _median(lambda: curves(WORDS, lines, SCALE))
    drawn = curves(WORDS, lines, SCALE)
    if drawn is None:
        raise ValueError("nothing was drawn")
    print(
        f"{LINES} lines of {DAYS} points: {own * 1000:.1f} ms, "
        f"{len(drawn.wide) / 1000:.1f} KB wide, {len(drawn.narrow) / 1000:.1f} KB narrow"
    )
    say(f"{MANY} such charts", MANY * own, MOST, "seconds")
    say("a chart, against JSON of its points", own / floor, LIMIT, "times")


def _lines() -> list[Curve]:
    moves = np.random.default_rng(1).normal(5, 90, (LINES, DAYS)).cumsum(axis=1)
    days = [START + timedelta(days=n) for n in range(DAYS)]
    return [
        Curve(
            f"Contestant {nth}",
            tuple(Point(at, 10_000 + float(v)) for at, v in zip(days, row, strict=True)),
            LineWeight.MAIN if nth < MAIN else LineWeight.QUIET,
        )
        for nth, row in enumerate(moves)
    ]


def _median(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken)
