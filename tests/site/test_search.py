"""Search in a long list, in a browser, from files, under the policy of every page."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from arena.site import places
from tests.site.attack import IDS
from tests.site.conftest import Site

BOX = "Search all markets"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on which nothing may go wrong."""
    wrong: list[str] = []
    made = browser.new_page(viewport={"width": 360, "height": 800})
    made.on("console", lambda message: wrong.append(message.text))
    made.on("pageerror", lambda error: wrong.append(error.message))
    made.on("dialog", lambda dialog: wrong.append(dialog.message))
    yield made
    made.close()
    assert wrong == []


def search(page: Page, site: Site, words: str) -> Locator:
    """Type words into the search box of the list of markets, and wait until all is read."""
    page.goto((site.out / places.MARKETS).as_uri())
    page.get_by_label(BOX).fill(words)
    expect(page.get_by_role("status")).to_have_text(re.compile(r"found[^,]*\.$"))
    return page.locator("[data-find] li")


def test_what_is_typed_is_found_and_led_to(page: Page, simulated: Site) -> None:
    name = simulated.store.db.value("SELECT market FROM watched ORDER BY rowid LIMIT 1")
    question = simulated.store.db.value(
        "SELECT facts ->> 'question' FROM tape_markets WHERE market = ?", name
    )
    found = search(page, simulated, question.upper())
    assert found.count() == 1
    found.locator("a").click()
    page.wait_for_url(f"**/{places.market(name)}")
    assert page.locator("h1").inner_text() == question


def test_all_words_must_be_there_in_any_order(page: Page, simulated: Site) -> None:
    several = search(page, simulated, "simulated will").count()
    assert search(page, simulated, "will simulated").count() == several > 1
    assert search(page, simulated, "simulated qqqq").count() == 0
    assert page.get_by_role("status").inner_text() == "0 found."


def test_what_is_searched_stands_alone_until_no_word_is_left(
    page: Page, simulated: Site
) -> None:
    page.goto((simulated.out / places.MARKETS).as_uri())
    table = page.locator("main table")
    assert table.is_visible()
    assert search(page, simulated, "simulated").count() > 0
    assert not table.is_visible()
    page.get_by_label(BOX).fill("")
    assert table.is_visible()
    assert page.locator("[data-find] li").count() == 0
    assert page.get_by_role("status").inner_text() == ""


def test_a_category_is_chosen(page: Page, simulated: Site) -> None:
    count = search(page, simulated, "simulated").count()
    chosen = page.get_by_label("Category", exact=True)
    named = [one for one in chosen.locator("option").all_inner_texts() if one != "Category"]
    assert len(named) > 1
    page.get_by_label(BOX).fill("")
    chosen.select_option(named[0])
    found = page.locator("[data-find] li").all_inner_texts()
    assert 0 < len(found) <= count
    assert all(named[0] in text for text in found)


def test_the_list_is_sorted_by_a_column(page: Page, simulated: Site) -> None:
    page.goto((simulated.out / places.MARKETS).as_uri())
    head = page.locator("main thead th", has_text="Category")
    head.locator("button").click()
    told = page.locator("main tbody td:nth-child(3)").all_inner_texts()
    assert told in (sorted(told), sorted(told, reverse=True))


def test_the_index_is_not_read_before_it_is_asked_for(page: Page, simulated: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((simulated.out / places.MARKETS).as_uri())
    assert not any("/s/page-" in url for url in asked)
    page.get_by_label(BOX).focus()
    page.wait_for_function("() => document.querySelector('[data-find] [role=status]')")
    page.get_by_label(BOX).fill("simulated")
    page.wait_for_selector("[data-find] li")
    assert any("/s/page-1.js" in url for url in asked)


def test_hostile_questions_stay_text(page: Page, attacked: Site) -> None:
    found = search(page, attacked, "svg")
    assert found.count() > 0
    assert page.locator("[data-find] script, [data-find] svg, [data-find] img").count() == 0
    assert IDS[0][:40].lower() in found.first.inner_text().lower()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_page_without_a_list_has_no_search(page: Page, simulated: Site) -> None:
    page.goto((simulated.out / places.METHODOLOGY).as_uri())
    assert page.get_by_label(BOX).count() == 0
