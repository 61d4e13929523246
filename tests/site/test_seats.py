"""The page of a contestant in one cohort."""

from decimal import Decimal
from pathlib import Path

from arena.records.cohort import CohortId
from arena.records.market import YES_WINS, Side
from arena.records.settings import Edition, Pages, SiteSettings
from arena.site import places
from arena.site.pages.cohorts.cohort import read_played
from arena.site.pages.cohorts.seats import Played, equity, gains, pages
from arena.site.reading import Reading
from arena.store import Store
from tests.build import ADA, BEN, COHORT, RAIN, spec
from tests.present import present, some
from tests.site.conftest import Site
from tests.site.folders import page, rows, table, write_site
from tests.site.fronts import NOBODY, unestimated
from tests.stage import buys, playing

ADAS = places.seat(ADA, COHORT)


def played(store: Store, cohort: CohortId, edition: Edition = NOBODY) -> tuple[Played, Reading]:
    reading = unestimated(store, edition)
    card = present(reading.show.cohort(cohort))
    return read_played(card, reading.show.rounds(cohort), reading), reading


def test_a_seat_lists_its_positions_with_what_became_of_them(lively: Site) -> None:
    shown = rows(table(page(lively.out, ADAS), "Positions"))
    assert {row[0]: row[2] for row in shown} == {
        "Will there be rain?": "lost",
        "Will there be snow?": "void, stake returned",
    }


def test_a_seat_lists_its_turns_round_by_round(lively: Site) -> None:
    shown = rows(table(page(lively.out, places.seat(BEN, COHORT)), "Decisions"))
    assert [row[1] for row in shown] == ["1", "2", "3"]
    assert shown[0][2].startswith("unreadable reply")
    assert [row[2] for row in shown[1:]] == ["bet", "bet"]


def test_a_turn_leads_to_its_decision_where_that_has_a_page(lively: Site) -> None:
    for kept, leads in ((Pages.FULL, True), (Pages.INDEX, False)):
        edition = Edition(site=SiteSettings(pages=kept))
        found, reading = played(lively.store, COHORT, edition)
        views = [one.view for one in pages(found, reading)]
        first = views[0].decisions.rows[0][0]  # type: ignore[attr-defined]
        assert bool(first.href) is leads


def test_forecasts_are_scored_market_by_market(lively: Site) -> None:
    shown = rows(table(page(lively.out, ADAS), "Forecasts"))
    assert [row[1:] for row in shown] == [
        ["1", "0.7000", "NO", "0.4900"],
        ["1", "0.2000", "void", "n/a"],
    ]


def test_what_a_seat_gained_adds_up_to_its_books(simulated: Site, lively: Site) -> None:
    """Sales, settlements and fees, each at its moment, are the realised P/L less fees.

    What was taken back and settled anew is gained once.
    """
    daily = (CohortId(f"daily-2026-01-{day}") for day in ("05", "09"))
    for site, cohort in (*((simulated, name) for name in daily), (lively, COHORT)):
        found, _ = played(site.store, cohort)
        for line in some(found.board.standings):
            total = sum((gain for _, gain in gains(line.contestant, found)), Decimal(0))
            assert total == line.realised - line.fees, line.contestant


def test_a_seat_that_was_valued_once_has_no_line_to_draw() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}, spec(COHORT, days=3)) as game:
        game.tick(0)
        assert equity(ADA, *played(game.store, COHORT)) is None


def test_a_seat_stays_as_it_is_when_a_later_cohort_is_played(tmp_path: Path) -> None:
    both = (spec(COHORT, (ADA,), days=1), spec("longer", (ADA,), days=5))
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}, *both) as game:
        game.tick(0)
        game.hear(RAIN, YES_WINS, 24)
        write_site(game.store, tmp_path)
        before = (tmp_path / ADAS).read_bytes()
        game.tick(48)
        game.tick(72)
        write_site(game.store, tmp_path)
    assert (tmp_path / ADAS).read_bytes() == before
