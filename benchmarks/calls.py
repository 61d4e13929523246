"""Calls from a process of their own, so that its memory and processor time are theirs alone.

`python -m benchmarks.calls round httpx2 1000 URL` plays a round of 1,000 contestants; with
`client` the arena's client makes the same calls alone, with `bare` the library without the
arena does, all at once, and with `few` no more than 100 at once.
"""

import asyncio
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from pathlib import Path

from arena.records.settings import ContestantSettings, ModelSettings

PATIENCE = 600.0
FEW = 100


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds by the wall, processor milliseconds a call, and the most memory, in MB."""

    seconds: float
    cpu_ms: float
    memory: float


@dataclass(frozen=True, slots=True)
class Task:
    """So many calls at once, with this library, at this server."""

    library: str
    calls: int
    url: str


def measured(kind: str, task: Task) -> Measured:
    """Have another process do it."""
    command = [sys.executable, "-m", "benchmarks.calls", kind]
    command += [task.library, str(task.calls), task.url]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return Measured(**json.loads(done.stdout))


def main() -> None:
    kind, library, calls, url = sys.argv[1:]
    if library == "httpx":
        sys.modules["httpx2"] = None  # type: ignore[assignment]  # as if it were not installed
    plays = {"round": play_round, "client": call_client, "bare": call_bare, "few": call_few}
    print(json.dumps(asdict(plays[kind](Task(library, int(calls), url)))))


def play_round(task: Task) -> Measured:
    """One whole tick: markets, prompts, answers, trades, marks."""
    from arena.cli.demo import FIRST_DAY, Demo, demo_settings
    from arena.clock import HandClock
    from arena.records.cohort import ContestantId
    from arena.steps.play import tick
    from arena.store import open_store
    from arena.wiring import build_doors

    with tempfile.TemporaryDirectory() as folder:
        settings = demo_settings(Demo(1, 0, 1), Path(folder))
        playing = tuple(
            ContestantSettings(ContestantId(f"model-{n}"), "prompted", model="local")
            for n in range(task.calls)
        )
        (spec,) = settings.cohorts
        spec = replace(spec, contestants=tuple(c.id for c in playing))
        settings = replace(
            settings, models=(_model(task),), contestants=playing, cohorts=(spec,)
        )
        with open_store(settings.database) as store:
            doors = build_doors(settings, store, HandClock(FIRST_DAY))

            async def play() -> None:
                report = await tick(doors, FIRST_DAY)
                if report.failed_turns or report.answers != task.calls:
                    raise SystemExit(f"{report.answers} answers; {report.failed_turns[:1]}")

            return _measure(play, task.calls)


def call_client(task: Task) -> Measured:
    """The arena's client alone, with the question of a real round."""
    from arena.llms.openai_chat import from_settings
    from arena.records.answer import Question

    said = _said(task)
    system, user = (message["content"] for message in said["messages"])
    question = Question(system, user)
    client = from_settings(_model(task), None)

    async def call() -> None:
        asked = (client.complete(question) for _ in range(task.calls))
        answers = await asyncio.gather(*asked)
        failed = [answer for answer in answers if answer.trouble]
        if failed:
            raise SystemExit(f"{len(failed)} calls failed: {failed[0].detail}")

    return _measure(call, task.calls)


def call_bare(task: Task) -> Measured:
    """The library alone: the same words there, and JSON parsed on the way back."""
    return _bare(task, at_once=task.calls)


def call_few(task: Task) -> Measured:
    """The library alone, with as many at once as it does well."""
    return _bare(task, at_once=FEW)


def _bare(task: Task, at_once: int) -> Measured:
    library = importlib.import_module(task.library)
    said = _said(task)
    limits = library.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    free = asyncio.Semaphore(at_once)

    async def call() -> None:
        async with library.AsyncClient(
            limits=limits, timeout=PATIENCE, trust_env=False
        ) as client:

            async def once() -> None:
                async with free:
                    reply = await client.post(f"{task.url}/chat/completions", json=said)
                    reply.raise_for_status()
                    reply.json()

            await asyncio.gather(*(once() for _ in range(task.calls)))

    return _measure(call, task.calls)


def _model(task: Task) -> ModelSettings:
    minute = timedelta(minutes=1)
    return ModelSettings(
        "local", "openai_chat", task.url, "local", deadline=minute, at_once=task.calls
    )


def _said(task: Task) -> dict[str, object]:
    """What a contestant of a real round sends, taken down by a server."""
    from arena.testing.model_server import ModelServer

    with ModelServer() as server:
        play_round(Task(task.library, 1, server.base_url))
        return dict(server.requests[0].body)


def _measure(what: Callable[[], Awaitable[None]], calls: int) -> Measured:
    async def run() -> None:
        await what()

    start, used = time.perf_counter(), time.process_time()
    asyncio.run(run())
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Measured(
        seconds, 1000 * cpu / calls, peak / (1e6 if sys.platform == "darwin" else 1e3)
    )


if __name__ == "__main__":
    main()
