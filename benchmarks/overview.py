"""What everything takes that the site estimates, by how much history there is."""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.records.settings import Edition
from arena.site.overview.kept import cached_overview
from arena.site.overview.read import overview_key, read_overview
from arena.store.scores.evidence import SqliteEvidence
from arena.wiring import cast
from benchmarks.day import year
from benchmarks.measure import say

DAYS, TURNS = (20, 100, 300), 3
SECONDS, KEPT, KEY = 1.0, 0.2, 0.01


def main() -> None:
    with year() as played, TemporaryDirectory() as folder:
        who, store, took = cast(played.settings), played.store, 0.0
        for day in range(DAYS[-1] + 1):
            played.tick(day)
            if day in DAYS:
                took = _least(lambda: read_overview(store, who))
                n = len(SqliteEvidence(store.db).forecasts())
                print(f"day {day}: {took:.2f} s for {n:,} forecasts that have resolved")
        say(f"the overview at day {DAYS[-1]}", took, SECONDS, "s")
        cached_overview(store, Edition(who), Path(folder))
        kept = _least(lambda: cached_overview(store, Edition(who), Path(folder)))
        say("what is kept of it", kept, KEPT, "s")
        say("its key", _least(lambda: overview_key(store)), KEY, "s")


def _least(work: Callable[[], object]) -> float:
    """The least processor time of some turns, in seconds."""
    found = []
    for _ in range(TURNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)
