"""What a replay takes: ten rounds of ForecastBench, and the same from the arena's own export.

`python -m benchmarks.recorded kalshi 600 A.db B.db` lets a stand-in for a venue be polled:
600 events open in a day. The first file is an arena that has played a day, and holds shares;
the second is the same one after the next day's poll, with every answer that this one got.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from arena.clock import HandClock
from arena.records.market import State, VenueId
from arena.steps.markets.observe import observe
from arena.steps.play import enrol, tick
from arena.store import open_store
from arena.wiring import build_doors
from benchmarks.measure import say
from benchmarks.polled import FIRST, SECOND, settings_of
from tests.standins.venues import DIALECTS, StandInWorld, VenueServer, WorldView

ROUNDS = Path(__file__).parents[2] / "shared" / "data" / "forecastbench"
SECONDS, PARQUET = 6.0, 1.3
OVER = {State.RESOLVED, State.CLOSED_PENDING}


class _Young(StandInWorld):
    """A world whose lists hold only what is not over: that is all that a poll is shown."""

    def view(self, at: datetime) -> WorldView:
        whole = super().view(at)
        return replace(whole, markets=tuple(m for m in whole.markets if m.state not in OVER))


def main() -> None:
    """Replay a recording, the arena that this made, and its export, without pages."""
    if not ROUNDS.is_dir():
        print(f"there is no ForecastBench data in {ROUNDS}")
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        database, exported = root / "files" / "arena.db", root / "parquet"
        cpu = _replay(ROUNDS, database.parent)
        _arena("tape", "export", "--out", exported, "--database", database)
        of_database = _replay(database, root / "again")
        of_parquet = _replay(exported, root / "of-parquet")
    say("ten rounds replayed without pages", cpu, SECONDS, "s of a processor")
    say("from Parquet, against the database", of_parquet / of_database, PARQUET, "times")


def _replay(data: Path, out: Path) -> float:
    cohort = "cohorts/replay.yaml"
    return _arena("replay", data, "--cohort", cohort, "--no-site", "--out", out, "--json")


def _arena(*words: str | Path) -> float:
    """Run a command; the seconds of a processor that it took."""
    command = [sys.executable, "-m", "arena", *map(str, words)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{words[0]} failed with {child.returncode}")
    return used.ru_utime + used.ru_stime


def poll_twice() -> None:
    """Write the files of an arena before and after a poll, as the command line names them."""
    venue, events, before, after = sys.argv[1:]
    asyncio.run(record(VenueId(venue), int(events), Path(before), Path(after)))


async def record(venue: VenueId, events: int, before: Path, after: Path) -> None:
    clock = HandClock(FIRST)
    with VenueServer(_Young(1, events), clock, DIALECTS) as server:
        with open_store(before) as store:
            doors = build_doors(settings_of(venue, before, server.base_url), store, clock)
            report = await tick(doors, clock.at)
            if report.failures or not report.fills:
                raise SystemExit(f"{venue}: {report.failures or 'nobody bought anything'}")
        shutil.copy(before, after)
        clock.at = SECOND
        with open_store(after) as store:
            doors = build_doors(settings_of(venue, after, server.base_url), store, clock)
            enrol(doors, clock.at)
            observed = await observe(doors, clock.at)
            if observed.failures:
                raise SystemExit(f"{venue}: {observed.failures}")


if __name__ == "__main__":
    poll_twice()
