from dataclasses import replace
from xml.etree import ElementTree as ET

from arena.records.claim import Minimum
from arena.site import places
from arena.site.overview.records import RankPlace
from arena.site.pages.project.feeds import badge, placed, rank_words
from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import page
from tests.site.fronts import ALDER, MARKET, SEASON, claimed, reading_of


def test_a_rank_is_told_with_what_tests_leave_open() -> None:
    assert rank_words(RankPlace(2, 1, 4)) == "ranks 1 to 4"
    assert rank_words(RankPlace(1, 1, 1)) == "rank 1"


def test_ranks_are_of_how_many_contestants_and_baselines_have_none(simulated: Site) -> None:
    reading = reading_of(simulated.store, claimed())
    assert placed(ALDER, reading) == "ranks 1 to 4 of 4"
    assert placed(MARKET, reading) == "not ranked"
    few = replace(SEASON, minimum=Minimum(6, 3))
    assert placed(ALDER, reading_of(simulated.store, claimed(claims=few))) == "not ranked"


def test_everybody_has_a_card_and_a_badge(simulated: Site) -> None:
    board = simulated.store.boards.overall()
    for line in some(board.standings):
        assert page(simulated.out, places.card(line.contestant)).all("h1")
        assert (simulated.out / places.badge(line.contestant)).is_file()


def test_a_badge_under_attack_is_well_formed_and_says_the_name() -> None:
    hostile = '"><script>alert(1)</script>&amp;'
    root = ET.fromstring(badge(hostile, "rank 1"))  # noqa: S314  # our own
    assert root.attrib["aria-label"] == f"{hostile}: rank 1"
    assert {element.tag.partition("}")[2] for element in root.iter()} <= {
        "svg", "title", "rect", "g", "text",
    }  # fmt: skip
