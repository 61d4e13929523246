"""Pages as a browser shows them: from a file, without a network, narrow and wide."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

from arena.site import places
from tests.build import RAIN
from tests.site.conftest import Site

CHROMIUM = Path("/usr/bin/chromium")
PATHS = (
    "index.html",
    "cohorts/index.html",
    "cohorts/c/index.html",
    "contestants/ada/index.html",
    "contestants/ben/index.html",
    "markets/index.html",
    places.market(RAIN),
    "methodology.html",
    "404.html",
)


@pytest.fixture(scope="module")
def browser(lively: Site, attacked: Site) -> Iterator[Browser]:  # noqa: ARG001
    """A browser, once the sites are there: it leaves a loop running, games need their own."""
    if not CHROMIUM.exists():
        pytest.skip(f"there is no browser at {CHROMIUM}: the pages were not looked at")
    with sync_playwright() as driver:
        try:
            found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"the browser at {CHROMIUM} does not start: {error.message[:200]}")
        yield found
        found.close()


def look(page: Page, url: str) -> list[str]:
    """Open a page and say what is wrong with it."""
    wrong: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error.message}"))
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.goto(url)
    wrong += [f"request: {a}" for a in asked if not a.startswith(("file:", "data:"))]
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        wrong.append(f"the page scrolls sideways by {wide} px")
    return wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_is_shown_without_an_error_a_request_or_a_sideways_scroll(
    browser: Browser, lively: Site, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    for path in PATHS:
        page = context.new_page()
        assert look(page, (lively.out / path).as_uri()) == [], path
        page.close()
    context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_hostile_words_run_nothing_and_break_no_page(
    browser: Browser, attacked: Site, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    for path in sorted(attacked.out.rglob("*.html")):
        page = context.new_page()
        page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
        assert look(page, path.as_uri()) == [], path
        page.close()
    context.close()


def test_dark_is_dark_and_light_is_light(browser: Browser, lively: Site) -> None:
    shades = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
        page = context.new_page()
        page.goto((lively.out / "index.html").as_uri())
        shade: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades.append(int(shade.removeprefix("rgb(").split(",")[0]))
        context.close()
    assert shades[0] > 200
    assert shades[1] < 60


def test_the_table_shows_every_contestant_without_scripts(
    browser: Browser, lively: Site
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((lively.out / "index.html").as_uri())
    assert page.locator("table.board tbody tr").count() == 2
    context.close()
