import subprocess
import sys
from pathlib import Path

from arena.cli import COMMANDS, EXITS

DOCS = Path(__file__).parents[2] / "docs"


def test_the_file_is_what_the_commands_say() -> None:
    """If it is not, `python docs/cli.py` makes it anew."""
    script = "import runpy, sys; print(runpy.run_path(sys.argv[1])['page'](), end='')"
    words = [sys.executable, "-X", "utf8", "-c", script, str(DOCS / "cli.py")]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=True)  # noqa: S603  our own
    assert (DOCS / "cli.txt").read_text(encoding="utf-8") == done.stdout


def test_the_help_has_every_command_and_the_page_every_exit_code() -> None:
    page, whole = (DOCS.joinpath(name).read_text("utf-8") for name in ("cli.md", "cli.txt"))
    assert all(f"\n== arena {name}\n" in whole for name in COMMANDS)
    codes = [line.strip() for line in EXITS.splitlines() if line.strip()[:1].isdigit()]
    assert len(codes) == 9
    assert all(f"  {line}\n" in text for line in codes for text in (page, whole))
