"""What holds for every page."""

import gzip
import re
from pathlib import Path

import pytest

from arena.metrics.figures import MINUS
from arena.site.site_checks import CSP, check_links
from arena.store import open_store
from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import Element, files, pages, write_site

KINDS = ("simulated", "lively", "empty")


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("empty")
    with open_store(None) as store:
        write_site(store, out)
    return out


@pytest.fixture(scope="module", params=KINDS)
def site(request: pytest.FixtureRequest) -> list[tuple[str, Element]]:
    found: Site | Path = request.getfixturevalue(request.param)
    return list(pages(found.out if isinstance(found, Site) else found))


@pytest.fixture(params=KINDS)
def folder(request: pytest.FixtureRequest) -> Path:
    found: Site | Path = request.getfixturevalue(request.param)
    return found.out if isinstance(found, Site) else found


def test_every_link_leads_somewhere(folder: Path) -> None:
    assert check_links(folder) == []


def test_a_page_has_one_heading_of_the_first_rank(site: list[tuple[str, Element]]) -> None:
    assert {path: len(root.all("h1")) for path, root in site if len(root.all("h1")) != 1} == {}


def test_no_two_pages_have_one_title(site: list[tuple[str, Element]]) -> None:
    titles = [root.all("title")[0].text for _, root in site]
    assert sorted(set(titles)) == sorted(titles)
    assert all(titles)


def test_an_id_stands_once_on_a_page(site: list[tuple[str, Element]]) -> None:
    for path, root in some(site):
        ids = [e.attributes["id"] for e in root.everything() if "id" in e.attributes]
        assert sorted(set(ids)) == sorted(ids), path


def test_every_page_has_the_strict_policy(site: list[tuple[str, Element]]) -> None:
    for path, root in some(site):
        policies = [
            e.attributes["content"]
            for e in root.all("meta")
            if e.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policies == [CSP], path


def test_no_page_has_a_script_a_style_or_a_handler(site: list[tuple[str, Element]]) -> None:
    for path, root in some(site):
        for element in root.everything():
            assert element.tag not in {"style", "iframe", "object"}, path
            assert element.tag != "script" or element.attributes.keys() <= {
                "src",
                "defer",
                "blocking",
            }
            bad = [a for a in element.attributes if a == "style" or a.startswith("on")]
            assert bad == [], path


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
    for path, root in some(pages(simulated.out)):
        if path.count("/") == 2 and path.startswith("markets/"):
            assert len(root.all("h1")[0].all("bdi")) == 1, path


def test_no_number_is_minus_nothing_and_none_is_not_a_number(
    site: list[tuple[str, Element]],
) -> None:
    wrong = re.compile(rf"[-{MINUS}][$]?0(\.0+)?%?(?![\d.,])|\bnan\b|\binf\b|\bNone\b|[-][$]\d")
    for path, root in some(site):
        for cell in root.all("td"):
            if not cell.all("time") and not cell.all("code") and not cell.all("a"):
                assert not wrong.search(cell.text), (path, cell.text)


def test_the_front_page_is_small(simulated: Site) -> None:
    made = files(simulated.out)
    limits = {"index.html": 30_000, "a/v1/site.css": 6_000, "a/v1/site.js": 8_000}
    assert {p: len(gzip.compress(made[p])) <= most for p, most in limits.items()} == (
        dict.fromkeys(limits, True)
    )
