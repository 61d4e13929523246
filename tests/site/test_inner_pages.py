"""The pages of a small demo on a telephone: how high they are, and how small their letters."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.cli.conftest import WEEKS, played
from tests.site.conftest import launched

TELEPHONE: Final = ViewportSize(width=360, height=780)
HIGHEST: Final = 5_000  # CSS pixels of a contestant's page
SMALL: Final = 12  # CSS pixels
MOST_SMALL: Final = 0.05  # of the letters that are seen
# A test sees everything laid out: on a screen what is far below waits.
LAID_OUT: Final = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { content-visibility: visible !important }");
  document.adoptedStyleSheets = [sheet];
}"""
SMALL_SHARE: Final = """(least) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let small = 0, all = 0;
  while (texts.nextNode()) {
    const text = texts.currentNode, said = text.textContent.trim(), own = text.parentElement;
    if (!said || !own.checkVisibility() || own.closest(".vh")) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (!range.getBoundingClientRect().height) continue;
    let size = parseFloat(getComputedStyle(own).fontSize);
    const drawing = own.closest("svg");
    if (drawing) size *= drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
    all += said.length;
    if (size < least - 0.01) small += said.length;
  }
  return small / all;
}"""
KINDS: Final = (
    "contestants/*/index.html",
    "cohorts/weekly-*/index.html",
    "cohorts/weekly-*/*/index.html",
    "markets/*/*.html",
    "compare.html",
    "compare/*--*.html",
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory, *WEEKS).folder / "site"


@pytest.fixture(scope="module")
def telephone(pages: Path) -> Iterator[Page]:  # noqa: ARG001  a browser's loop comes later
    with launched("the inner pages") as browser:
        yield browser.new_page(viewport=TELEPHONE)


def look(telephone: Page, file: Path) -> None:
    telephone.goto(file.as_uri())
    telephone.evaluate(LAID_OUT)


def test_no_contestants_page_is_higher_than_a_few_screens(telephone: Page, pages: Path) -> None:
    high: dict[str, int] = {}
    for file in sorted(pages.glob(KINDS[0])):
        look(telephone, file)
        high[file.parent.name] = telephone.evaluate("document.documentElement.scrollHeight")
    assert len(high) > 10
    assert {name: height for name, height in high.items() if height > HIGHEST} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_letters_are_large_enough_on_a_page_of_each_kind(
    telephone: Page, pages: Path, kind: str
) -> None:
    look(telephone, max(pages.glob(kind)))
    assert telephone.evaluate(SMALL_SHARE, SMALL) <= MOST_SMALL


def test_what_is_folded_is_there_without_a_script(pages: Path) -> None:
    text = (pages / "contestants/northwind-large-2/index.html").read_text(encoding="utf-8")
    assert text.count('<details class="entry"') >= 7
    assert "Best bets" in text
    assert "arena explain northwind-large-2 alpha" in text


def test_two_of_ones_own_choice_are_compared_in_place(telephone: Page, pages: Path) -> None:
    look(telephone, pages / "compare.html")
    telephone.select_option("select[aria-label='First contestant']", index=1)
    telephone.select_option("select[aria-label='Second contestant']", index=2)
    mark = telephone.locator(".verdicts tbody tr:nth-child(2) td:nth-of-type(3) a")
    verdict = mark.get_attribute("aria-label") or ""
    said = telephone.locator(".pick strong").inner_text()
    assert verdict
    assert verdict in said.lower()
    telephone.click(".pick a")
    telephone.wait_for_url("**/compare/*.html")
