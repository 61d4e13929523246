"""What a browser adds to the front page, driven as a reader would."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.site.conftest import Site
from tests.site.folders import LATER, START
from tests.site.fronts import Front, claimed, page_of, write_front

ROWS = "table.board tbody:not(.refs) tr"
SHOWN = f"{ROWS}:visible"
SCRIPTLESS = {"java_script_enabled": False}
ORDER = ["Alder the First", "birch", "cedar", "Market price", "damson"]


@pytest.fixture(scope="module")
def front(simulated: Site, tmp_path_factory: pytest.TempPathFactory) -> Front:
    return write_front(tmp_path_factory.mktemp("front"), page_of(simulated.store, claimed()))


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[BrowserContext]:
    """For tests that keep nothing in the browser."""
    made = browser.new_context()
    yield made
    made.close()


@pytest.fixture
def page(shared: BrowserContext, front: Front) -> Iterator[Page]:
    tab = visit(shared, front)
    yield tab
    tab.close()


def visit(context: BrowserContext, front: Front, hash_: str = "") -> Page:
    tab = context.new_page()
    tab.goto((front.out / "index.html").as_uri() + hash_)
    return tab


def names(page: Page) -> list[str]:
    return page.locator(f"{SHOWN} th a").all_inner_texts()


def head(page: Page, key: str) -> Locator:
    return page.locator(f'th[data-k="{key}"]')


def test_a_column_is_sorted_from_the_keyboard_and_back(page: Page) -> None:
    button = head(page, "alpha").get_by_role("button")
    assert names(page) == ORDER
    button.focus()
    page.keyboard.press("Enter")
    expect(head(page, "alpha")).to_have_attribute("aria-sort", "descending")
    assert names(page) == ORDER
    page.keyboard.press("Space")
    expect(head(page, "alpha")).to_have_attribute("aria-sort", "ascending")
    assert names(page) == [*reversed(ORDER)]
    page.keyboard.press("Enter")
    expect(head(page, "alpha")).not_to_have_attribute("aria-sort", re.compile(""))
    assert names(page) == ORDER


def test_sorting_never_writes_a_rank_anew(page: Page) -> None:
    cells = page.locator(f"{ROWS} td.rank")
    ranks = dict(zip(names(page), cells.all_inner_texts(), strict=True))
    head(page, "alpha").get_by_role("button").click()
    head(page, "alpha").get_by_role("button").click()
    assert dict(zip(names(page), cells.all_inner_texts(), strict=True)) == ranks
    assert list(ranks.values()) == [f"{n}\u20134" for n in (1, 1, 2, 2, 2)]


def test_the_better_end_of_a_column_comes_first(page: Page) -> None:
    head(page, "cost_per_forecast").get_by_role("button").click()
    expect(head(page, "cost_per_forecast")).to_have_attribute("aria-sort", "ascending")


def test_names_are_sorted_from_a_to_z(page: Page) -> None:
    page.get_by_role("button", name="Sort by Contestant").click()
    assert names(page) == sorted(ORDER, key=str.lower)


def test_a_filter_says_how_many_it_shows(page: Page) -> None:
    page.get_by_role("searchbox").fill("ar")
    assert names(page) == ["cedar", "Market price"]
    expect(page.locator(".bar [role=status]")).to_have_text("2 of 5 shown")
    page.get_by_role("searchbox").fill("")
    assert names(page) == ORDER
    expect(page.locator(".bar [role=status]")).to_have_text("")


def test_a_provider_is_chosen_and_the_market_stays(page: Page) -> None:
    page.get_by_label("Provider").select_option("Greenwood")
    assert names(page) == ["Alder the First", "Market price"]
    page.wait_for_url("**#p=Greenwood")
    page.get_by_label("Provider").select_option("")
    assert names(page) == ORDER


def test_baselines_are_folded_away_until_they_are_asked_for(page: Page) -> None:
    baselines = page.locator("tbody.refs tr")
    expect(baselines.first).to_be_hidden()
    page.get_by_label("Baselines").check()
    expect(baselines.first).to_be_visible()
    assert names(page) == ORDER
    page.wait_for_url("**#base=1")


def test_a_view_has_an_address_that_a_new_tab_restores(
    page: Page, context: BrowserContext, front: Front
) -> None:
    page.get_by_role("searchbox").fill("r")
    page.get_by_label("Provider").select_option("Riverside")
    page.get_by_label("Baselines").check()
    head(page, "events").get_by_role("button").click()
    page.locator(f"{SHOWN} td.rank a").first.click()
    page.wait_for_url("**#*hl=*")
    found = page.url.partition("#")[2]
    assert {part.split("=")[0] for part in found.split("&")} == {"q", "p", "sort", "base", "hl"}
    other = visit(context, front, f"#{found}")
    assert names(other) == names(page)
    expect(other.get_by_label("Baselines")).to_be_checked()
    expect(other.get_by_label("Provider")).to_have_value("Riverside")
    expect(other.get_by_role("searchbox")).to_have_value("r")
    expect(head(other, "events")).to_have_attribute("aria-sort", "descending")
    assert other.locator("tr.hl").count() == 1


def test_an_address_that_changes_is_followed(page: Page) -> None:
    page.evaluate("location.hash = '#q=birch'")
    expect(page.locator(SHOWN)).to_have_count(1)
    page.evaluate("location.hash = '#base=1&hl=cedar'")
    expect(page.locator(SHOWN)).to_have_count(5)
    expect(page.get_by_label("Baselines")).to_be_checked()
    expect(page.locator("tr.hl th a")).to_have_text("cedar")


def test_an_address_of_nonsense_changes_nothing(context: BrowserContext, front: Front) -> None:
    page = visit(context, front, "#p=%3Cb%3E&sort=nothing&hl=%22%5D&base=7")
    assert names(page) == ORDER
    expect(page.get_by_label("Baselines")).not_to_be_checked()


def test_an_anchor_of_the_page_stays_one(context: BrowserContext, front: Front) -> None:
    page = visit(context, front, "#sure")
    assert page.url.endswith("#sure")
    assert page.evaluate("document.getElementById('sure').getBoundingClientRect().top") < 800


def test_a_theme_is_kept_for_the_next_page(context: BrowserContext, front: Front) -> None:
    page = visit(context, front)
    button = page.get_by_role("button", name="Theme")
    expect(button).to_have_text("Theme: auto")
    button.click()
    expect(button).to_have_text("Theme: light")
    button.click()
    expect(button).to_have_text("Theme: dark")
    other = visit(context, front)
    expect(other.get_by_role("button", name="Theme")).to_have_text("Theme: dark")
    ground = other.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(20, 23, 26)"
    other.get_by_role("button", name="Theme").click()
    assert other.locator("html").get_attribute("data-theme") is None


def test_a_chosen_theme_is_worn_before_the_rest_is_read(
    context: BrowserContext, front: Front
) -> None:
    page = visit(context, front)
    for _ in ("light", "dark"):
        page.get_by_role("button", name="Theme").click()
    context.route("**/site.js", lambda route: route.abort())
    expect(visit(context, front).locator("html")).to_have_attribute("data-theme", "dark")


def test_a_long_list_shows_its_first_lines_and_the_rest_when_asked(
    context: BrowserContext, simulated: Site
) -> None:
    tab = context.new_page()
    tab.goto((simulated.out / "contestants/alder/index.html").as_uri())
    rows = tab.get_by_role("region", name="Decisions").locator("tbody tr")
    every = rows.count()
    assert every > 10
    shown = tab.get_by_role("region", name="Decisions").locator("tbody tr:visible")
    expect(shown).to_have_count(8)
    tab.emulate_media(media="print")
    expect(shown).to_have_count(every)
    tab.emulate_media(media="screen")
    tab.get_by_role("region", name="Decisions").locator("+ .all > summary").click()
    expect(shown).to_have_count(every)


def test_the_open_section_is_in_view_on_a_phone(
    context: BrowserContext, simulated: Site
) -> None:
    tab = context.new_page()
    tab.set_viewport_size({"width": 320, "height": 640})
    tab.goto((simulated.out / "methodology.html").as_uri())
    expect(tab.locator("header [aria-current]")).to_be_in_viewport(ratio=1)
    assert tab.locator("header").bounding_box()["height"] < 100  # type: ignore[index]


def test_old_data_and_only_those_are_said_to_be_old(
    context: BrowserContext, front: Front
) -> None:
    context.clock.set_fixed_time(LATER)
    expect(visit(context, front).locator(".stale")).to_contain_text("days old")
    context.clock.set_fixed_time(START + timedelta(days=7))
    page = visit(context, front)
    expect(page.get_by_role("button", name="Theme")).to_be_visible()
    assert page.locator(".stale").count() == 0


@pytest.mark.parametrize("context", [SCRIPTLESS], indirect=True, ids=str)
def test_without_scripts_everything_is_there_and_baselines_are_shown_when_asked(
    context: BrowserContext, front: Front
) -> None:
    page = visit(context, front)
    assert names(page) == ORDER
    assert page.locator("button, select").count() == 0
    page.get_by_label("Baselines").check()
    expect(page.locator("tbody.refs tr").first).to_be_visible()
    page.get_by_text("How sure is this?").click()
    expect(page.get_by_text("arena explain alder alpha")).to_be_visible()
    page.goto((front.out / "index.html").as_uri() + "#hl=cedar")
    assert page.locator("tr:target th a").inner_text() == "cedar"


def test_a_chart_is_read_out_with_arrow_keys(page: Page) -> None:
    figure = page.locator("#equity")
    drawn = figure.locator("svg[tabindex]:visible, [tabindex='0']:visible").first
    drawn.focus()
    page.keyboard.press("End")
    last = figure.locator("output").inner_text()
    page.keyboard.press("Home")
    first = figure.locator("output").inner_text()
    assert first
    assert first != last


def test_on_paper_a_page_is_light_and_has_no_controls(page: Page) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(253, 253, 251)"
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.locator(f"{ROWS} th a").first).to_be_visible()


@pytest.mark.parametrize("context", [{}, SCRIPTLESS], indirect=True, ids=str)
def test_a_link_to_a_number_opens_its_entry(context: BrowserContext, simulated: Site) -> None:
    tab = context.new_page()
    tab.goto((simulated.out / "methodology.html").as_uri() + "#alpha")
    expect(tab.locator("details.entry[open]")).to_have_count(1)
    expect(tab.locator("#alpha")).to_be_in_viewport()
    expect(tab.locator("details.entry[open] > summary")).to_be_in_viewport()
