import subprocess
import sys
from pathlib import Path

from arena.cli import COMMANDS, EXITS

DOCS = Path(__file__).parents[2] / "docs"


PRINT = "import runpy, sys; sys.stdout.write(runpy.run_path(sys.argv[1])['page']())"


def made() -> str:
    """The page as its script makes it now, where nobody has called a command before."""
    words = [sys.executable, "-X", "utf8", "-c", PRINT, str(DOCS / "cli.py")]
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=True).stdout  # noqa: S603  our own


def test_the_page_is_what_the_commands_say() -> None:
    """If it is not, `python docs/cli.py` makes it anew."""
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == made()


def test_the_page_has_every_command_and_every_exit_code() -> None:
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert all(f"## `arena {name}`\n" in text for name in COMMANDS)
    codes = [line.strip() for line in EXITS.splitlines() if line.strip()[:1].isdigit()]
    assert len(codes) == 9
    assert all(f"    {line}\n" in text for line in codes)
