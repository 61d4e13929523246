from pathlib import Path
from textwrap import dedent

from arena import plugins
from arena.config import Problem, check, load_settings
from arena.records.cohort import CohortSpec
from arena.records.settings import Settings

ROOT = Path(__file__).parents[2]

PLUGINS = {
    plugins.VENUES: ("forecastbench", "simulated"),
    plugins.LLMS: ("openai_chat",),
    plugins.AGENTS: ("always_no", "market", "prompted", "simulated"),
    plugins.CONTEXTS: (),
}

CONFIG = """\
venues:
  sim: {adapter: simulated}
models:
  big: {adapter: openai_chat, base_url: "https://x.example/v1", model: big-1}
contestants:
  ada: {agent: market}
  bob: {agent: prompted, model: big}
"""

COHORT = """\
title: Test
venue: sim
start: {cadence: once, first: 2026-01-05}
decide: {every: 1d, for: 3d}
contestants: [ada, bob]
"""


def project(folder: Path, config: str | bytes = CONFIG, **cohorts: str | bytes) -> Path:
    (folder / "cohorts").mkdir(parents=True, exist_ok=True)
    for name, content in cohorts.items():
        _write(folder / "cohorts" / f"{name}.yaml", content)
    _write(folder / "config.yaml", config)
    return folder / "config.yaml"


def settings(folder: Path, config: str = CONFIG, **cohorts: str) -> Settings:
    return load_settings(project(folder, config, **cohorts), PLUGINS)


def cohort(folder: Path, more: str = "", *, instead_of: str = "") -> CohortSpec:
    content = COHORT.replace(instead_of, more) if instead_of else COHORT + more
    return settings(folder, CONFIG, daily=content).cohorts[0]


def problems(folder: Path, config: str | bytes, **cohorts: str | bytes) -> tuple[Problem, ...]:
    text = dedent(config) if isinstance(config, str) else config
    return check(project(folder, text, **cohorts), PLUGINS)


def cohort_problems(folder: Path, content: str | bytes) -> tuple[Problem, ...]:
    return problems(folder, CONFIG, daily=content)


def rule_problems(folder: Path, rules: str) -> tuple[Problem, ...]:
    return cohort_problems(folder, f"{COHORT}rules: {rules}\n")


def _write(file: Path, content: str | bytes) -> None:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
