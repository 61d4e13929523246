"""WCAG 2.2 AA and good practice as axe sees them, on a page of each kind."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.site.checkers.conftest import needs
from tests.sizes import size

WIDTHS = (320, 360, 768, 1280)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]  # what light and dark can change
# How pages are looked at: a width, a scheme, and rules. What the gate sees of one arena alone,
# narrow and light or wide and dark, it sees of the other arena the other way.
Look = tuple[int, str, str, list[str]]
BUSY: list[Look] = size(
    [(320, "light", "tag", TAGS)],
    [
        (w, *rules)
        for w in WIDTHS
        for rules in (("light", "tag", TAGS), ("dark", "rule", COLOURS))
    ],
)
EVENTFUL: list[Look] = size(
    [(1280, "dark", "tag", TAGS)], [(1280, "light", "tag", TAGS), (360, "dark", "tag", TAGS)]
)
RUN = """async ([type, values]) => {
  const found = await axe.run(document, {runOnly: {type, values}, resultTypes: ["violations"]});
  if (!found.testEngine) throw new Error("axe did not run");
  return found.violations.map(v => `${v.id}: ${v.nodes.length} x ${v.nodes[0].html}`);
}"""


def opened(context: BrowserContext, paths: Iterable[Path]) -> Iterator[tuple[Path, Page]]:
    """Each page in turn, with axe in it."""
    axe = needs("axe-core/axe.min.js").read_text(encoding="utf-8")
    tab = context.new_page()
    for path in paths:
        tab.goto(path.as_uri())
        tab.evaluate(axe)
        yield path, tab


def looked_at(tab: Page, width: int, scheme: str, kind: str, rules: list[str]) -> list[str]:
    tab.set_viewport_size({"width": width, "height": 800})
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    found: list[str] = tab.evaluate(RUN, [kind, rules])
    return [f"{width} {scheme}: {violation}" for violation in found]


@pytest.mark.parametrize(("pages", "looks"), [("busy", BUSY), ("eventful", EVENTFUL)])
def test_axe_finds_no_violation(
    context: BrowserContext, pages: str, looks: list[Look], request: pytest.FixtureRequest
) -> None:
    wrong: dict[str, list[str]] = {}
    for path, tab in opened(context, request.getfixturevalue(pages)):
        if found := [violation for look in looks for violation in looked_at(tab, *look)]:
            wrong[path.name] = found
    assert wrong == {}


def test_axe_finds_what_is_wrong(context: BrowserContext, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("<title>x</title><p style='color:#999;background:#aaa'>Pale<img src=x>")
    for _, tab in opened(context, [bad]):
        found = looked_at(tab, 360, "light", "tag", TAGS)
    assert {v.split(": ")[1] for v in found} >= {"color-contrast", "image-alt", "html-has-lang"}
