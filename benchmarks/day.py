"""What a day of the shipped daily cohort costs at the end of a year, against its beginning.

The tick is whole: prices, answers, trades, settlement, marks, and the pages that changed. Each
measured day has a tick with estimates, and one an hour later with those of the day. Days are
compared that have as many open positions. Pages are written on measured days, and once before.
The bundle is measured in processor time of the tick with estimates, and in bytes of the site.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.clock import HandClock
from arena.config import load_settings
from arena.process import rare_collection
from arena.records.settings import Settings
from arena.site.bundle.bundle_files import BundleWork
from arena.site.bundle.published_site import BUNDLE
from arena.site.engine.renderer import WrittenPages
from arena.steps.doors import Doors
from arena.steps.play import tick
from arena.store import Store, open_store
from arena.wiring import build_doors
from benchmarks.measure import say

FIRST_DAY = datetime(2026, 1, 5, tzinfo=UTC)
EARLY, LATE = range(15, 26), range(350, 361)
ALIKE = 0.1  # how far the numbers of open positions of two days may be apart, as a share
DAILY, HOURLY = 1.2, 0.4
BUNDLE_TIME, BUNDLE_BYTES = 0.1, 0.15  # of a tick, and of the rest of the site


@dataclass(frozen=True, slots=True)
class Day:
    """Processor seconds of a tick with estimates and pages, and of the one an hour later.

    `bundle` is the part of `daily` that the bundle took, `bundle_bytes` its size as a share of
    the rest of the site.
    """

    daily: float
    hourly: float
    bundle: float
    bundle_bytes: float
    open_positions: int


@dataclass(frozen=True, slots=True)
class Year:
    """An arena that plays the shipped configuration in a folder of its own."""

    settings: Settings
    store: Store
    clock: HandClock
    doors: Doors

    def tick(self, day: int, hours: int = 0) -> None:
        """Play one moment, without pages."""
        self.clock.at = FIRST_DAY + timedelta(days=day, hours=hours)
        asyncio.run(tick(self.doors, self.clock.at))
        if not hours and not day % 100:
            print(f"day {day}", file=sys.stderr, flush=True)

    def publish(self) -> None:
        """Write the pages that changed."""
        if self.doors.publish is None:
            raise SystemExit("nothing publishes")
        self.doors.publish(self.clock.at)

    def bundle_bytes(self) -> float:
        """The size of the bundle as a share of that of the rest of the site."""
        site = Path(self.settings.site)
        sizes = {path: path.stat().st_size for path in site.rglob("*") if path.is_file()}
        own = sum(size for path, size in sizes.items() if path.is_relative_to(site / BUNDLE))
        return float(own / (sum(sizes.values()) - own))


@contextmanager
def bundle_seconds() -> Iterator[list[float]]:
    """The processor seconds of each bundle that is written meanwhile."""
    written, seconds = BundleWork.written, list[float]()

    def timed(work: BundleWork) -> Iterator[WrittenPages]:
        start = time.process_time()
        pages = list(written(work))
        seconds.append(time.process_time() - start)
        return iter(pages)

    BundleWork.written = timed  # type: ignore[method-assign,assignment]
    try:
        yield seconds
    finally:
        BundleWork.written = written  # type: ignore[method-assign]


@contextmanager
def year() -> Iterator[Year]:
    """The shipped daily cohort, before its first day."""
    with tempfile.TemporaryDirectory() as folder:
        root, shipped = Path(folder), load_settings(Path("config.yaml"))
        settings = replace(shipped, database=root / "arena.db", site=root / "site")
        clock = HandClock(FIRST_DAY)
        with open_store(settings.database) as store:
            yield Year(settings, store, clock, build_doors(settings, store, clock))


def main() -> None:
    with rare_collection(), year() as played:  # as every command does
        days = _play(played)
    pairs = [
        (days[a], days[b])
        for a in EARLY
        for b in LATE
        if abs(days[a].open_positions - days[b].open_positions)
        <= ALIKE * days[a].open_positions
    ]
    if not pairs:
        raise SystemExit("no two days have as many open positions")
    ratio = statistics.median(b.daily / a.daily for a, b in pairs)
    for name, some in (("early", [days[a] for a in EARLY]), ("late", [days[b] for b in LATE])):
        daily, hourly = (statistics.median(getattr(d, n) for d in some) for n in _PARTS)
        print(f"{name}: {daily:.2f} s a day's tick with pages, {hourly:.2f} s an hour later")
        share = statistics.median(day.bundle / day.daily for day in some)
        say(f"{name}: the bundle's share of a day's tick", share, BUNDLE_TIME, "")
        size = some[-1].bundle_bytes
        say(f"{name}: the bundle against the rest of the site", size, BUNDLE_BYTES, "")
    say(f"day {LATE[-1]} against day {EARLY[0]}, {len(pairs)} pairs", ratio, DAILY, "times")
    late = [days[b] for b in LATE]
    share = statistics.median(day.hourly / day.daily for day in late)
    say("a tick between estimates, as a share of one with", share, HOURLY, "")


_PARTS = ("daily", "hourly")


def _play(played: Year) -> Mapping[int, Day]:
    days = {}
    for n in range(LATE[-1] + 1):
        measured = n in EARLY or n in LATE
        start = time.process_time()
        played.tick(n)
        with bundle_seconds() as bundles:
            if n + 1 in {EARLY[0], LATE[0]} or measured:
                played.publish()
        if measured:
            daily = time.process_time()
            played.tick(n, hours=1)
            played.publish()
            held = played.store.db.value("SELECT sum(open_positions) FROM totals")
            hourly = time.process_time() - daily
            share = played.bundle_bytes()
            days[n] = Day(daily - start, hourly, sum(bundles), share, held)
    return days
