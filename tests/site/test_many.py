"""Very many contestants in one cohort."""

import json
from pathlib import Path

import pytest

from arena.records.cohort import ContestantId
from arena.records.market import NO_WINS, YES_WINS, Side
from arena.records.settings import Edition, Pages, SiteSettings
from arena.site.engine.build import publish
from arena.site.site_checks import Checked, check_site
from tests.build import COHORT, RAIN, SNOW, spec
from tests.site.folders import LATER, TEMPLATES, page, rows
from tests.sizes import size
from tests.stage import Says, buys, playing

NAMES = tuple(ContestantId(f"model-{n:03}") for n in range(size(102, 200)))


def says(n: int) -> Says:
    p = (n + 1) / (len(NAMES) + 2)
    return buys((RAIN, Side.YES, 200 + n), rain=p, snow=1 - p, hail=0.5)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("crowd")
    scripts = {name: {1: says(n)} for n, name in enumerate(NAMES)}
    with playing(scripts, spec(COHORT, NAMES, days=1)) as game:
        game.tick(0)
        game.say(RAIN, YES_WINS)
        game.hear(SNOW, NO_WINS, 24)
        site = SiteSettings(pages=Pages.INDEX)
        publish(game.store, out, TEMPLATES, Edition(site=site), at=LATER)
    return out


@pytest.fixture(scope="module")
def checked(crowd: Path) -> Checked:
    return check_site(crowd)


def test_nothing_is_wrong_with_a_site_of_very_many(checked: Checked) -> None:
    assert checked.findings == ()
    assert checked.pages > 2 * len(NAMES)


def test_its_pages_are_no_larger_than_they_may_be(checked: Checked) -> None:
    assert [line for line in checked.budget if line.over and not line.warning] == []


def test_everybody_is_on_the_list_of_contestants(crowd: Path) -> None:
    lists = ["contestants/index.html", "contestants/page-2.html"]
    listed = [row[0] for path in lists for row in rows(page(crowd, path).all("table")[0])]
    assert sorted(listed) == sorted(NAMES)


def test_the_twin_of_a_cohort_has_those_whom_its_page_has_no_room_for(crowd: Path) -> None:
    said = json.loads((crowd / "cohorts" / COHORT / "index.json").read_text(encoding="utf-8"))
    board = said["board"]
    everybody = [*board["rows"], *board["others"]]
    assert len({row["contestant"]["href"] for row in everybody}) == len(NAMES)
    assert 0 < len(board["rows"]) < len(NAMES)
