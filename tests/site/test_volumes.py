import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from arena.records.entrant import Edition
from arena.records.market import NO_WINS, YES_WINS, Side, State
from arena.records.settings import SiteSettings
from arena.site.checks.check import check_site
from arena.site.engine.build import Built, How, PageSource, build, publish
from arena.site.engine.moved_cohorts import Elsewhere
from arena.store import Store
from tests.build import ADA, COHORT, HAIL, RAIN, SNOW, spec
from tests.site.folders import LATER, TEMPLATES, files
from tests.stage import Game, buys, playing

SOON = SiteSettings(freeze_after=timedelta(days=1))
AWAY = SiteSettings(
    freeze_after=timedelta(days=1),
    volume_base="https://old.example.org/",
    base_url="https://example.org/",
)
PAGE = f"cohorts/{COHORT}/index.html"


def made(store: Store, out: Path, site: SiteSettings = SOON) -> Built:
    return build(PageSource(store, TEMPLATES, Edition(site=site), LATER), out, How())


@pytest.fixture
def over() -> Iterator[Game]:
    """A cohort that is complete for two days, and one that goes on."""
    scripts = {ADA: {1: buys((RAIN, Side.YES, 500), rain=0.7)}}
    both = (spec(COHORT, (ADA,), days=1), spec("longer", (ADA,), days=20))
    with playing(scripts, *both) as game:
        game.tick(0)
        for market in (RAIN, SNOW, HAIL):
            game.say(market, YES_WINS)
        game.tick(48)
        game.tick(110)
        yield game


def test_a_cohort_that_is_long_over_is_listed_with_its_digests(
    over: Game, tmp_path: Path
) -> None:
    made(over.store, tmp_path / "out")
    index = json.loads((tmp_path / "out/volumes/index.json").read_text())
    assert [one["id"] for one in index["volumes"]] == [COHORT]
    sums = (tmp_path / f"out/volumes/{COHORT}/SHA256SUMS").read_text()
    assert f"  ../../{PAGE}\n" in sums
    assert len(sums.splitlines()) == index["volumes"][0]["files"]
    assert check_site(tmp_path / "out").findings == ()


def test_what_is_frozen_is_not_made_again(over: Game, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made(over.store, out)
    before = files(out)[PAGE]
    again = made(over.store, out, SiteSettings(freeze_after=SOON.freeze_after, title="New"))
    assert again.frozen == 1
    assert not [path for path in again.changed if path.startswith(f"cohorts/{COHORT}/")]
    assert files(out)[PAGE] == before


def test_what_is_frozen_and_lost_is_made_again(over: Game, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made(over.store, out)
    (out / PAGE).unlink()
    assert made(over.store, out).frozen == 0
    assert (out / PAGE).is_file()


def test_a_revised_market_takes_its_cohort_out_of_the_volumes(
    over: Game, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    made(over.store, out)
    before = files(out)[PAGE]
    over.say(RAIN, State.DISPUTED)
    over.tick(120)
    over.say(RAIN, NO_WINS)
    over.tick(140)
    publish(over.store, out, TEMPLATES, Edition(site=SOON), at=LATER)
    assert not (out / "volumes" / COHORT).exists()
    assert files(out)[PAGE] != before
    assert check_site(out).findings == ()
    over.tick(200)
    made(over.store, out)
    assert (out / "volumes" / COHORT / "SHA256SUMS").is_file()


def test_links_lead_to_where_volumes_are_kept(over: Game, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made(over.store, out, AWAY)
    made_pages = files(out)
    assert f'href="https://old.example.org/{PAGE}"'.encode() in made_pages["cohorts/index.html"]
    assert b'href="https://example.org/index.html"' in made_pages[PAGE]
    assert b'href="../../a/v1/site.css"' in made_pages[PAGE]


def test_a_volume_that_is_kept_elsewhere_may_be_gone_here(over: Game, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made(over.store, out, AWAY)
    for folder in ("cohorts", "decisions", "data"):
        shutil.rmtree(out / folder / COHORT, ignore_errors=True)
    again = made(over.store, out, AWAY)
    assert (again.changed, again.frozen) == ((), 1)
    assert check_site(out).findings == ()


@pytest.mark.parametrize(
    ("href", "wanted"),
    [
        ("../old/index.html#x", "https://there/cohorts/old/index.html#x"),
        ("../new/index.html", "../new/index.html"),
        ("#here", "#here"),
        ("https://elsewhere/cohorts/old/", "https://elsewhere/cohorts/old/"),
    ],
)
def test_only_links_to_what_moved_change(href: str, wanted: str) -> None:
    moved = Elsewhere("https://there/", "", frozenset({"old"}))
    page = moved.relinked("cohorts/new/index.html", f'<a class="c" href="{href}">')
    assert page == f'<a class="c" href="{wanted}">'
