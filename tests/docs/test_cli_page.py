from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from arena.cli import COMMANDS, EXITS

DOCS = Path(__file__).parents[2] / "docs"


def made() -> str:
    """The page as its script makes it now."""
    spec = spec_from_file_location("docs_cli", DOCS / "cli.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: str = module.page()
    return found


def test_the_page_is_what_the_commands_say() -> None:
    """If it is not, `python docs/cli.py` makes it anew."""
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == made()


def test_the_page_has_every_command_and_every_exit_code() -> None:
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert all(f"## `arena {name}`\n" in text for name in COMMANDS)
    codes = [line.strip() for line in EXITS.splitlines() if line.strip()[:1].isdigit()]
    assert len(codes) == 8
    assert all(f"    {line}\n" in text for line in codes)
