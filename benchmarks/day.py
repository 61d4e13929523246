"""What a day costs at the end of a long history, against what it cost at the start.

The tick is whole: prices, answers, trades, settlement, marks and the pages that changed.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from arena.cli.demo import FIRST_DAY, Demo, demo_settings
from arena.clock import HandClock
from arena.records.settings import Settings
from arena.steps.play import tick_and_publish
from arena.store import Store, open_store
from arena.wiring import build_doors
from benchmarks.measure import say

DAYS = 1000
EARLY, WINDOW = 10, 20
LIMIT = 1.2


@dataclass(frozen=True, slots=True)
class Day:
    seconds: float
    open_positions: int


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = demo_settings(Demo(DAYS, 0, 1), Path(folder))
        with open_store(settings.database) as store:
            days = asyncio.run(_play(settings, store))
        size = settings.database.stat().st_size / 1e6  # type: ignore[attr-defined]
    early, late = days[EARLY : EARLY + WINDOW], days[-WINDOW:]
    for name, some in (("early", early), ("late", late)):
        seconds = statistics.median(d.seconds for d in some)
        held = statistics.mean(d.open_positions for d in some)
        print(f"{name}: {1000 * seconds:.1f} ms a day with {held:.0f} open positions")
    print(f"the database has {size:.0f} MB")
    each = [
        statistics.median(d.seconds / d.open_positions for d in some) for some in (early, late)
    ]
    say(f"day {DAYS} against day {EARLY}, an open position", each[1] / each[0], LIMIT, "times")


async def _play(settings: Settings, store: Store) -> list[Day]:
    clock = HandClock(FIRST_DAY)
    (spec,) = settings.cohorts
    small = replace(spec, universe=replace(spec.universe, top=10))
    doors = build_doors(replace(settings, cohorts=(small,)), store, clock)
    days = []
    for n in range(DAYS):
        start = time.perf_counter()
        clock.at = FIRST_DAY + timedelta(days=n)
        await tick_and_publish(doors, clock.at)
        seconds = time.perf_counter() - start
        held = store.db.value("SELECT sum(open_positions) FROM totals")
        days.append(Day(seconds, held))
        if n % 100 == 0:
            print(f"day {n}: {1000 * seconds:.0f} ms", file=sys.stderr, flush=True)
    return days
