"""What docs/python.md and its notebook print runs as it stands there."""

import json
import subprocess
import sys

from tests.cli.conftest import Played
from tests.docs.pages import ROOT, page

PAGE = page("docs/python.md")


def blocks() -> list[str]:
    return [fence.text for fence in PAGE.fenced("python")]


def cells() -> list[str]:
    notebook = json.loads((ROOT / "examples" / "arena.ipynb").read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def test_the_notebook_has_the_code_of_the_page() -> None:
    assert "\n".join(cells()).split() == "\n".join(blocks()).split()


def test_the_code_runs_beside_a_demo(demo: Played) -> None:
    code = "\n".join(blocks()).replace('"demo"', f'"{demo.folder.name}"')
    words = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(words, cwd=demo.folder.parent, capture_output=True, check=False)  # noqa: S603  our own
    assert done.stderr.decode() == ""
    printed = done.stdout.decode()
    assert "393 events show a difference of 0.02" in printed
    assert "brier_high" in printed


def test_the_page_is_short() -> None:
    assert len(PAGE.text.split()) <= 500
