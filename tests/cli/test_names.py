"""What a shell is offered where a name is wanted."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Played
from tests.cli.project import Project
from tests.cli.shell import ARENA, environment


def offered(line: str, cwd: Path) -> tuple[list[str], str]:
    """Complete the last word of a line; what is offered, and what is said besides."""
    words = f"arena {line}"
    variables = {
        "_ARENA_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-X", "importtime", *ARENA[1:]],
        cwd=cwd,
        env=environment(variables),
        capture_output=True,
        text=True,
        check=True,
    )
    return [one.removeprefix("plain,") for one in done.stdout.split()], done.stderr


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("leaderboard --cohort c", ["c"]),
        ("leaderboard --cohort x", []),
        ("explain al", ["always-no"]),
        ("prompt show --cohort c --agent m", ["market"]),
        ("explain market worst", ["worst_day"]),
        ("compare --metric br", ["brier", "brier_sum"]),
    ],
)
def test_names_are_offered_without_numpy(line: str, names: list[str], ticked: Project) -> None:
    found, imported = offered(line, ticked.folder)
    assert (found, " numpy\n" in imported) == (names, False)


def test_names_of_another_arena_are_its_own(demo: Played, tmp_path: Path) -> None:
    found, _ = offered(f"compare --database {demo.database} northwind-large-2", tmp_path)
    assert found == ["northwind-large-2"]


@pytest.mark.parametrize("line", ["leaderboard --cohort d", "explain a"])
def test_where_there_is_no_arena_nothing_is_offered_or_said(line: str, tmp_path: Path) -> None:
    found, said = offered(line, tmp_path)
    assert found == []
    assert all(one.startswith("import time:") for one in said.splitlines())
    assert list(tmp_path.iterdir()) == []
