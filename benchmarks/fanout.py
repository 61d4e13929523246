"""A round of many contestants against a model server that takes one second to answer.

The server, each round, and what it is compared with have a process of their own. A call's
processor time is compared with that of the bare library, which makes the same calls.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.testing.model_server import ModelServer
from benchmarks.bare import Measured
from benchmarks.calls import play_round
from benchmarks.measure import say

LATENCY = 1.0
SMALL, LARGE = 200, 1000
FEW = 100  # connections that either library does well with
LIMIT_BEYOND = 1.5  # seconds that a small round takes beyond its slowest reply
LIMIT_WAVES = {"httpx2": 6, "httpx": 15}  # of one call's latency, for a large round
LIMIT_MEMORY = 250
LIMIT_RATIO = 1.5

ARENA = {
    "httpx2": "from benchmarks.calls import main; main()",
    # as if httpx2 were not installed
    "httpx": "import sys; sys.modules['httpx2'] = None; "
    "from benchmarks.calls import main; main()",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where to ask with which library, and the file of a contestant's request."""

    library: str
    url: str
    request: str

    def arena(self, kind: str, calls: int) -> Measured:
        return _ran("-c", ARENA[self.library], kind, str(calls), self.url, self.request)

    def bare(self, calls: int, at_once: int) -> Measured:
        numbers = str(calls), str(at_once)
        return _ran("-m", "benchmarks.bare", self.library, *numbers, self.url, self.request)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, _server() as url:
        request = Path(folder) / "request.json"
        with ModelServer() as server:
            play_round(1, server.base_url)
            request.write_text(json.dumps(server.requests[0].body))
        for library in LIMIT_WAVES:
            if importlib.util.find_spec(library):
                _small(Place(library, url, str(request)))
                _large(Place(library, url, str(request)))
            else:
                print(f"{library} is not installed")


def _small(place: Place) -> None:
    beyond = place.arena("round", SMALL).seconds - LATENCY
    what = f"{place.library}: {SMALL} contestants beyond the slowest reply"
    say(what, beyond, LIMIT_BEYOND, "s")


def _large(place: Place) -> None:
    name = place.library
    bare, few = place.bare(LARGE, LARGE), place.bare(LARGE, FEW)
    call, played = place.arena("client", LARGE), place.arena("round", LARGE)
    for what, its in (
        (f"bare calls, {FEW} at once", few),
        ("bare calls at once", bare),
        ("calls at once by the arena's client", call),
        ("contestants of a round", played),
    ):
        print(f"{name}: {LARGE} {what}: {its.seconds:.1f} s, {its.cpu_ms:.2f} ms of CPU each")
    say(f"{name}: {LARGE} contestants", played.seconds, LIMIT_WAVES[name] * LATENCY, "s")
    say(f"{name}: memory of their round", played.memory, LIMIT_MEMORY, "MB")
    for what, its, best in (
        ("a call", call, few),
        ("a call", call, bare),
        ("a whole round", played, bare),
    ):
        other = f"a bare call's, {FEW if best is few else LARGE} at once"
        ratio = its.cpu_ms / best.cpu_ms
        say(f"{name}: CPU of {what} against {other}", ratio, LIMIT_RATIO, "times")


def _ran(*arguments: str) -> Measured:
    done = subprocess.run(  # noqa: S603
        [sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return Measured(**json.loads(done.stdout))


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
