"""A site of invented models says so wherever anything of it is read, copied or shared."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.records.settings import DEMONSTRATION, Edition, SiteSettings
from arena.site import places
from arena.site.engine.build import publish
from arena.store import open_store
from arena.store.pages.showcase import Showcase
from tests.present import some
from tests.site.conftest import CAST, Site
from tests.site.folders import LATER, TEMPLATES, page, play_days

SITE = SiteSettings(title="Trees", base_url="https://trees.example.org/", demonstration=True)
NAME = "Trees (demonstration)"


@pytest.fixture(scope="module")
def shown(lively: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demonstration")
    publish(lively.store, out, TEMPLATES, Edition(CAST.cast, SITE), at=LATER)
    return out


def of_kind(out: Path, kind: str) -> Iterator[tuple[Path, str]]:
    """Every page of a site as text, but for what is no page."""
    for file in sorted(out.rglob(f"*.{kind}")):
        if file.relative_to(out).parts[0] not in {"a", "data", "blobs"}:
            yield file, file.read_text(encoding="utf-8")


def test_every_page_has_the_strip_and_is_called_and_described_so(shown: Path) -> None:
    found = some(of_kind(shown, "html"))
    for file, text in found:
        assert f'<p class="demonstration" role="note">{DEMONSTRATION}</p>' in text, file
        assert f"· {NAME}</title>" in text, file
        if file.parent.name != "cards":
            assert f'<meta name="description" content="{DEMONSTRATION}' in text, file
            assert f'<meta property="og:description" content="{DEMONSTRATION}' in text, file
            assert re.search(
                r'<meta property="og:title" content="[^"]+ \(demonstration\)">', text
            )
    assert len(found) > 20


def test_the_json_of_every_page_says_it(shown: Path) -> None:
    heads = [
        document["head"]
        for _, text in of_kind(shown, "json")
        if isinstance((document := json.loads(text)).get("head"), dict)
    ]
    assert len(heads) > 20
    assert {head["demonstration"] for head in heads} == {DEMONSTRATION}


def test_feeds_badges_and_notes_for_machines_say_it(shown: Path) -> None:
    assert f"<title>{NAME}: " in (shown / "feed.xml").read_text(encoding="utf-8")
    assert json.loads((shown / "feed.json").read_text())["title"].startswith(NAME)
    assert DEMONSTRATION in (shown / "llms.txt").read_text(encoding="utf-8")
    badges = [file.read_text(encoding="utf-8") for file in (shown / "cards").glob("*.svg")]
    assert badges
    assert all("(demonstration)" in badge for badge in badges)


def test_a_citation_says_it(shown: Path) -> None:
    assert f"title = {{{NAME}}}" in (shown / places.DATA).read_text(encoding="utf-8")


def test_its_preview_is_another(shown: Path, lively: Site) -> None:
    one, other = ((out / places.PREVIEW).read_bytes() for out in (shown, lively.out))
    assert one != other


def test_it_never_warns_of_old_data(shown: Path, lively: Site) -> None:
    assert page(shown, "index.html").all("html")[0].attributes["data-stale"] == "0"
    assert page(lively.out, "index.html").all("html")[0].attributes["data-stale"] == "72"


def test_a_site_of_real_models_says_nothing_of_it(lively: Site) -> None:
    for kind in ("html", "md"):
        assert not any("demonstration" in text.lower() for _, text in of_kind(lively.out, kind))
    assert json.loads((lively.out / "index.json").read_text())["head"]["demonstration"] == ""


def test_where_all_cohorts_are_complete_nothing_is_stale(tmp_path: Path) -> None:
    with open_store(None) as store:
        play_days(store, 0, 2, contestants=0)
        assert Showcase(store.db).is_running()
        with store.write():
            store.db.run("UPDATE cohorts SET complete_at = started_at")
        assert not Showcase(store.db).is_running()
        publish(store, tmp_path, TEMPLATES, Edition(), at=LATER)
    assert page(tmp_path, "index.html").all("html")[0].attributes["data-stale"] == "0"
