"""Every command of the tutorial runs, and prints what the tutorial says."""

import os
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import WEEKS, Played
from tests.docs.pages import ROOT, page
from tests.once import copied
from tests.present import some

PAGE = page("docs/tutorial.md")
STEPS = [title for title in PAGE.titles(2).values() if title[0].isdigit()]


def script(section: str) -> str:
    """The commands of a section."""
    return "\n".join(f.text for f in PAGE.fenced("sh") if f.text in PAGE.section(section))


@pytest.fixture(scope="module")
def printed(ranked: Played, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each step prints, played one after the other in one folder.

    The season is the one that the session plays once, by the page's own command.
    """
    home = tmp_path_factory.mktemp("tutorial")
    copied(ranked.folder, home / "demo")
    return {step: played(script(step), home) for step in STEPS}


def played(commands: str, home: Path) -> str:
    season = " ".join(("demo", *WEEKS, "--out", "demo"))
    program = f"{shlex.quote(sys.executable)} -m arena"
    arena = f'arena() {{ [ "$*" = "{season}" ] || {program} "$@"; }}'
    command = f"{arena}\nset -e\n{commands}"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    done = subprocess.run(  # noqa: S603  the page is ours
        ["bash", "-c", command],  # noqa: S607  a shell, as the reader has one
        cwd=home,
        env={**plain, "PYTHONPATH": str(ROOT), "TZ": "UTC"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("step", STEPS)
def test_a_step_runs_and_prints_what_the_page_says(step: str, printed: dict[str, str]) -> None:
    told = [
        line
        for f in PAGE.fenced("text")
        if f.text in PAGE.section(step)
        for line in f.text.splitlines()
    ]
    assert [line for line in some(told) if line not in printed[step]] == []


def test_every_output_stands_below_its_commands() -> None:
    fences = [f.language for f in PAGE.fences]
    assert all(before == "sh" for before, after in pairwise(fences) if after == "text")


def test_the_steps_are_numbered() -> None:
    assert [int(step.split(".")[0]) for step in STEPS] == list(range(1, len(STEPS) + 1))
