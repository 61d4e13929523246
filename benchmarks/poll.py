"""What polling 5,000 markets takes, against downloading and parsing the same bytes.

A stand-in for a venue is polled once. A server that does nothing else then says again what it
said, to a poll and to a bare client in turns: each has a process of its own, as a tick has.
Processor time is compared: whatever else the machine does is in neither.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.records.market import VenueId
from benchmarks.measure import say
from benchmarks.polled import Taken

EVENTS = {"polymarket": 640, "kalshi": 600, "manifold": 300}  # that open in a day
TURNS = 7
LIMIT = 3.0
AN_ANSWER = 0.005  # seconds: no venue's own server answers as soon as that
STAGES = ("download", "archive", "parse", "choose", "tape")


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
            # a large process's memory would be counted as its children's
            _run("recorded", venue, str(EVENTS[venue]), str(files.before), str(files.after))
            taken, bare = _least(venue, files, 0, TURNS)
            _tell(venue, taken, bare)
            far, floor = _least(venue, files, AN_ANSWER, 1)
            ratio = far.whole / floor.whole
            print(f"  where each answer takes {1000 * AN_ANSWER:g} ms, {ratio:.2f} times that")
        polls.append(taken.cpu)
        floors.append(bare.cpu)
    say("all three", sum(polls) / sum(floors), LIMIT, "times downloading and json.loads")


def _least(venue: VenueId, files: Files, seconds: float, turns: int) -> tuple[Taken, Taken]:
    """The fastest poll and the fastest floor of those that took turns."""
    polls, floors = [], []
    with _server(files.after, seconds) as url:
        for turn in range(turns):
            fresh = files.before.with_name(f"turn-{seconds}-{turn}.db")
            shutil.copy(files.before, fresh)
            polls.append(_ran("poll", venue, str(fresh), url))
            floors.append(_ran("floor", venue, str(files.after), url))
    return _fastest(polls), _fastest(floors)


def _fastest(runs: list[Taken]) -> Taken:
    return min(runs, key=lambda taken: taken.cpu)


def _tell(venue: VenueId, taken: Taken, bare: Taken) -> None:
    if (taken.requests, taken.bytes) != (bare.requests, bare.bytes):
        raise SystemExit(f"{venue}: the poll and the floor did not download the same")
    parts = ", ".join(f"{name} {getattr(taken, name) / taken.whole:.0%}" for name in STAGES)
    print(
        f"{venue}: {taken.listed:,} markets listed, {taken.bytes / 1e6:.1f} MB in "
        f"{taken.requests} answers, {taken.packed / taken.bytes:.2f} of it on disk\n"
        f"  a poll takes {taken.cpu:.3f} s of the processor, {taken.memory:.0f} MB of memory "
        f"and {taken.whole:.3f} s in all: {parts}\n"
        f"  downloading and json.loads take {bare.cpu:.3f} s of the processor, in all "
        f"{bare.download:.3f} s and {bare.parse:.3f} s"
    )
    say(f"{venue}: a poll", taken.cpu / bare.cpu, LIMIT, "times downloading and json.loads")


def _ran(*arguments: str) -> Taken:
    return Taken(**json.loads(_run("polled", *arguments)))


def _run(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return done.stdout


@contextmanager
def _server(file: Path, seconds: float) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.canned", str(file), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            if server.stdout is None:
                raise SystemExit("the server says nothing")
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
