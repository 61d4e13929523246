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
from arena.steps.play import tick
from arena.store import Store, open_store
from arena.wiring import build_doors
from benchmarks.measure import say

DAYS = 1000
EARLY, LATE = range(10, 50), range(DAYS - 40, DAYS)
ALIKE = 0.1  # how far the numbers of open positions of two days may be apart, as a share
LIMIT = 1.2


@dataclass(frozen=True, slots=True)
class Day:
    """Processor seconds of a day's tick and of writing its pages."""

    tick: float
    pages: float
    open_positions: int

    @property
    def whole(self) -> float:
        return self.tick + self.pages


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = demo_settings(Demo(DAYS, 0, 1), Path(folder))
        with open_store(settings.database) as store:
            days = asyncio.run(_play(settings, store))
        size = Path(settings.database).stat().st_size / 1e6
    pairs = [
        (days[a], days[b])
        for a in EARLY
        for b in LATE
        if abs(days[a].open_positions - days[b].open_positions)
        <= ALIKE * days[a].open_positions
    ]
    for name, some in (("early", [a for a, _ in pairs]), ("late", [b for _, b in pairs])):
        middle = {part: _median(some, part) for part in ("tick", "pages", "open_positions")}
        print(
            f"{name}: {1000 * middle['tick']:.1f} ms a tick, {1000 * middle['pages']:.1f} ms "
            f"its pages, with {middle['open_positions']:.0f} open positions"
        )
    print(f"{len(pairs)} pairs of days with as many open positions; {size:.0f} MB of database")
    ratio = statistics.median(b.whole / a.whole for a, b in pairs)
    say(f"day {DAYS} against day {EARLY[0]}", ratio, LIMIT, "times")


def _median(days: list[Day], part: str) -> float:
    return statistics.median(getattr(day, part) for day in days)


async def _play(settings: Settings, store: Store) -> list[Day]:
    clock = HandClock(FIRST_DAY)
    (spec,) = settings.cohorts
    small = replace(spec, universe=replace(spec.universe, top=10))
    doors = build_doors(replace(settings, cohorts=(small,)), store, clock)
    if doors.publish is None:
        raise SystemExit("nothing publishes")
    days = []
    for n in range(DAYS):
        clock.at = FIRST_DAY + timedelta(days=n)
        start = time.process_time()
        await tick(doors, clock.at)
        ticked = time.process_time()
        doors.publish(clock.at)
        pages = time.process_time() - ticked
        held = store.db.value("SELECT sum(open_positions) FROM totals")
        days.append(Day(ticked - start, pages, held))
        if n % 100 == 0:
            print(f"day {n}: {1000 * days[-1].whole:.0f} ms", file=sys.stderr, flush=True)
    return days
