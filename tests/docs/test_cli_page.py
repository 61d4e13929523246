import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import COMMANDS, EXITS

DOCS = Path(__file__).parents[2] / "docs"


PRINT = "import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])['pages']()))"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The files as their script makes them now, where nobody has called a command before."""
    words = [sys.executable, "-X", "utf8", "-c", PRINT, str(DOCS / "cli.py")]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=True)  # noqa: S603  our own
    files: dict[str, str] = json.loads(done.stdout)
    return files


@pytest.mark.parametrize("name", ["cli.md", "cli.txt"])
def test_the_file_is_what_the_commands_say(name: str, made: dict[str, str]) -> None:
    """If it is not, `python docs/cli.py` makes it anew."""
    assert (DOCS / name).read_text(encoding="utf-8") == made[name]


def test_the_page_and_the_whole_help_have_every_command_and_every_exit_code() -> None:
    page, whole = (DOCS.joinpath(name).read_text("utf-8") for name in ("cli.md", "cli.txt"))
    assert all(f"- `arena {name}" in page for name in COMMANDS)
    assert all(f"\n== arena {name}\n" in whole for name in COMMANDS)
    codes = [line.strip() for line in EXITS.splitlines() if line.strip()[:1].isdigit()]
    assert len(codes) == 9
    assert all(f"  {line}\n" in text for line in codes for text in (page, whole))
