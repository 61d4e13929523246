"""The audit page checks its own site in a browser, from files of that site alone."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.site.bundle.conftest import relist, served
from tests.site.bundle.test_bundle_check import FIRST, lie_about_a_forecast
from tests.site.conftest import Site, launched

FITS = "Everything fits."


@pytest.fixture(scope="module")
def browser(
    published: Path,  # noqa: ARG001
    lively: Site,  # noqa: ARG001
    attacked: Site,  # noqa: ARG001
) -> Iterator[Browser]:
    """A browser, once the sites are there: it leaves a loop running, games need their own."""
    with launched("the check in a browser") as found:
        yield found


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A page that has no script error and asks nobody but this machine."""
    context = browser.new_context()
    page, wrong, asked = context.new_page(), list[str](), list[str]()
    page.on("pageerror", lambda error: wrong.append(error.message))
    page.on("request", lambda request: asked.append(request.url))
    yield page
    context.close()
    assert wrong == []
    ours = ("http://127.0.0.1:", "file:", "data:")
    assert [url for url in asked if not url.startswith(ours)] == []


def said(tab: Page, address: str) -> list[str]:
    """What the page says after its button was pressed, line by line."""
    tab.goto(f"{address}audit.html")
    button = tab.get_by_role("button", name="Check it in this browser")
    button.click()
    tab.locator("#verify button:enabled").wait_for()
    return tab.locator("#verify p").all_text_contents()


def differing(tab: Page, out: Path) -> list[str]:
    with served(out) as (address, _):
        _, _, found = "\n".join(said(tab, address)).partition("do not fit:\n")
    return found.splitlines()


def test_a_site_verifies_itself(tab: Page, published: Path) -> None:
    manifest = json.loads((published / "site/bundle/manifest.json").read_text())
    with served(published / "site") as (address, _):
        entries, numbers, *_, last = said(tab, address)
    assert entries.startswith(f"{manifest['entry']} entries")
    assert manifest["head"] in entries
    # 2 returns; 3 profits, fees and Brier scores
    assert int(numbers.split(maxsplit=1)[0]) == 11
    assert last == FITS


@pytest.mark.parametrize("name", ["lively", "attacked"])
def test_corrections_sales_voids_and_hostile_names_fit(
    tab: Page, name: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(name)
    with served(site.out) as (address, _):
        assert said(tab, address)[-1] == FITS


def change_a_byte(out: Path) -> None:
    content = (out / FIRST).read_bytes()
    (out / FIRST).write_bytes(content[:-20] + bytes([content[-20] ^ 1]) + content[-19:])


def change_a_stored_byte(out: Path) -> None:
    unpacked = gzip.decompress((out / FIRST).read_bytes())
    (out / FIRST).write_bytes(gzip.compress(unpacked.replace(b"0.1", b"0.2", 1)))


def change_a_head(out: Path) -> None:
    heads = out / "heads.jsonl"
    heads.write_text(heads.read_text().replace('"entry": ', '"entry": 1', 1))


def change_a_number(out: Path) -> None:
    page = out / "leaderboard/returns.json"
    view = json.loads(page.read_text())
    n = [column["key"] for column in view["ranking"]["columns"]].index("realised")
    view["ranking"]["rows"][1]["cells"][n]["value"] = "275.314607"
    page.write_text(json.dumps(view))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (change_a_byte, f"{FIRST}: its bytes have another digest"),
        (change_a_stored_byte, f"{FIRST}: its bytes have another digest"),
        (change_a_head, "heads.jsonl: line 1 does not follow"),
        (change_a_number, "leaderboard/returns.json: its bytes have another digest"),
    ],
    ids=["byte", "packed again", "head", "number"],
)  # fmt: skip
def test_a_changed_file_is_named(
    tab: Page, change: Callable[[Path], None], where: str, copy: Path
) -> None:
    change(copy)
    assert differing(tab, copy)[0].startswith(where)


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        (lie_about_a_forecast, f"{FIRST}: entry 6 does not follow from the entry before"),
        (change_a_number, "leaderboard/returns.json: realised of alder is 275.314607"),
    ],
    ids=["forecast", "number"],
)  # fmt: skip
def test_a_lie_with_digests_that_fit_is_named(
    tab: Page, lie: Callable[[Path], None], words: str, copy: Path
) -> None:
    lie(copy)
    relist(copy)
    assert differing(tab, copy)[0].startswith(words)


@pytest.mark.parametrize(
    ("breaks", "last"),
    [(1, FITS), (2, "The check ended early: heads.jsonl: the server does not answer")],
)
def test_a_request_that_breaks_off_is_made_once_more(
    tab: Page, breaks: int, last: str, published: Path
) -> None:
    left = [None] * breaks

    def answer(route: Route) -> None:
        if left:
            left.pop()
            route.abort()
        else:
            route.continue_()

    tab.route("**/heads.jsonl", answer)
    with served(published / "site") as (address, _):
        assert said(tab, address)[-1] == last


def test_a_page_from_a_disk_says_that_it_needs_a_server(tab: Page, published: Path) -> None:
    (words,) = said(tab, f"{(published / 'site').as_uri()}/")
    assert "web server" in words
