import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.records.cohort import Cadence, ContestantId, Start
from arena.records.market import NO_WINS, VOIDED, YES_WINS, Side, State
from arena.records.settings import Edition, Pages, SiteSettings
from arena.site import places
from arena.site.engine.build import publish
from arena.site.engine.manifest import MANIFEST, close_list, read_known, read_shown
from arena.site.heads import HEADS
from arena.site.pages.decisions.decision import NEWEST_COHORTS
from arena.steps.markets.observe import observe
from arena.steps.play import enrol
from arena.store import open_store
from arena.store.pages.showcase import Showcase
from tests.build import ADA, BEN, COHORT, HAIL, RAIN, SNOW, at, at_price, quote, spec
from tests.present import present
from tests.site.conftest import Site
from tests.site.folders import LATER, TEMPLATES, files, play_days, write_site
from tests.stage import Game, Says, Script, buys, playing, sells, started

ROOT = Path(__file__).parents[2]


@pytest.fixture
def written(lively: Site, tmp_path: Path) -> Path:
    """A copy of the site in which everything has happened, to be changed."""
    for name in ("out", ".out.cache"):
        shutil.copytree(lively.out.with_name(name), tmp_path / name)
    return tmp_path / "out"


SCRIPTS: dict[ContestantId, Script] = {
    ADA: {
        1: buys((RAIN, Side.YES, 500), (SNOW, Side.NO, 300), rain=0.7, snow=0.2, hail=0.9),
        2: sells((RAIN, Side.YES, 40)),
        3: ValueError("no answer"),
    },
    BEN: {1: "none", 2: buys((RAIN, Side.NO, 9000)), 3: buys((RAIN, Side.NO, 200), rain=0.4)},
}


def everything_that_can_happen(game: Game) -> Iterator[str]:
    """Play on, a tick at a time, and name what has happened."""
    game.tick(0)
    yield "cohorts start, bets trade, a reply is unreadable"
    game.quote(at_price("0.6"), quote("0.3", None, name=SNOW))
    game.tick(24)
    yield "prices move, a book loses a side, one sells, one is refused"
    game.quote(at_price("0.55"))
    game.tick(26)
    yield "only a price is new"
    game.hear(HAIL, State.CLOSED_PENDING, 30)
    yield "only a state is new"
    game.tick(48)
    yield "an agent fails"
    game.say(RAIN, YES_WINS)
    game.hear(SNOW, VOIDED, 72)
    yield "markets resolve, a cohort completes"
    game.hear(RAIN, State.DISPUTED, 80)
    yield "a venue takes its word back"
    game.hear(RAIN, NO_WINS, 90)
    yield "it says something else"
    game.hear(HAIL, YES_WINS, 100)
    yield "a market resolves that a complete cohort has only forecast"
    game.tick(100)
    yield "nothing is due"


def test_every_kind_of_change_reaches_every_page_that_shows_it(tmp_path: Path) -> None:
    both = (spec(COHORT, (ADA, BEN), days=3), spec("longer", (BEN,), days=10))
    with playing(SCRIPTS, *both) as game:
        for n, scene in enumerate(everything_that_can_happen(game)):
            write_site(game.store, tmp_path / "grown")
            write_site(game.store, tmp_path / f"whole {n}")
            assert files(tmp_path / "grown") == files(tmp_path / f"whole {n}"), scene


def test_a_forecast_judged_long_after_its_round_was_published_is_shown(tmp_path: Path) -> None:
    with playing({ADA: {1: Says(forecasts={HAIL: 0.9})}}) as game:
        enrol(game.doors, at(0))
        for hours in (0, 2, 4):
            game.venue.clock.at = at(hours)
            asyncio.run(observe(game.doors, at(hours)))
        write_site(game.store, tmp_path / "grown")
        game.tick(4.5)
        write_site(game.store, tmp_path / "grown")
        write_site(game.store, tmp_path / "whole")
    assert files(tmp_path / "grown") == files(tmp_path / "whole")


def test_a_site_that_is_up_to_date_is_left_alone(lively: Site, written: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in written.rglob("*")}
    assert write_site(lively.store, written) == 0
    assert {path: path.stat().st_mtime_ns for path in written.rglob("*")} == before


def test_old_pages_are_not_touched_by_a_new_day(tmp_path: Path) -> None:
    """And publishing says how many files are new, of which the manifest is none."""
    with open_store(None) as store:
        play_days(store, 0, 12, contestants=1)
        first = write_site(store, tmp_path)
        before = files(tmp_path)
        play_days(store, 12, 13, contestants=1)
        changed = write_site(store, tmp_path)
        done = store.db.value("SELECT count(*) FROM cohorts WHERE complete_at IS NOT NULL")
    after = files(tmp_path)
    same = [path for path in before if before[path] == after[path]]
    assert (first, changed) == (len(before) - 1, len(after) - len(same) - 1)
    assert len([path for path in same if path.startswith("cohorts/daily")]) >= done - 2 > 0
    assert changed < len(after) / 2


def test_a_killed_build_is_completed_by_the_next(lively: Site, written: Path) -> None:
    (written / MANIFEST).unlink()
    (written / "index.html").unlink()
    (written / "markets/index.html").write_text("an older page", encoding="utf-8")
    (written / ".index.html.tmp").write_text("half a pa", encoding="utf-8")
    write_site(lively.store, written)
    assert files(written) == files(lively.out)


def test_new_labels_are_on_every_page(lively: Site, written: Path) -> None:
    write_site(lively.store, written, {ADA: "Ada Lovelace"})
    shown = {p for p, text in files(written).items() if b"Ada Lovelace" in text}
    assert {"index.html", "contestants/ada/index.html", f"cohorts/{COHORT}/index.html"} <= shown
    assert any(path.startswith("markets/") for path in shown)


def test_a_changed_template_is_seen_on_the_pages_that_draw_on_it(
    lively: Site, tmp_path: Path
) -> None:
    own, out = tmp_path / "templates", tmp_path / "out"
    shutil.copytree(TEMPLATES, own)
    publish(lively.store, out, own, Edition(), at=LATER)
    base = own / "site" / "base.html"
    base.write_text(base.read_text(encoding="utf-8").replace("<main", "<main lang='en'"))
    changed = publish(lively.store, out, own, Edition(), at=LATER)
    shown = [path for path, text in files(out).items() if b"<main lang='en'" in text]
    listed = [path for path in files(out) if path.startswith(("bundle/files/", "bundle/man"))]
    assert changed == len(shown) + 1 + len(listed)  # and what names the templates or the pages
    assert "index.html" in shown


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


DELETED = ("markets", "index.html", "a")


@pytest.mark.parametrize("gone", DELETED)
def test_what_was_deleted_is_made_again_at_once(gone: str, lively: Site, written: Path) -> None:
    remove(written / gone)
    write_site(lively.store, written)
    assert files(written) == files(lively.out)


def test_what_was_deleted_is_made_again_by_the_tick_of_a_later_day(tmp_path: Path) -> None:
    with open_store(None) as store:
        play_days(store, 0, 1, contestants=0)
        write_site(store, tmp_path / "grown")
        for gone in DELETED:
            remove(tmp_path / "grown" / gone)
        play_days(store, 1, 2, contestants=0)
        write_site(store, tmp_path / "grown")
        write_site(store, tmp_path / "whole")
    assert files(tmp_path / "grown") == files(tmp_path / "whole")


def test_pages_of_another_history_are_cleared_away_but_no_file_of_others(
    written: Path, tmp_path: Path
) -> None:
    (written / MANIFEST).unlink()
    (tmp_path / ".out.cache" / HEADS).unlink()
    mine = written / "markets" / "my notes.html"
    mine.write_text("<p>not a page of the arena</p>", encoding="utf-8")
    with open_store(None) as other:
        play_days(other, 0, 2, contestants=0)
        write_site(other, written)
        mine.unlink()
        write_site(other, tmp_path / "alone")
    assert files(written) == files(tmp_path / "alone")


def test_a_head_whose_line_was_torn_by_a_kill_is_noted_again(
    lively: Site, written: Path, tmp_path: Path
) -> None:
    heads = tmp_path / ".out.cache" / HEADS
    heads.write_bytes(heads.read_bytes().rstrip(b"\n"))  # as a kill leaves it
    (written / MANIFEST).unlink()
    write_site(lively.store, written)
    torn, whole = heads.read_text(encoding="utf-8").splitlines()
    assert torn == whole
    assert whole.split("\t")[:2] == [*map(str, Showcase(lively.store.db).head())]


def test_a_folder_that_cannot_be_written_is_named(lively: Site, tmp_path: Path) -> None:
    (tmp_path / "cohorts").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(ArenaError) as caught:
        write_site(lively.store, tmp_path)
    assert caught.value.code == "site.write"
    assert str(tmp_path / "cohorts") in caught.value.message
    assert not (tmp_path / MANIFEST).exists()


@pytest.mark.parametrize(
    "manifest", ['{"entry": "?"', "[]", "{}", '{"entry": null}', '{"entry": "many"}', "\x00"]
)
def test_a_manifest_that_cannot_be_read_means_everything_again(
    manifest: str, lively: Site, written: Path
) -> None:
    (written / MANIFEST).write_text(manifest, encoding="utf-8")
    (written / places.market(RAIN)).unlink()
    write_site(lively.store, written)
    assert files(written) == files(lively.out)


def test_a_day_that_could_not_be_written_to_the_end_is_completed_by_the_next_call(
    tmp_path: Path,
) -> None:
    with open_store(None) as store:
        play_days(store, 0, 1, contestants=0)
        write_site(store, tmp_path / "grown")
        play_days(store, 1, 2, contestants=0)
        write_site(store, tmp_path / "whole")
        new = max(set(files(tmp_path / "whole")) - set(files(tmp_path / "grown")))
        blocked = tmp_path / "grown" / new
        blocked.mkdir(parents=True)
        with pytest.raises(ArenaError, match=re.escape(new)):
            write_site(store, tmp_path / "grown")
        blocked.rmdir()
        write_site(store, tmp_path / "grown")
    assert files(tmp_path / "grown") == files(tmp_path / "whole")


def test_no_page_names_a_place_on_this_machine(simulated: Site, tmp_path: Path) -> None:
    words = [str(ROOT).encode(), str(simulated.out).encode(), str(tmp_path.parent).encode()]
    found = [p for p, text in files(simulated.out).items() if any(w in text for w in words)]
    assert found == []


UNSEEN = "\N{ZERO WIDTH SPACE}"  # for which the whole reply becomes a file
RECENT = Edition({}, SiteSettings(pages=Pages.RECENT))
NUMBERS = count()
REPLIES: dict[ContestantId, Script] = {
    ADA: {1: f"the same words each time{UNSEEN}"},
    BEN: {1: lambda _: f"words of its own {next(NUMBERS)}{UNSEEN}"},
}
OLDEST = "decisions/c00/"


def shown(game: Game, out: Path) -> dict[str, bytes]:
    publish(game.store, out, TEMPLATES, RECENT, at=LATER)
    return files(out)


def scenes(game: Game) -> Iterator[str]:
    """Cohorts start and end, until the first is no longer among the newest; then it goes on."""
    game.tick(0)
    yield "as many run as keep their pages"
    game.hear(RAIN, YES_WINS, 30)
    yield "all are complete"
    later = Start(Cadence.ONCE, at(48))
    game.specs = tuple(replace(spec(f"d{n}", (ADA, BEN)), start=later) for n in range(2))
    game.tick(48)
    yield "the two oldest lose their pages"
    game.tick(50)
    yield "nothing is due"
    game.hear(RAIN, State.DISPUTED, 60)
    yield "a word is taken back, so that they run again"


def test_a_grown_site_has_the_decisions_of_a_whole_one(tmp_path: Path) -> None:
    names = [f"c{n:02}" for n in range(NEWEST_COHORTS)]
    scripts = {**REPLIES, ContestantId("cyd"): {1: buys((RAIN, Side.YES, 100))}}
    out, had, texts = tmp_path / "grown", [], []
    with playing(scripts, *(spec(name, tuple(scripts)) for name in names)) as game:
        for n, scene in enumerate(scenes(game)):
            grown = shown(game, out)
            if n in {2, 4}:
                assert grown == shown(game, tmp_path / f"whole {n}"), scene
            known = read_known(tmp_path / ".grown.cache", read_shown(out))
            assert known.sound
            assert {path for entry in known.entries.values() for path in entry.paths} < {*grown}
            had.append(any(path.startswith(OLDEST) for path in grown))
            texts.append(sum(path.startswith("blobs") for path in grown))
    assert had == [True, True, False, False, True]
    assert texts == [31, 31, 31, 31, 33]


def test_a_window_that_is_no_more_loses_its_page(tmp_path: Path) -> None:
    out, gone = tmp_path / "grown", "windows/category-war.html"
    with started({ADA: {}}, spec(days=3)) as game:
        shown(game, out)
        state = present(read_shown(out))
        known = read_known(tmp_path / ".grown.cache", state)
        other = known.entries["404.html"]
        file = other.files[-1]._replace(name="category-war.html")
        window = other._replace(path=gone, files=(file,))
        (out / "windows").mkdir()
        (out / gone).write_bytes((out / "404.html").read_bytes())
        close_list(tmp_path / ".grown.cache", known.entries, [window], state)
        game.tick(24)
        assert gone not in shown(game, out)
        assert gone not in read_known(tmp_path / ".grown.cache", read_shown(out)).entries


BUILD = """
import sys
from pathlib import Path
from arena.records.settings import Edition
from arena.site.engine.build import BuildOptions, PageSource, build
from arena.store import open_store
from tests.site.folders import LATER, TEMPLATES
with open_store(Path(sys.argv[1])) as store:
    source = PageSource(store, TEMPLATES, Edition(), LATER)
    build(source, Path(sys.argv[2]), BuildOptions(int(sys.argv[3])))
"""
# A time zone, a seed of hashes, a language, and a number of processes.
PLACES = (("Pacific/Auckland", "1", "C", "1"), ("America/Lima", "77", "C.UTF-8", "2"))


def test_a_site_is_the_same_bytes_wherever_and_by_however_many_it_is_built(
    tmp_path: Path,
) -> None:
    database = tmp_path / "arena.db"
    with open_store(database) as store:
        play_days(store, 0, 2, contestants=1)
    made = []
    for zone, seed, language, jobs in PLACES:
        here = tmp_path / seed / "somewhere"
        here.mkdir(parents=True)
        env = os.environ | {
            "TZ": zone,
            "LC_ALL": language,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-c", BUILD, str(database), str(here / "site"), jobs]
        subprocess.run(command, env=env, cwd=here, check=True)  # noqa: S603  # our own
        made.append(files(here / "site"))
    assert made[0] == made[1]
    assert len(made[0]) > 200
