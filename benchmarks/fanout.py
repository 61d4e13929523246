"""A round of many contestants against a model server that takes one second to answer.

The server and each round have a process of their own. A call's processor time is compared
with that of the bare library, which makes the same calls, all at once.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.calls import Task, measured
from benchmarks.measure import say

LATENCY = 1.0
SMALL, LARGE = 200, 1000
LIMIT_BEYOND = 1.5  # seconds that a small round takes beyond its slowest reply
LIMIT_WAVES = {"httpx2": 6, "httpx": 15}  # of one call's latency, for a large round
LIMIT_MEMORY = 250
LIMIT_RATIO = 1.5


def main() -> None:
    with _server() as url:
        for library in LIMIT_WAVES:
            if importlib.util.find_spec(library):
                _small(library, url)
                _large(library, url)
            else:
                print(f"{library} is not installed")


def _small(library: str, url: str) -> None:
    played = measured("round", Task(library, SMALL, url))
    beyond = played.seconds - LATENCY
    say(f"{library}: {SMALL} contestants beyond the slowest reply", beyond, LIMIT_BEYOND, "s")


def _large(library: str, url: str) -> None:
    task = Task(library, LARGE, url)
    bare, call, played = (measured(kind, task) for kind in ("bare", "client", "round"))
    print(
        f"{library}: {LARGE} calls at once took the bare client {bare.seconds:.1f} s and "
        f"{bare.cpu_ms:.2f} ms of processor time each, the arena's client "
        f"{call.seconds:.1f} s and {call.cpu_ms:.2f} ms, a whole round "
        f"{played.seconds:.1f} s and {played.cpu_ms:.2f} ms"
    )
    waves = played.seconds / LATENCY
    say(f"{library}: {LARGE} contestants", waves, LIMIT_WAVES[library], "times one call")
    say(f"{library}: memory of their round", played.memory, LIMIT_MEMORY, "MB")
    for what, its in (("a call", call), ("a whole round", played)):
        ratio = its.cpu_ms / bare.cpu_ms
        say(f"{library}: processor time of {what}", ratio, LIMIT_RATIO, "times the bare call")
    best = measured("few", task)
    print(
        f"{library}: the bare client needs {best.cpu_ms:.2f} ms a call where it makes no more "
        f"than 100 at once; the arena's client {call.cpu_ms / best.cpu_ms:.2f} times that"
    )


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, "-m", "arena.testing.model_server", "--latency", str(LATENCY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            if server.stdout is None:
                raise SystemExit("the server says nothing")
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
