"""What calls cost without the arena: `python -m benchmarks.bare httpx2 1000 100 URL FILE`.

It makes 1,000 calls, 100 at once, of the request in a file, and parses the replies.
"""

import asyncio
import importlib
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds by the wall, processor milliseconds a call, and the most memory, in MB."""

    seconds: float
    cpu_ms: float
    memory: float


def main() -> None:
    name, number, places, url, file = sys.argv[1:]
    library, calls, at_once = importlib.import_module(name), int(number), int(places)
    said = json.loads(Path(file).read_bytes())
    limits = library.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    free = asyncio.Semaphore(at_once)

    async def play() -> None:
        async with library.AsyncClient(limits=limits, timeout=PATIENCE) as client:

            async def once() -> None:
                async with free:
                    reply = await client.post(f"{url}/chat/completions", json=said)
                    reply.raise_for_status()
                    reply.json()

            await asyncio.gather(*(once() for _ in range(calls)))

    print(json.dumps(asdict(measure(play, calls))))


def measure(play: Callable[[], Awaitable[None]], calls: int) -> Measured:
    async def run() -> None:
        await play()

    start, used = time.perf_counter(), time.process_time()
    asyncio.run(run())
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    return Measured(seconds, 1000 * cpu / calls, peak_memory())


def peak_memory() -> float:
    """The most memory that this process has had so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()
