"""What polling 5,000 markets takes, against downloading and parsing the same bytes.

A stand-in for a venue is polled once. A server that does nothing else then says again what it
said, to a poll and to a bare client in turns: each has a process of its own, as a tick has.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from arena.clock import HandClock
from arena.records.market import State, VenueId
from arena.steps.observe import observe
from arena.steps.enrol import enrol
from arena.steps.play import tick
from arena.store import open_store
from arena.testing.venues import DIALECTS, StandInWorld, VenueServer, WorldView
from arena.wiring import build_doors
from benchmarks.measure import say
from benchmarks.polled import FIRST, SECOND, Taken, settings_of

EVENTS = {"polymarket": 640, "kalshi": 600, "manifold": 300}  # that open in a day
TURNS = 5
LIMIT = 3.0
STAGES = ("download", "archive", "parse", "choose", "tape")
OVER = {State.RESOLVED, State.CLOSED_PENDING}


class _Young(StandInWorld):
    """A world whose lists hold only what is not over: that is all that a poll is shown."""

    def view(self, at: datetime) -> WorldView:
        whole = super().view(at)
        return replace(whole, markets=tuple(m for m in whole.markets if m.state not in OVER))


@dataclass(frozen=True, slots=True)
class Files:
    """An arena the day before a poll, and the same arena after it."""

    before: Path
    after: Path


def main() -> None:
    polls, floors = [], []
    for venue in map(VenueId, EVENTS):
        with tempfile.TemporaryDirectory() as folder:
            files = Files(Path(folder) / "before.db", Path(folder) / "after.db")
            asyncio.run(_record(venue, files))
            taken, bare = _least(venue, files)
        _tell(venue, taken, bare)
        polls.append(taken.whole)
        floors.append(bare.whole)
    say("all three", sum(polls) / sum(floors), LIMIT, "times downloading and parsing")


async def _record(venue: VenueId, files: Files) -> None:
    """Play a day on the stand-in, and let the next day's poll be recorded."""
    clock = HandClock(FIRST)
    with VenueServer(_Young(1, EVENTS[venue]), clock, DIALECTS) as server:
        with open_store(files.before) as store:
            doors = build_doors(settings_of(venue, files.before, server.base_url), store, clock)
            report = await tick(doors, clock.at)
            if report.failures or not report.fills:
                raise SystemExit(f"{venue}: {report.failures or 'nobody bought anything'}")
        shutil.copy(files.before, files.after)
        clock.at = SECOND
        with open_store(files.after) as store:
            doors = build_doors(settings_of(venue, files.after, server.base_url), store, clock)
            enrol(doors, clock.at)
            observed = await observe(doors, clock.at)
            if observed.failures:
                raise SystemExit(f"{venue}: {observed.failures}")


def _least(venue: VenueId, files: Files) -> tuple[Taken, Taken]:
    """The fastest poll and the fastest floor of those that took turns."""
    polls, floors = [], []
    with _server(files.after) as url:
        for turn in range(TURNS):
            fresh = files.before.with_name(f"turn-{turn}.db")
            shutil.copy(files.before, fresh)
            polls.append(_ran("poll", venue, str(fresh), url))
            floors.append(_ran("floor", venue, str(files.after), url))
    return _fastest(polls), _fastest(floors)


def _fastest(runs: list[Taken]) -> Taken:
    return min(runs, key=lambda taken: taken.whole)


def _tell(venue: VenueId, taken: Taken, bare: Taken) -> None:
    if (taken.requests, taken.bytes) != (bare.requests, bare.bytes):
        raise SystemExit(f"{venue}: the poll and the floor did not download the same")
    parts = ", ".join(f"{name} {getattr(taken, name) / taken.whole:.0%}" for name in STAGES)
    print(
        f"{venue}: {taken.listed:,} markets listed, {taken.bytes / 1e6:.1f} MB in "
        f"{taken.requests} answers, {taken.packed / taken.bytes:.2f} of it on disk\n"
        f"  a poll takes {taken.whole:.3f} s: {parts}; {taken.memory:.0f} MB of memory more\n"
        f"  downloading takes {bare.download:.3f} s, json.loads {bare.parse:.3f} s"
    )
    say(f"{venue}: a poll", taken.whole / bare.whole, LIMIT, "times downloading and parsing")


def _ran(*arguments: str) -> Taken:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "benchmarks.polled", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Taken(**json.loads(done.stdout))


@contextmanager
def _server(file: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.canned", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            if server.stdout is None:
                raise SystemExit("the server says nothing")
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
