"""What the arena does in a process of its own, so that memory and processor time are its alone.

`python -m benchmarks.calls round 1000 500 URL` plays a round of 1,000 contestants, of which
500 ask a model server at once; with `tools` in the place of `round` they call tools before;
`... client 1000 500 URL FILE` makes as many calls of the request in a file.
"""

import asyncio
import json
import sys
import tempfile
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

from arena.cli.start.demo import FIRST_DAY, Demo, demo_settings
from arena.clock import HandClock
from arena.llms.wires.openai_chat import from_settings
from arena.records.answer import Question
from arena.records.cohort import ContestantId
from arena.records.settings import (
    ContestantSettings,
    ModelSettings,
    ToolAdapter,
    ToolSettings,
)
from arena.steps.play import tick
from arena.store import open_store
from arena.wiring import build_doors
from benchmarks.bare import Measured, measure


def main() -> None:
    kind, number, places, url, *rest = sys.argv[1:]
    calls, model = int(number), local(url, int(places))
    if kind == "client":
        done = call(calls, model, Path(rest[0]))
    else:
        done = play_round(
            calls, model, (("tools", ("calculator",)),) if kind == "tools" else ()
        )
    print(json.dumps(asdict(done)))


def local(url: str, at_once: int) -> ModelSettings:
    minute = timedelta(minutes=1)
    return ModelSettings("local", "openai_chat", url, "local", deadline=minute, at_once=at_once)


def play_round(
    contestants: int, model: ModelSettings, options: tuple[tuple[str, object], ...] = ()
) -> Measured:
    """One whole tick: markets, prompts, answers, trades, marks; no attempt at a call fails."""
    with tempfile.TemporaryDirectory() as folder:
        settings = demo_settings(Demo(1, 0, 1), Path(folder))
        playing = tuple(
            ContestantSettings(
                ContestantId(f"model-{n}"), "prompted", model="local", options=options
            )
            for n in range(contestants)
        )
        (spec,) = settings.cohorts
        spec = replace(spec, contestants=tuple(c.id for c in playing))
        tools = (ToolSettings("calculator", ToolAdapter.CALCULATOR),)
        settings = replace(
            settings, models=(model,), contestants=playing, cohorts=(spec,), tools=tools
        )
        with open_store(settings.database) as store:
            doors = build_doors(settings, store, HandClock(FIRST_DAY))

            async def play() -> None:
                report = await tick(doors, FIRST_DAY)
                if report.failed_turns or report.answers != contestants:
                    raise SystemExit(f"{report.answers} answers; {report.failed_turns[:1]}")
                failed = store.db.value(
                    "SELECT count(*) FROM tape_attempts WHERE trouble <> ''"
                )
                if failed:
                    raise SystemExit(f"{failed} attempts failed")

            return measure(play, contestants)


def call(calls: int, model: ModelSettings, request: Path) -> Measured:
    """The arena's client alone."""
    said = json.loads(request.read_bytes())["messages"]
    system, user = (message["content"] for message in said)
    client = from_settings(model, None)

    async def play() -> None:
        asked = (client.complete(Question(system, user)) for _ in range(calls))
        answers = await asyncio.gather(*asked)
        failed = [answer for answer in answers if answer.trouble]
        if failed:
            raise SystemExit(f"{len(failed)} calls failed: {failed[0].detail}")

    return measure(play, calls)


if __name__ == "__main__":
    main()
