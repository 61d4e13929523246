"""Every command of the tutorial runs, and prints what the tutorial says."""

import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import WEEKS, Played
from tests.cli.shell import arena
from tests.docs.pages import page
from tests.present import present, some

PAGE = page("docs/tutorial.md")
HERE_DOCUMENT = re.compile(
    r"^(cat > .*?)(?: <<'END')\n(?P<text>.*?)^END$", re.DOTALL | re.MULTILINE
)
STEPS = [title for title in PAGE.titles(2).values() if title[0].isdigit()]


def script(section: str) -> str:
    """The commands of a section."""
    return "\n".join(f.text for f in PAGE.fenced("sh") if f.text in PAGE.section(section))


@pytest.fixture(scope="module")
def printed(ranked: Played, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each step prints, played one after the other in one folder.

    The season is the one that the session plays once with the page's own command.
    """
    home = tmp_path_factory.mktemp("tutorial")
    shutil.copytree(ranked.folder, home / "demo")
    return {step: played(script(step), home) for step in STEPS}


def played(commands: str, folder: Path) -> str:
    said = []
    for line in HERE_DOCUMENT.sub(r"\1", commands).splitlines():
        program, *words = shlex.split(line)
        if program == "cat":
            (folder / words[-1]).write_text(present(HERE_DOCUMENT.search(commands))["text"])
        elif program == "cd":
            folder /= words[0]
        elif words != ["demo", *WEEKS, "--out", "demo"]:
            assert program == "arena"
            done = arena(*words, cwd=folder, TZ="UTC")
            assert done.code == 0, done.err
            said.append(done.out + done.err)
    return "".join(said)


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
