"""The front page as a reader gets it, beside what peers' pages were measured to be.

Measured in Chromium from a folder, without a network, on the site of the demo. The figures of
ForecastBench and Forecaster Arena are those of their pages in November 2026, all files local.
"""

import gzip
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, ViewportSize, sync_playwright

from arena.site import places
from benchmarks.measure import say

CHROMIUM = "/usr/bin/chromium"
AXE = Path(".venv/checkers/node_modules/axe-core/axe.min.js")
KILOBYTE = 1000
TIMES = 5
PHONE, DESK = ViewportSize(width=360, height=800), ViewportSize(width=1280, height=900)

PEERS = (
    ("ForecastBench", "153 KB", "369 KB", "0", "142,372 px", "819 and more", "3"),
    ("Forecaster Arena", "33 KB", "215 KB", "some", "5,949 px", "0 to 1", "1"),
)
HEAD = (
    "landing page", "HTML", "JS+CSS gz", "rows without JS", "height at 360 px", "axe", "hosts",
)  # fmt: skip

# What is far below is laid out when it comes near: its height is known only then.
LAID_OUT = """() => {
  for (const one of document.querySelectorAll("main *"))
    if (getComputedStyle(one).contentVisibility === "auto")
      one.style.contentVisibility = "visible";
  return document.documentElement.scrollHeight;
}"""
READY = """() => new Promise(done => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  done(paint ? paint.startTime : performance.now());
})"""
LONG = """() => {
  window.long = [];
  new PerformanceObserver(list => window.long.push(...list.getEntries()))
    .observe({type: "longtask", buffered: true});
}"""
VIOLATIONS = """async tags => (await axe.run(document, {runOnly: tags})).violations
  .reduce((sum, v) => sum + v.nodes.length, 0)"""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@dataclass(frozen=True, slots=True)
class Shown:
    """Milliseconds until something is seen, and how many tasks took longer than 50 ms."""

    visible: float
    long_tasks: int


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "demo"
        command = [sys.executable, "-m", "arena", "demo", "--out", str(out)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            _report(out / "site", browser)
            browser.close()


def _report(site: Path, browser: Browser) -> None:
    index = (site / places.INDEX).read_bytes()
    assets = [(site / path).read_bytes() for path in (places.STYLE, places.SCRIPT)]
    packed = [len(gzip.compress(file, 9)) / KILOBYTE for file in (index, *assets)]
    asked, away = _requests(site, browser)
    height, rows = _height(site, browser), _rows_without_script(site, browser)
    ours = (
        "this one", f"{len(index) / KILOBYTE:.0f} KB", f"{sum(packed[1:]):.1f} KB", str(rows),
        f"{height:,} px", _axe(site, browser), str(away),
    )  # fmt: skip
    for line in (HEAD, *PEERS, ours):
        print("  ".join(word.ljust(18) for word in line).rstrip())
    say("index.html, packed", packed[0], 30, "KB")
    say("the first view, packed", sum(packed), 45, "KB")
    say("requests for it", asked, 5, "requests")
    pages = {path.relative_to(site).parts[0]: path for path in sorted(site.rglob("*.html"))}
    for throttle, limit in ((1, 500), (4, 1000)):
        shown = {name: _shown(path, browser, throttle) for name, path in pages.items()}
        slowest = max(shown, key=lambda name: shown[name].visible)
        say(
            f"the slowest page ({slowest}) at a processor {throttle} times slower",
            shown[slowest].visible,
            limit,
            "ms until it is seen",
        )
        tasks = sum(one.long_tasks for one in shown.values())
        print(f"long tasks on {len(shown)} pages: {tasks}")
        _say_floor(site, browser, throttle)


def _say_floor(site: Path, browser: Browser, throttle: int) -> None:
    """Say what a page of one paragraph takes: bare, with our style sheet, and our scripts."""
    style = f'<link rel="stylesheet" href="{places.STYLE}">'
    scripts = (
        f'<script src="{places.THEME}"></script><script src="{places.SCRIPT}" defer></script>'
    )
    for name, head in (
        ("bare", ""),
        ("with our style sheet", style),
        ("with our scripts too", style + scripts),
    ):
        blank = site / "floor.html"
        blank.write_text(f"<!doctype html><title>Blank</title>{head}<p>One paragraph.", "utf-8")
        shown = _shown(blank, browser, throttle)
        blank.unlink()
        print(f"one paragraph, {name}: {shown.visible:.0f} ms, long tasks {shown.long_tasks}")


def _requests(site: Path, browser: Browser) -> tuple[int, int]:
    """How many files the front page asks for, and how many of them are not ours."""
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / places.INDEX).as_uri(), wait_until="load")
    page.close()
    files = [url for url in asked if not url.startswith("data:")]
    return len(files), sum(not url.startswith("file:") for url in files)


def _height(site: Path, browser: Browser) -> int:
    page = browser.new_page(viewport=PHONE)
    page.goto((site / places.INDEX).as_uri())
    found: int = page.evaluate(LAID_OUT)
    page.close()
    return found


def _rows_without_script(site: Path, browser: Browser) -> int:
    context = browser.new_context(java_script_enabled=False, viewport=DESK)
    page = context.new_page()
    page.goto((site / places.INDEX).as_uri())
    found = page.locator("table.board tbody tr").count()
    context.close()
    return found


def _axe(site: Path, browser: Browser) -> str:
    if not AXE.exists():
        return "not run"
    page = browser.new_page(viewport=DESK)
    page.goto((site / places.INDEX).as_uri())
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: int = page.evaluate(VIOLATIONS, TAGS)
    page.close()
    return str(found)


def _shown(path: Path, browser: Browser, throttle: int) -> Shown:
    visible, tasks = [], []
    for _ in range(TIMES):
        context = browser.new_context(viewport=DESK)
        page = context.new_page()
        session: CDPSession = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": throttle})
        page.add_init_script(f"({LONG})()")
        page.goto(path.as_uri(), wait_until="load")
        page.wait_for_timeout(50)
        visible.append(float(page.evaluate(READY)))
        tasks.append(int(page.evaluate("window.long.length")))
        context.close()
    return Shown(statistics.median(visible), min(tasks))
