"""The site as it is served over HTTP, below a path of its own."""

import json
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.site.checkers.conftest import needs
from tests.site.checkers.test_markup import node
from tests.site.conftest import CHROMIUM, Site

FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking"


class _Quiet(SimpleHTTPRequestHandler):
    """A server that says nothing, and keeps what it was asked for."""

    asked: ClassVar[set[str]] = set()

    def log_message(self, *_: object) -> None:
        self.asked.add(self.path.partition("?")[0])


class _Server(ThreadingHTTPServer):
    """A server that a busy machine does not keep from taking many connections at once."""

    request_queue_size = 512


@pytest.fixture(scope="module")
def address(simulated: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("web")
    (root / "repository").symlink_to(simulated.out)
    with _Server(("127.0.0.1", 0), partial(_Quiet, directory=str(root))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/repository/"
        server.shutdown()
        thread.join()


def test_no_link_of_the_front_pages_is_broken_below_a_path(address: str) -> None:
    script = needs("linkinator/build/src/cli.js")
    found = subprocess.run(  # noqa: S603  # a checker that package.json names
        [node(), str(script), address, "--recurse", "--skip", "^(?!http://127)", "--format",
         "json", "--verbosity", "error", "--skip", "/(decisions|blobs|cards|data)/"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    broken = [link["url"] for link in json.loads(found.stdout)["links"]] if found.stdout else []
    assert (found.returncode, broken) == (0, []), found.stderr
    assert len(_Quiet.asked) > 100
    assert all(path.startswith("/repository/") for path in _Quiet.asked)


@pytest.mark.soak
def test_lighthouse_gives_its_best_marks(address: str, tmp_path: Path) -> None:
    """All but that of speed, which is the machine's too: budgets hold the pages."""
    report = lighthouse(address + "index.html", tmp_path / "report.json")
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
