import json
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import feedparser
import pytest

from arena.records.settings import Edition, SiteSettings
from arena.site import Document
from arena.site.engine.build import publish
from arena.site.overview.records import Overview
from arena.site.pages.leaderboard.headline import headline
from arena.site.pages.parts import Link, Moment
from arena.site.pages.project import feeds
from arena.site.pages.project.changes import Item
from arena.site.pages.project.feeds import atom, json_feed
from arena.store import Store
from tests.site.conftest import Site
from tests.site.folders import LATER, TEMPLATES, page
from tests.site.fronts import reading_of

BASE = "https://arena.example.org/"
HOSTILE = '<script>alert(1)</script> & "]]>'


def fed(store: Store) -> dict[str, str]:
    """The feeds of a site that has an address, with what stands beside them."""
    edition = Edition(site=SiteSettings(base_url=BASE))
    made = feeds.pages(reading_of(store, Overview(), edition))
    return {one.path: one.text for one in made if isinstance(one, Document)}


def item(number: int, words: str = "rain") -> Item:
    at = Moment(f"2026-01-0{number} 00:00 UTC", f"2026-01-0{number}T00:00:00Z")
    return Item(
        f"resolve:{words}:{number}",
        at,
        "outcome",
        "Resolved: YES",
        Link(words, "m.html"),
        words,
    )


@pytest.mark.parametrize("name", ["simulated", "lively", "attacked"])
def test_a_reader_of_feeds_finds_no_fault(name: str, request: pytest.FixtureRequest) -> None:
    site: Site = request.getfixturevalue(name)
    found = feedparser.parse(fed(site.store)["feed.xml"])
    assert not found.bozo
    assert found.version == "atom10"
    ids = [entry.id for entry in found.entries]
    assert ids
    assert len(set(ids)) == len(ids)
    assert all(datetime.fromisoformat(entry.updated) for entry in found.entries)
    assert all(len(entry.links) == 1 for entry in found.entries)
    assert all(entry.link.startswith(BASE) for entry in found.entries)


def test_words_from_outside_stay_words() -> None:
    text = atom([item(1, HOSTILE)], HOSTILE, BASE, HOSTILE)
    assert not feedparser.parse(text).bozo
    root = ET.fromstring(text)  # noqa: S314  # our own
    names = {element.tag.partition("}")[2] for element in root.iter()}
    assert "script" not in names
    assert root.findtext(".//{*}summary") == HOSTILE


def test_a_feed_of_nothing_is_a_feed() -> None:
    found = feedparser.parse(atom([], "Paper Arena", BASE, ""))
    assert not found.bozo
    assert found.entries == []
    assert json.loads(json_feed([], "Paper Arena", BASE, ""))["items"] == []


def test_with_an_address_the_feed_says_where_it_stands() -> None:
    found = feedparser.parse(atom([item(1)], "Paper Arena", BASE, ""))
    assert [link.href for link in found.feed.links if link.rel == "self"] == [BASE + "feed.xml"]
    assert json.loads(json_feed([item(1)], "Paper Arena", BASE, ""))["home_page_url"] == BASE


def test_both_feeds_tell_the_same(simulated: Site) -> None:
    made = fed(simulated.store)
    one, other = feedparser.parse(made["feed.xml"]), json.loads(made["feed.json"])
    assert other["version"] == "https://jsonfeed.org/version/1.1"
    assert [entry.id for entry in one.entries] == [entry["id"] for entry in other["items"]]
    assert [e.title for e in one.entries] == [entry["title"] for entry in other["items"]]
    first = headline(reading_of(simulated.store, Overview())).whole
    assert (other.get("description", ""), one.feed.get("subtitle", "")) == (first, first)


def test_without_an_address_there_is_no_feed_and_no_link_to_one(simulated: Site) -> None:
    assert not list(simulated.out.glob("feed.*"))
    pages = [file.read_text(encoding="utf-8") for file in simulated.out.glob("*.html")]
    assert len(pages) > 5
    assert not any("feed.xml" in text for text in pages)


def test_every_page_that_machines_are_told_of_is_there(simulated: Site) -> None:
    words = (simulated.out / "llms.txt").read_text(encoding="utf-8")
    told = [part.partition(")")[0] for part in words.split("](")[1:]]
    assert "index.json" in told
    assert [path for path in told if not (simulated.out / path).is_file()] == []


def test_with_an_address_the_site_map_has_every_lasting_page(
    lively: Site, tmp_path: Path
) -> None:
    publish(
        lively.store, tmp_path, TEMPLATES, Edition(site=SiteSettings(base_url=BASE)), at=LATER
    )
    root = ET.fromstring((tmp_path / "sitemap.xml").read_bytes())  # noqa: S314  # our own
    told = [found.text or "" for found in root.findall(".//{*}loc")]
    paths = [address.removeprefix(BASE) or "index.html" for address in told]
    assert 5 < len(told) == len(set(told)) <= 50_000
    assert [path for path in paths if not (tmp_path / path).is_file()] == []
    assert f"Sitemap: {BASE}sitemap.xml\n" in (tmp_path / "robots.txt").read_text()
    front = page(tmp_path, "index.html")
    links = [e for e in front.all("link") if e.attributes["rel"] == "canonical"]
    assert [e.attributes["href"] for e in links] == [BASE + "index.html"]


def test_without_an_address_there_is_no_site_map(simulated: Site) -> None:
    assert not (simulated.out / "sitemap.xml").exists()
    assert "Sitemap" not in (simulated.out / "robots.txt").read_text(encoding="utf-8")
