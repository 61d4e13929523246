"""A round of 200 contestants against a local model server that takes one second to answer."""

import asyncio
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from arena.cli.demo import FIRST_DAY, Demo, demo_settings
from arena.clock import HandClock
from arena.records.cohort import ContestantId
from arena.records.settings import ContestantSettings, ModelSettings
from arena.steps.play import tick
from arena.store import open_store
from arena.testing.model_server import ModelServer
from arena.wiring import build_doors
from benchmarks.measure import say

CONTESTANTS = 200
LATENCY = 1.0
LIMIT_SECONDS = 1.5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ModelServer(latency=LATENCY) as server:
        taken, answers = _round(Path(folder), server.base_url)
    print(f"{answers} answers in {taken:.2f} s")
    say("a round beyond its slowest reply", taken - LATENCY, LIMIT_SECONDS, "s")


def _round(folder: Path, base_url: str) -> tuple[float, int]:
    settings = demo_settings(Demo(1, 0, 1), folder)
    models = (
        ModelSettings("local", "openai_chat", base_url, "local", deadline=timedelta(minutes=1)),
    )
    playing = tuple(
        ContestantSettings(ContestantId(f"model-{n}"), "prompted", model="local")
        for n in range(CONTESTANTS)
    )
    (spec,) = settings.cohorts
    spec = replace(spec, contestants=tuple(c.id for c in playing))
    settings = replace(settings, models=models, contestants=playing, cohorts=(spec,))
    with open_store(settings.database) as store:
        doors = build_doors(settings, store, HandClock(FIRST_DAY))
        start = time.perf_counter()
        report = asyncio.run(tick(doors, FIRST_DAY))
        taken = time.perf_counter() - start
    failed = len(report.failed_turns)
    if failed:
        raise SystemExit(f"{failed} turns failed: {report.failed_turns[0]}")
    return taken, report.answers
