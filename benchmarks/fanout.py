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

from benchmarks.bare import Measured
from benchmarks.calls import local, play_round
from benchmarks.measure import say
from tests.standins.model_server import ModelServer

LATENCY = 1.0
SMALL, LARGE = 200, 1000
STEPS = 6  # replies of a contestant that call a tool, before its answer
LIMIT_CHAIN = 1.3  # times what one contestant takes alone
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

    def arena(self, kind: str, calls: int, at_once: int) -> Measured:
        numbers = str(calls), str(at_once)
        return _ran("-c", ARENA[self.library], kind, *numbers, self.url, self.request)

    def bare(self, calls: int, at_once: int) -> Measured:
        numbers = str(calls), str(at_once)
        return _ran("-m", "benchmarks.bare", self.library, *numbers, self.url, self.request)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, _server() as url:
        request = Path(folder) / "request.json"
        with ModelServer() as server:
            play_round(1, local(server.base_url, 1))
            request.write_text(json.dumps(server.requests[0].body))
        for library in LIMIT_WAVES:
            if importlib.util.find_spec(library):
                _small(Place(library, url, str(request)))
                _tools(Place(library, url, str(request)))
                _large(Place(library, url, str(request)))
            else:
                print(f"{library} is not installed")


def _small(place: Place) -> None:
    beyond = place.arena("round", SMALL, SMALL).seconds - LATENCY
    what = f"{place.library}: {SMALL} contestants beyond the slowest reply"
    say(what, beyond, LIMIT_BEYOND, "s")


def _tools(place: Place) -> None:
    """All contestants call a tool, step by step: how much longer that takes than one alone."""
    alone = place.arena("tools", 1, 1).seconds
    seconds = place.arena("tools", SMALL, SMALL).seconds
    what = f"{place.library}: {SMALL} contestants of {STEPS} steps with tools, {seconds:.1f} s"
    say(what, seconds / alone, LIMIT_CHAIN, f"times one alone, {alone:.1f} s")


def _large(place: Place) -> None:
    name = place.library
    played = place.arena("round", LARGE, LARGE)
    say(f"{name}: {LARGE} contestants", played.seconds, LIMIT_WAVES[name] * LATENCY, "s")
    say(f"{name}: memory of their round", played.memory, LIMIT_MEMORY, "MB")
    for at_once in (FEW, LARGE):
        bare = place.bare(LARGE, at_once)
        call = place.arena("client", LARGE, at_once)
        print(
            f"{name}: {LARGE} calls, {at_once} at once, take the bare library "
            f"{bare.seconds:.1f} s and {bare.cpu_ms:.2f} ms of CPU each, the arena's client "
            f"{call.seconds:.1f} s and {call.cpu_ms:.2f} ms"
        )
        say(f"{name}: CPU of a call", call.cpu_ms / bare.cpu_ms, LIMIT_RATIO, "times bare")
    print(f"{name}: CPU of a contestant in a round, all steps: {played.cpu_ms:.2f} ms")
    say(
        f"{name}: that",
        played.cpu_ms / bare.cpu_ms,
        LIMIT_RATIO,
        f"times bare, {LARGE} at once",
    )


def _ran(*arguments: str) -> Measured:
    done = subprocess.run(  # noqa: S603
        [sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return Measured(**json.loads(done.stdout))


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.standins.model_server", "--latency", str(LATENCY)]
    command += ["--calls", str(STEPS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            if server.stdout is None:
                raise SystemExit("the server says nothing")
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
