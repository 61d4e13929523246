"""What a day costs at the end of a long history, against what it cost at the start.

The tick is whole: prices, answers, trades, settlement, marks and the pages that changed. What
is estimated stands on all of history, and is made anew when a market has resolved: what that
takes is said apart. Pages are written on the days that are measured, and the day before.
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
from arena.site.overview import read_overview
from arena.steps.play import tick
from arena.store import Store, open_store
from arena.wiring import build_doors, cast
from benchmarks.measure import say

DAYS = 1000
EARLY, LATE = range(10, 50), range(DAYS - 40, DAYS)
ALIKE = 0.1  # how far the numbers of open positions of two days may be apart, as a share
LIMIT = 1.2
GROWTH = 1.0  # of the overview: how much faster than history it may grow


@dataclass(frozen=True, slots=True)
class Day:
    """Processor seconds of a day's tick, of its overview, and of writing its pages."""

    tick: float
    overview: float
    pages: float
    open_positions: int

    @property
    def bounded(self) -> float:
        """All but the overview."""
        return self.tick + self.pages

    @property
    def whole(self) -> float:
        return self.bounded + self.overview


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
        parts = ("tick", "overview", "pages", "open_positions")
        middle = {part: _median(some, part) for part in parts}
        print(
            f"{name}: {1000 * middle['tick']:.1f} ms a tick, {1000 * middle['pages']:.1f} ms "
            f"its pages, {1000 * middle['overview']:.1f} ms what is estimated, "
            f"with {middle['open_positions']:.0f} open positions"
        )
    print(f"{len(pairs)} pairs of days with as many open positions; {size:.0f} MB of database")
    bounded, whole, overview = (
        statistics.median(getattr(b, part) / getattr(a, part) for a, b in pairs)
        for part in ("bounded", "whole", "overview")
    )
    longer = statistics.mean(LATE) / statistics.mean(EARLY)
    say(f"day {LATE[0]} against day {EARLY[0]}, all but the overview", bounded, LIMIT, "times")
    say("its overview, as a share of how much longer history is", overview / longer, GROWTH, "")
    print(f"with the overview: {whole:.2f} times")


def _median(days: list[Day], part: str) -> float:
    return statistics.median(getattr(day, part) for day in days)


async def _play(settings: Settings, store: Store) -> dict[int, Day]:
    clock = HandClock(FIRST_DAY)
    (spec,) = settings.cohorts
    small = replace(spec, universe=replace(spec.universe, top=10))
    doors, who = build_doors(replace(settings, cohorts=(small,)), store, clock), cast(settings)
    if doors.publish is None:
        raise SystemExit("nothing publishes")
    days = {}
    for n in range(DAYS):
        clock.at = FIRST_DAY + timedelta(days=n)
        start = time.process_time()
        await tick(doors, clock.at)
        ticked = time.process_time()
        if n + 1 in {EARLY[0], LATE[0]}:
            doors.publish(clock.at)
        elif n in EARLY or n in LATE:
            read_overview(store, who)
            estimated = time.process_time()
            doors.publish(clock.at)  # which makes the overview once more
            overview = estimated - ticked
            pages = time.process_time() - estimated - overview
            held = store.db.value("SELECT sum(open_positions) FROM totals")
            days[n] = Day(ticked - start, overview, pages, held)
        if n % 100 == 0:
            print(f"day {n}", file=sys.stderr, flush=True)
    return days
