"""With recent pages only, a site that grows loses and regains pages as a whole build does."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from arena.records.cohort import Cadence, ContestantId, Start
from arena.records.market import YES_WINS, Side, State
from arena.records.settings import Edition, Pages, SiteSettings
from arena.site.engine.build import publish
from arena.site.engine.manifest import close_list, read_known, read_shown
from arena.site.pages.decisions.decision import NEWEST_COHORTS
from tests.build import ADA, BEN, RAIN, at, spec
from tests.present import present
from tests.site.folders import LATER, TEMPLATES, files
from tests.stage import Game, Script, buys, playing

UNSEEN = "\N{ZERO WIDTH SPACE}"  # for which the whole reply becomes a file
RECENT = Edition({}, SiteSettings(pages=Pages.RECENT))
NUMBERS = count()
SCRIPTS: dict[ContestantId, Script] = {
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
    game.say(RAIN, YES_WINS)
    game.tick(30)
    yield "all are complete"
    later = Start(Cadence.ONCE, at(48))
    game.specs = tuple(replace(spec(f"d{n}", (ADA, BEN)), start=later) for n in range(2))
    game.tick(48)
    yield "the two oldest lose their pages"
    game.tick(50)
    yield "nothing is due"
    game.say(RAIN, State.DISPUTED)
    game.tick(60)
    yield "a word is taken back, so that they run again"


def test_a_grown_site_has_the_decisions_of_a_whole_one(tmp_path: Path) -> None:
    names = [f"c{n:02}" for n in range(NEWEST_COHORTS)]
    scripts = {**SCRIPTS, ContestantId("cyd"): {1: buys((RAIN, Side.YES, 100))}}
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
    with playing({ADA: {}}, spec(days=3)) as game:
        game.tick(0)
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
