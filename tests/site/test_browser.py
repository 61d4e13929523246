"""Pages as a browser shows them: from a file, without a network, narrow and wide."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize

from tests.site.conftest import Site
from tests.sizes import size

HEAD = 200  # px: the name, the moment and the sections in a line or two
WIDTHS = size((320, 1280), (320, 360, 768, 1280))
SCHEMES = ("light", "dark")


def kinds(out: Path) -> dict[str, Path]:
    """One page of each kind: those in one folder and as deep are made from one template."""
    found: dict[str, Path] = {}
    for file in sorted(out.rglob("*.html")):
        path = file.relative_to(out)
        own = path.name if path.name == "index.html" or len(path.parts) == 1 else "*"
        folder = f"{path.parts[0]}/" if len(path.parts) > 1 else ""
        listed = "page" if path.name.startswith("page-") else ""
        found.setdefault(f"{folder}{len(path.parts)}/{own}{listed}", file)
    return found


class Eyes:
    """A tab that notes what goes wrong in it."""

    def __init__(self, context: BrowserContext) -> None:
        self.wrong: list[str] = []
        self.titles: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", lambda said: self.wrong.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error.message}"))
        self.page.on("requestfailed", lambda r: self.wrong.append(f"failed: {r.url}"))
        self.page.on("dialog", lambda d: self.wrong.append(f"dialog: {d.message}"))
        self.page.on("request", lambda request: self._ask(request.url))

    def _ask(self, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            self.wrong.append(f"request: {url}")

    def look(self, file: Path, widths: tuple[int, ...], schemes: tuple[str, ...]) -> list[str]:
        """Open a page, in every width and scheme, and say what is wrong with it."""
        self.wrong.clear()
        self.page.goto(file.as_uri())
        self.titles.append(self.page.title())
        heads = self.page.locator("h1").count()
        if heads != 1:
            self.wrong.append(f"{heads} headings of the first rank")
        for width in widths:
            self.page.set_viewport_size(ViewportSize(width=width, height=800))
            wide: int = self.page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if wide > 0:
                self.wrong.append(f"at {width} px it scrolls sideways by {wide} px")
            high: int = self.page.evaluate(
                "document.querySelector('header')?.offsetHeight ?? 0"
            )
            if high > HEAD:
                self.wrong.append(f"at {width} px its head is {high} px high")
        for scheme in schemes:
            self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            ground: str = self.page.evaluate("getComputedStyle(document.body).backgroundColor")
            shade = int(ground.removeprefix("rgb(").split(",")[0])
            if (shade < 60) != (scheme == "dark"):
                self.wrong.append(f"it is {ground} in a {scheme} scheme")
        return list(self.wrong)


LIVELY = [("lively", {}), ("lively", {"java_script_enabled": False})]


@pytest.mark.parametrize(
    ("name", "context"),
    [*LIVELY, *size([], [("simulated", {})])],
    indirect=["context"],
    ids=str,
)
def test_a_page_of_each_kind_has_no_error_no_request_and_no_sideways_scroll(
    context: BrowserContext, name: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(name)
    eyes = Eyes(context)
    found = {kind: eyes.look(file, WIDTHS, SCHEMES) for kind, file in kinds(site.out).items()}
    assert {kind: wrong for kind, wrong in found.items() if wrong} == {}
    assert len(found) > 8
    assert all(eyes.titles)
    assert len(set(eyes.titles)) == len(found)


def test_hostile_words_run_nothing_and_break_no_page(
    context: BrowserContext, attacked: Site
) -> None:
    eyes = Eyes(context)
    found = {
        str(file.relative_to(attacked.out)): eyes.look(file, size((320,), (320, 1280)), ())
        for file in sorted(attacked.out.rglob("*.html"))
    }
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
