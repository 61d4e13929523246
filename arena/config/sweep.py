"""Reads the plan of a sweep: a YAML file, refused like a configuration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from arena.bundle import here_or_bundled
from arena.config.document import (
    ChangedKey,
    ConfigDocument,
    Place,
    Plain,
    Problem,
    WrongError,
    read_document,
    shown,
)
from arena.config.forms import CohortForm, FileForm
from arena.config.kinds import DeclaredNames, FieldReader, FilePath, count
from arena.config.validate import fill_in, refusal
from arena.errors import did_you_mean
from arena.records.settings import SweepArm

NAME: Final = "name"  # of an arm in `list`
OF_COHORT: Final = frozenset(
    field.alias or name for name, field in CohortForm.model_fields.items()
) - {"venue", "replay_only"}
OF_CONFIG: Final = frozenset({"budgets", "contestants", "models", "schedule", "season"})
NAMED: Final = frozenset({"contestants", "models"})
MOST_JOBS: Final = 100_000
LONGEST_NAME: Final = 200

Changes = Mapping[Place, ChangedKey]
Seed = Annotated[int, FieldReader(count(0, 10**9), {"type": "integer", "minimum": 0})]


def _several(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise WrongError("one value or more", "none")
    return values


class SeedsForm(FileForm):
    """Replicates of every arm: each value is given to all of the keys."""

    values: Annotated[tuple[Seed, ...], AfterValidator(_several)]
    """The seeds."""
    of: Annotated[tuple[str, ...], AfterValidator(_several)]
    """Keys such as `contestants.coin-flip.options.seed`."""


class SweepForm(FileForm):
    """A plan: what is replayed, and what is varied."""

    cohort: FilePath
    """The cohort file that is varied."""
    recording: FilePath
    """ForecastBench's folder, or an arena's file."""
    config: FilePath | None = None
    """The configuration of who plays; without it, that of the command."""
    grid: dict[str, Annotated[tuple[Any, ...], AfterValidator(_several)]] = Field(
        default_factory=dict
    )
    """Values of keys; every combination is an arm."""
    arms: tuple[dict[str, Any], ...] = Field(default=(), alias="list")
    """Arms, each with its own values; with a grid, each of them at every point of it."""
    seeds: SeedsForm | None = None
    """Replicates."""


@dataclass(frozen=True, slots=True)
class PlannedReplay:
    """One replay of a plan: what it changes of the cohort's file and of the configuration."""

    arm: SweepArm
    seed: int | None
    of_cohort: Changes
    of_config: Changes


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """A plan that was read; `config` is None where it names none. Paths are from its folder."""

    cohort: Path
    recording: Path
    config: Path | None
    replays: tuple[PlannedReplay, ...]


def load_plan(file: Path) -> SweepPlan:
    """Read a plan.

    Raises:
        ArenaError: Something is wrong; the message has one line for each problem.
    """
    document = read_document(file)
    form, problems = fill_in(SweepForm, document, DeclaredNames())
    if form is not None:
        problems = tuple(_problems(form, document))
    if form is None or problems:
        raise refusal("sweep.plan", problems, "examples/sweep.yaml is a plan that plays")
    folder = file.parent

    def placed(name: str) -> Path:
        return here_or_bundled(folder / name if (folder / name).exists() else Path(name))

    return SweepPlan(
        placed(form.cohort),
        placed(form.recording),
        None if form.config is None else placed(form.config),
        tuple(_replays(form, document)),
    )


def _problems(form: SweepForm, document: ConfigDocument) -> Iterator[Problem]:
    """What is wrong though each value can be read."""
    places: list[Place] = [("grid", key) for key in form.grid]
    places += [("list", n, key) for n, arm in enumerate(form.arms) for key in arm]
    seeds = form.seeds
    keys: list[tuple[Place, str]] = [(place, str(place[-1])) for place in places]
    keys += [(("seeds", "of", n), key) for n, key in enumerate(seeds.of if seeds else ())]
    for place, key in keys:
        if key == NAME and place[0] == "list":
            continue
        first, *rest = key.split(".")
        if not (_is_of_config(key) or (first in OF_COHORT and all(rest))):
            known = did_you_mean(first, OF_COHORT | OF_CONFIG)
            expected = "a key of the cohort or of the configuration, such as rules.capital"
            yield document.problem(place, expected, shown(key), known)
    arms, replicates = max(1, len(form.arms)), max(1, len(seeds.values) if seeds else 0)
    jobs = prod(map(len, form.grid.values())) * arms * replicates
    if jobs > MOST_JOBS:
        yield document.problem((), f"at most {MOST_JOBS:,} jobs", f"{jobs:,}")
        return
    names = [arm.name for arm, _ in _arms(form, document)]
    for n, name in enumerate(names):
        if name in names[:n]:
            actual = f"two arms called {shown(name)}"
            place = ("list",) if form.arms else ("grid", *list(form.grid)[:1])
            yield document.problem(place, "arms that differ", actual)
    if seeds and len(set(seeds.values)) < len(seeds.values):
        yield document.problem(("seeds", "values"), "each seed once", "one twice")


def _is_of_config(key: str) -> bool:
    """Whether a key is of the configuration; `contestants` alone is the cohort's list."""
    first, _, rest = key.partition(".")
    return first in OF_CONFIG and (bool(rest) or first not in NAMED)


def _replays(form: SweepForm, document: ConfigDocument) -> Iterator[PlannedReplay]:
    seeds: Sequence[int | None] = form.seeds.values if form.seeds else (None,)
    for (arm, values), seed in product(_arms(form, document), seeds):
        every = dict(values)
        for n, key in enumerate(form.seeds.of if form.seeds else ()):
            line = document.line(("seeds", "of", n))
            every[key] = ChangedKey(Plain(str(seed)), document.file, line)
        yield PlannedReplay(
            arm,
            seed,
            {_place(key): v for key, v in every.items() if not _is_of_config(key)},
            {_place(key): v for key, v in every.items() if _is_of_config(key)},
        )


def _place(key: str) -> Place:
    return tuple(key.split("."))


def _arms(
    form: SweepForm, document: ConfigDocument
) -> Iterator[tuple[SweepArm, Mapping[str, ChangedKey]]]:
    """Every arm with its values; it is called after those that vary, if it has no name."""
    keys = list(form.grid)
    numbers = [range(len(form.grid[key])) for key in keys]
    for n, own in enumerate(form.arms or ({},)):
        for point in product(*numbers):
            values = {
                key: ChangedKey(
                    form.grid[key][at], document.file, document.line(("grid", key, at))
                )
                for key, at in zip(keys, point, strict=True)
            }
            varied = [key for key in keys if len(form.grid[key]) > 1]
            named = [written(own[NAME])] if NAME in own else []
            for key, value in own.items():
                if key != NAME:
                    line = document.line(("list", n, key))
                    values[key] = ChangedKey(value, document.file, line)
                    varied += [] if named else [key]
            named += [f"{key}={written(values[key].value)}" for key in dict.fromkeys(varied)]
            changes = tuple((key, written(value.value)) for key, value in values.items())
            yield SweepArm(", ".join(named)[:LONGEST_NAME] or "base", changes), values


def written(value: object) -> str:
    """A value of a plan in one line.

    >>> written({"top": ["1", None]})
    '{top: [1, null]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {written(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    return "null" if value is None else str(value)
