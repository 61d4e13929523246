"""WCAG 2.2 AA and good practice as axe sees them, on a page of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.site.checkers.conftest import needs

CHROMIUM = Path("/usr/bin/chromium")
LOOKS = [
    (320, "light"), (320, "dark"), (360, "light"), (360, "dark"),
    (768, "light"), (768, "dark"), (1280, "light"), (1280, "dark"),
]  # fmt: skip
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async tags => {
  const found = await axe.run(document, {runOnly: tags, resultTypes: ["violations"]});
  return found.violations.map(v => `${v.id}: ${v.nodes.length} x ${v.nodes[0].html}`);
}"""


@pytest.fixture(scope="module")
def browser(sample: list[Path]) -> Iterator[Browser]:  # noqa: ARG001  sites are made before
    if not CHROMIUM.exists():
        pytest.skip(f"there is no browser at {CHROMIUM}: nothing checked")
    with sync_playwright() as driver:
        try:
            found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"the browser at {CHROMIUM} does not start: {error.message[:200]}")
        yield found
        found.close()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_no_violation(
    browser: Browser, sample: list[Path], width: int, scheme: str
) -> None:
    axe = needs("axe-core/axe.min.js").read_text(encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    wrong: list[str] = []
    for path in sample:
        page.goto(path.as_uri())
        page.evaluate(axe)
        found: list[str] = page.evaluate(RUN, TAGS)
        wrong += [f"{path.parent.name}/{path.name}: {violation}" for violation in found]
    context.close()
    assert wrong == []
