"""The files of the package alone, in a folder that has nothing else."""

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.cli.inside import Capsys, here
from tests.cli.project import ROOT
from tests.cli.rounds import write_data
from tests.cli.shell import Done, arena
from tests.cli.test_globals import commands

NEED_NO_ARENA = frozenset(
    {"demo", "init", "config schema", "schema", "sources", "study", "submit", "tournament"}
)
READ_A_DATABASE = (
    *("leaderboard", "score", "compare", "calibration market", "shadow", "costs", "replies"),
    *("explain market brier", "export csv", "tape size", "audit", "rebuild"),
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a wheel, as pyproject.toml lists them."""
    to = tmp_path_factory.mktemp("installed")
    nothing_compiled = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "arena", to / "arena", ignore=nothing_compiled)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, target in wheel["force-include"].items():
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        copy(ROOT / source, to / target)
    return to


@pytest.fixture(scope="module")
def replayed(package: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A replay of a cohort that comes with the arena, in a folder that had only its data."""
    folder = tmp_path_factory.mktemp("empty")
    write_data(folder / "data")
    words = ("replay", "data", "--cohort", "cohorts/replay.yaml", "--out", "r", "--json")
    return folder, arena(*words, cwd=folder, PYTHONPATH=str(package))


def test_a_cohort_that_comes_with_the_arena_is_replayed(replayed: tuple[Path, Done]) -> None:
    folder, done = replayed
    assert done.code == 0, done.err
    assert done.document["leaderboard"]["standings"]
    assert (folder / "r" / "site" / "index.html").is_file()


def test_real_questions_played_by_no_model_are_no_demonstration(
    replayed: tuple[Path, Done],
) -> None:
    front = (replayed[0] / "r" / "site" / "index.html").read_text(encoding="utf-8")
    assert "invented models" not in front


@pytest.mark.parametrize("command", READ_A_DATABASE)
def test_a_database_is_read_without_a_project(
    command: str, replayed: tuple[Path, Done], package: Path
) -> None:
    words = (*command.split(), "--database", "r/arena.db")
    done = arena(*words, cwd=replayed[0], PYTHONPATH=str(package))
    assert done.code == 0, done.err


def test_what_init_writes_plays_at_once(package: Path, tmp_path: Path) -> None:
    made = arena("init", "x", cwd=tmp_path, PYTHONPATH=str(package))
    ticked = arena("tick", cwd=tmp_path / "x", PYTHONPATH=str(package))
    assert (made.code, ticked.code) == (0, 0), made.err + ticked.err
    assert (tmp_path / "x" / "site" / "index.html").is_file()


def test_the_demo_plays(package: Path, tmp_path: Path) -> None:
    done = arena("demo", "--days", "2", cwd=tmp_path, PYTHONPATH=str(package))
    assert done.code == 0, done.err


def test_what_finds_no_arena_names_the_command_that_makes_one(
    tmp_path: Path, capsys: Capsys
) -> None:
    alone = [
        name
        for name, command in commands().items()
        if name not in NEED_NO_ARENA and not any(p.required for p in command.params)
    ]
    said = {name: here(capsys, "-C", tmp_path, *name.split()) for name in alone}
    assert len(said) > 20
    assert [
        name for name, done in said.items() if "`arena init`" not in done.out + done.err
    ] == []


@pytest.mark.parametrize(
    "command",
    [
        *("replay . --cohort mine.yaml", "leaderboard --database no.db", "tick"),
        *("replay . --cohort cohorts/no.yaml", "audit --database no.db"),
    ],
)
def test_a_file_that_is_named_and_not_there_names_it_too(
    command: str, package: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.yaml").write_text("paths: {cohorts: elsewhere}\n")
    done = arena(*command.split(), cwd=tmp_path, PYTHONPATH=str(package))
    assert done.fails_clearly(2)
    assert "`arena init`" in done.err
