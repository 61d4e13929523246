"""A small arena in a folder of its own: a configuration, one cohort, and its database."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.build import at
from tests.cli.shell import Done, arena
from tests.once import copied
from tests.unpacked import change, opened

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
BASELINES = ("market", "always-no")


@dataclass(frozen=True, slots=True)
class Project:
    """A project's folder, and the `arena` command in it; `done` is what its first tick said."""

    folder: Path
    done: Done | None = None

    @property
    def database(self) -> Path:
        return self.folder / "data" / "arena.db"

    def run(self, *words: str | Path, **variables: str) -> Done:
        return arena(*words, cwd=self.folder, **variables)

    def tick(self, *more: str, hours: float = 0, **variables: str) -> Done:
        """Tick so many hours after the cohort's start."""
        return self.run("tick", "--at", moment(hours), *more, **variables)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the database something; before there is one, nothing is in it."""
        if not self.database.is_file():
            return []
        with opened(self.database) as db:
            return db.execute(sql).fetchall()

    def damage(self, script: str) -> None:
        """Change the database behind the arena's back."""
        change(self.database, script)

    def answers(self) -> dict[str, int]:
        """How many answers of each contestant are on the tape."""
        sql = "SELECT contestant, count(*) FROM tape_answers GROUP BY contestant"
        return dict(self.rows(sql))

    def audit(self) -> dict[str, Any]:
        return self.run("audit", "--json").document

    @property
    def is_sound(self) -> bool:
        return self.audit()["ok"] is True

    @property
    def journal(self) -> str:
        """The digest that stands for the whole journal, of books that are in order."""
        found = self.audit()
        assert found["ok"], found["audit"]["findings"]
        return str(found["journal"])

    def copy(self, to: Path) -> "Project":
        return Project(copied(self.folder, to))


def edit(made: Project, start: str, line: str) -> None:
    """Replace the line of the configuration that starts so."""
    file = made.folder / "config.yaml"
    lines = file.read_text().splitlines()
    changed = [line if old.startswith(start) else old for old in lines]
    file.write_text("\n".join(changed) + "\n")


def configure(made: Project, **settings: object) -> None:
    """Add settings to the configuration."""
    with (made.folder / "config.yaml").open("a", encoding="utf-8") as file:
        file.writelines(f"{key}: {json.dumps(value)}\n" for key, value in settings.items())


def daily(made: Project) -> None:
    """Let the project's cohorts start every day, so that one is due whenever it is run."""
    cohort = made.folder / "cohorts" / "c.yaml"
    cohort.write_text(cohort.read_text().replace("cadence: once", "cadence: daily"))


def moment(hours: float = 0) -> str:
    return at(hours).isoformat()


def days(number: float) -> float:
    return number * (timedelta(days=1) / timedelta(hours=1))


def project(  # noqa: PLR0913  each is one thing that a test is about
    folder: Path,
    *,
    models: Mapping[str, Mapping[str, object]] | None = None,
    contestants: Iterable[str] = BASELINES,
    universe: str = "{top: 5}",
    rounds: int = 2,
    more: str = "",
) -> Project:
    """Write a project of one cohort: the baselines, and a contestant for each model."""
    asked = dict(models or {})
    playing = [*contestants, *asked]
    (folder / "cohorts").mkdir(parents=True)
    (folder / "config.yaml").write_text(_config(playing, asked) + more, encoding="utf-8")
    cohort = COHORT.format(universe=universe, rounds=rounds, contestants=json.dumps(playing))
    (folder / "cohorts" / "c.yaml").write_text(cohort, encoding="utf-8")
    return Project(folder)


COHORT = """\
title: Test
venue: sim
start: {{cadence: once, first: 2026-01-05}}
decide: {{every: 1d, for: {rounds}d}}
universe: {universe}
contestants: {contestants}
"""


def model(base_url: str, **more: object) -> dict[str, object]:
    """A model that gives up soon."""
    return {"adapter": "openai_chat", "base_url": base_url, "deadline": "1s"} | more


def _config(playing: Iterable[str], models: Mapping[str, Mapping[str, object]]) -> str:
    named = {name: {"model": name, **how} for name, how in models.items()}
    seats = {
        who: {"agent": "prompted", "model": who}
        if who in models
        else {"agent": who.replace("-", "_")}
        for who in playing
    }
    said: dict[str, object] = {
        "paths": {"templates": str(TEMPLATES)},
        "venues": {"sim": {"adapter": "simulated", "options": {"seed": 1}}},
        "models": named,
        "contestants": seats,
    }
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in said.items())
