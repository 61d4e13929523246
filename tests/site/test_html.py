"""What holds for every page, beside what `arena check` finds."""

import re

import pytest

from arena.metrics.figures import MINUS
from arena.site import places
from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import Element, page, pages, parse
from tests.site.truth.twins import said_by

KINDS = ("simulated", "lively", "empty")
FRONTS = (places.INDEX, places.MARKETS, places.CONTESTANTS, places.COHORTS)


@pytest.fixture(scope="module", params=KINDS)
def site(request: pytest.FixtureRequest) -> list[tuple[str, Element]]:
    found: Site = request.getfixturevalue(request.param)
    return list(pages(found.out))


def test_nothing_is_loaded_but_what_is_the_arenas_own(site: list[tuple[str, Element]]) -> None:
    for path, root in some(site):
        sheets = [e for e in root.all("link") if e.attributes["rel"] == "stylesheet"]
        up = "../" * path.count("/")
        front = path == "index.html" or path.startswith(("leaderboard/", "windows/"))
        named = ["site", "front"] if front else ["site"]
        own = [e.attributes["href"] for e in sheets]
        assert own == [f"{up}a/v1/{name}.css" for name in named], path
        loaded = [e.attributes["src"] for e in root.everything() if "src" in e.attributes]
        assert all(src.startswith(f"{up}a/") for src in loaded), path


def test_every_page_can_be_read_by_everybody(site: list[tuple[str, Element]]) -> None:
    for path, root in some(site):
        assert root.all("html")[0].attributes["lang"] == "en", path
        if path.startswith("cards/"):
            continue  # they stand within pages of others
        names = {e.attributes.get("name") for e in root.all("meta")}
        assert {"viewport", "color-scheme"} <= names, path
        skip = root.all("body")[0].all("a")[0].attributes["href"]
        assert skip == "#" + root.all("main")[0].attributes["id"], path
        assert len(root.all("nav")) >= 1, path


def test_every_table_scrolls_in_a_named_region(site: list[tuple[str, Element]]) -> None:
    for path, root in some(site):
        regions = [e for e in root.all("div") if e.attributes.get("role") == "region"]
        assert all(e.attributes["aria-label"] and "tabindex" in e.attributes for e in regions)
        assert len([t for e in regions for t in e.all("table")]) == len(root.all("table")), path


def test_every_heading_of_a_table_has_a_scope(site: list[tuple[str, Element]]) -> None:
    for path, root in some(site):
        assert all("scope" in e.attributes for e in root.all("th")), path


def test_words_of_the_market_stand_apart(simulated: Site) -> None:
    for file in some(simulated.out.glob("markets/*/*.html")):
        root = parse(file.read_text(encoding="utf-8"))
        assert len(root.all("h1")[0].all("bdi")) == 1, file


def test_no_number_is_minus_nothing_and_none_is_not_a_number(
    site: list[tuple[str, Element]],
) -> None:
    wrong = re.compile(rf"[-{MINUS}][$]?0(\.0+)?%?(?![\d.,])|\bnan\b|\binf\b|\bNone\b|[-][$]\d")
    for path, root in some(site):
        for cell in root.all("td"):
            if not cell.all("time") and not cell.all("code") and not cell.all("a"):
                assert not wrong.search(cell.text), (path, cell.text)


@pytest.mark.parametrize("path", FRONTS)
def test_a_page_of_an_arena_without_games_says_what_to_do(path: str, empty: Site) -> None:
    assert "arena tick" in page(empty.out, path).text


def test_so_does_the_first_page_which_has_no_table(empty: Site) -> None:
    root = page(empty.out, places.INDEX)
    assert ("arena demo" in root.text, root.all("table")) == (True, [])
    assert said_by(empty.out / places.INDEX)["ranking"]["rows"] == []
