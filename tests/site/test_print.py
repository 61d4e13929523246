"""Pages on paper, and pages from the keyboard."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.site.conftest import Site
from tests.site.test_browser import kinds
from tests.sizes import size

# Chromium lays a printed page out at four thirds of the paper's width, and where that is too
# little shrinks what it printed, to half its size and no further.
PAPER = 717  # CSS pixels between the margins of A4
LAID_OUT, MOST = PAPER * 4 // 3, PAPER * 2
RIGHT = """() => Math.max(document.documentElement.scrollWidth,
  ...[...document.querySelectorAll("table, pre, figure")].map(
    (one) => one.getBoundingClientRect().right))"""
CLIPPED = """() => [...document.querySelectorAll(".scroll")].filter(
  (one) => getComputedStyle(one).overflowX !== "visible").length"""
READABLE = """() => [...document.querySelectorAll(".entry > summary + *")].filter(
  (one) => one.checkVisibility()).length"""
RING = """() => {
  const one = document.activeElement, worn = getComputedStyle(one);
  if (one === document.body) return "";
  const label = one.matches(".views input") && getComputedStyle(one.closest("label"));
  const ring = label || worn;
  const seen = ring.outlineStyle !== "none" && parseFloat(ring.outlineWidth) >= 2;
  return seen ? "seen" : one.outerHTML.slice(0, 120);
}"""
STEPS = size(4, 40)


@pytest.mark.parametrize("name", size(["lively"], ["simulated", "lively"]))
def test_a_table_on_paper_is_not_cut_off(
    context: BrowserContext, name: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(name)
    page = context.new_page()
    page.set_viewport_size({"width": LAID_OUT, "height": 1000})
    page.emulate_media(media="print")
    found = {}
    for kind, file in kinds(site.out).items():
        page.goto(file.as_uri())
        found[kind] = (page.evaluate(RIGHT) <= MOST, page.evaluate(CLIPPED))
    assert found == dict.fromkeys(found, (True, 0))


def test_methods_are_printed_in_full(context: BrowserContext, simulated: Site) -> None:
    page = context.new_page()
    page.goto((simulated.out / "methodology.html").as_uri())
    assert page.evaluate(READABLE) == 0
    page.emulate_media(media="print")
    assert page.evaluate(READABLE) == page.locator("details.entry").count()


def test_the_front_page_can_be_printed(context: BrowserContext, simulated: Site) -> None:
    page = context.new_page()
    page.goto((simulated.out / "index.html").as_uri())
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_what_the_keyboard_is_on_can_be_seen(context: BrowserContext, simulated: Site) -> None:
    page = context.new_page()
    unseen: dict[str, list[str]] = {}
    steps = 0
    for kind, file in kinds(simulated.out).items():
        page.goto(file.as_uri())
        for _ in range(STEPS):
            page.keyboard.press("Tab")
            found = page.evaluate(RING)
            if not found:
                break
            steps += 1
            if found != "seen":
                unseen.setdefault(kind, []).append(found)
    assert unseen == {}
    assert steps > size(42, 300)


def test_a_page_is_entered_by_skipping_what_all_pages_have(
    context: BrowserContext, simulated: Site
) -> None:
    page = context.new_page()
    page.goto(Path(simulated.out / "index.html").as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_url("**/index.html#content")
