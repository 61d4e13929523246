"""The site as it is served over HTTP, below a path of its own."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.site.bundle.conftest import served
from tests.site.checkers.conftest import needs
from tests.site.checkers.test_markup import node, run
from tests.site.conftest import CHROMIUM, Site

FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking"


@pytest.fixture(scope="module")
def web(
    lively: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, list[str]]]:
    """The address of a site, and the paths that were asked for."""
    root = tmp_path_factory.mktemp("web")
    (root / "repository").symlink_to(lively.out)
    with served(root) as (address, heard):
        yield f"{address}repository/", heard


def test_no_link_of_the_front_pages_is_broken_below_a_path(web: tuple[str, list[str]]) -> None:
    address, heard = web
    script = needs("linkinator/build/src/cli.js")
    found = run(
        node(), script, address, "--recurse", "--skip", "^(?!http://127)", "--format",
        "json", "--verbosity", "error", "--skip", "/(decisions|blobs|cards|data)/",
    )  # fmt: skip
    broken = [link["url"] for link in json.loads(found.stdout)["links"]] if found.stdout else []
    assert (found.returncode, broken) == (0, []), found.stderr
    assert len(set(heard)) > 100
    assert all(path.startswith("/repository/") for path in heard)


@pytest.mark.soak
def test_lighthouse_gives_its_best_marks(web: tuple[str, list[str]], tmp_path: Path) -> None:
    """All but that of speed, which is the machine's too: budgets hold the pages."""
    report = lighthouse(web[0] + "index.html", tmp_path / "report.json")
    assert report["audits"]["cumulative-layout-shift"]["numericValue"] <= 0.05
    marks = {name: part["score"] for name, part in report["categories"].items()}
    assert min(marks["accessibility"], marks["best-practices"], marks["seo"]) >= 0.95


def lighthouse(address: str, out: Path) -> Any:  # noqa: ANN401  a report as JSON
    script = needs("lighthouse/cli/index.js")
    if not CHROMIUM:
        pytest.skip("no Chromium is on the PATH: the front page was not looked at")
    found = subprocess.run(  # noqa: S603  # a checker that package.json names
        [node(), str(script), address, "--quiet", "--output=json",
         f"--output-path={out}", f"--chrome-flags={FLAGS}",
         "--only-categories=performance,accessibility,best-practices,seo"],
        capture_output=True, text=True, check=False,
        env={"CHROME_PATH": CHROMIUM, "PATH": "/usr/bin:/bin", "HOME": str(out.parent)},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return json.loads(out.read_text(encoding="utf-8"))
